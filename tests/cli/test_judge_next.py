"""assay judge-next."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b -1\n2 0 a 0\n")
    Path("one").write_text("1 Q0 a 1 3 one\n1 Q0 b 2 2 one\n1 Q0 c 3 1 one\n2 Q0 d 1 1 one\n3 Q0 k 1 1 one\n")
    Path("two").write_text("1 Q0 c 1 3 two\n1 Q0 b 2 2 two\n2 Q0 a 1 2 two\n2 Q0 d 2 1 two\n")


def shown(capsys, *words, code=0):
    assert main(["judge-next", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def csv(text):
    return [line.split(",") for line in text.splitlines()]


def test_table(capsys):
    assert main(["judge-next", "qrels", "one", "two", "-m", "RBP(p=0.5)"]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0].split() == ["topic", "doc", "weight", "runs", "best_rank", "grade", "remaining"]
    assert [line.split() for line in lines[2:]] == [
        ["2", "d", "0.7500", "2", "1", "-", "0.2812"],
        ["1", "c", "0.6250", "2", "1", "-", "0.1250"],
        ["1", "b", "0.5000", "2", "2", "-1", "0.0000"],
    ]
    ignored, judging, negative = captured.err.splitlines()
    assert ignored == "assay: note: one: 1 topic without judgments ignored (1 document): 3"
    assert judging.endswith("takes the mean uncertainty of the runs from 0.4688 to 0.0000")
    assert negative.startswith("assay: note: 1 document with a negative grade counted as unjudged; change the grade")


def test_choices(capsys):
    words = ["qrels", "one", "two", "--format", "csv"]
    assert [row[1] for row in csv(shown(capsys, *words, "-n", "2"))[1:]] == ["d", "c"]
    assert [row[1] for row in csv(shown(capsys, *words, "--per-topic", "1"))[1:]] == ["d", "c"]
    assert [row[1] for row in csv(shown(capsys, *words, "--topic", "1"))[1:]] == ["c", "b"]
    assert [row[1] for row in csv(shown(capsys, *words, "--topic", "2", "--topic", "1"))[1:]] == ["d", "c", "b"]
    assert [row[0] for row in csv(shown(capsys, *words, "--all-topics"))[1:]] == ["2", "1", "1", "3"]
    assert [row[1] for row in csv(shown(capsys, *words, "--compare", "one", "two"))[1:]] == ["c", "d"]
    # A grade of 0 counts as judged, one that is replaced by a negative grade does not.
    assert [row[1] for row in csv(shown(capsys, *words, "--grades", "0=-1"))[1:]] == ["d", "c", "b", "a"]
    assert csv(shown(capsys, *words, "-m", "P@1", "--ties", "expected"))[1:] == [
        ["1", "c", "1.0", "1", "1", "", "0.25"],
        ["2", "d", "1.0", "1", "1", "", "0.0"],
    ]


def test_runs_without_a_judged_topic_count_with_all_topics(capsys):
    Path("new").write_text("7 Q0 z 1 1 new\n")
    words = ["qrels", "one", "new", "-m", "P@1", "--format", "csv"]
    assert "shares no topic with the qrels" in shown(capsys, *words, code=2)
    assert sorted(row[0] for row in csv(shown(capsys, *words, "--all-topics"))[1:]) == ["2", "3", "7"]


def test_nothing_judged(capsys):
    rows = csv(shown(capsys, "none", "one", "two", "-m", "P@1", "--format", "csv"))
    assert sorted(row[1] for row in rows[1:]) == ["a", "a", "c", "d", "k"]
    Path("none").write_text("1 0 a 1\n")  # a file of that name is a file
    rows = csv(shown(capsys, "none", "one", "two", "-m", "P@1", "--format", "csv"))
    assert [row[1] for row in rows[1:]] == ["c"]


def test_lines_for_the_qrels(capsys):
    words = ["qrels", "one", "two", "-m", "RBP(p=0.5)", "--as-qrels"]
    lines = shown(capsys, *words, "-n", "2")
    assert lines == "2 0 d ?\n1 0 c ?\n"
    shown(capsys, *words, "-n", "2", "-o", "next.txt")
    assert Path("next.txt").read_text() == lines
    # A grade that was forgotten is refused; with all of them the lines are judgments like others.
    with Path("qrels").open("a") as stream:
        stream.write(lines)
    assert "qrels:4: the grade must be a finite number, found '?'" in shown(capsys, "qrels", "one", code=2)
    Path("qrels").write_text(Path("qrels").read_text().replace("?", "1"))
    assert shown(capsys, *words) == "1 0 b ?\n"


def test_the_qrels_are_not_overwritten(capsys):
    before = Path("qrels").read_text()
    Path("qrels.txt").write_text(before)
    text = shown(capsys, "qrels.txt", "one", "--as-qrels", "-o", "qrels.txt", code=2)
    assert text.splitlines()[-1] == ("assay: qrels.txt: was read as an input and is not overwritten; name another file")
    assert Path("qrels.txt").read_text() == before


def test_there_is_nothing_to_simulate_with_no_judgments(capsys):
    assert main(["judge-next", "none", "one", "two", "--simulate"]) == 2
    assert "--simulate hides judgments and reveals them again; name a file" in capsys.readouterr().err


def test_simulate(capsys):
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c 0\n2 0 a 0\n")
    assert main(["judge-next", "qrels", "one", "two", "-m", "RBP(p=0.5)", "--simulate"]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0].split() == ["pool", "judgments", "residual", "depth", "random", "needed"]
    assert [line.split()[:4] for line in lines[2:]] == [
        ["-", "0", "0.7188", "0.7188"],
        ["1", "3", "0.3125", "0.3125"],
        ["2", "4", "0.1875", "0.1875"],
    ]
    assert captured.err.splitlines()[-1].startswith(
        "assay: note: RBP(p=0.5): mean uncertainty over all numbers of judgments: residual 0."
    )
    words = ["qrels", "one", "two", "-m", "RBP(p=0.5)", "--simulate", "--known", "1", "--seed", "3", "--format", "json"]
    written = json.loads(shown(capsys, *words))
    assert (written["provenance"]["known"], written["provenance"]["seed"]) == (1, 3)
    assert [row["judgments"] for row in written["rows"]] == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "nDCG@10"], "measure 'nDCG@10': is not a weighted sum over ranks"),
        (["-m", "P@5", "P@10"], "-m: name one measure, not 2"),
        (["-n", "0"], "n must be a whole number of at least 1, got 0"),
        (["--compare", "one", "tow"], "there is no run tow; did you mean two?"),
        (["--topic", "9"], "there is no topic 9"),
        (["--seed", "1"], "--seed needs --simulate"),
        (["--known", "0"], "--known needs --simulate"),
        (["--simulate", "-n", "5"], "-n cannot be combined with --simulate"),
        (["--simulate", "--all-topics"], "--all-topics cannot be combined with --simulate"),
        (["--simulate", "--known", "-1"], "known must be a whole number of at least 0, got -1"),
        (["--simulate", "--as-qrels"], "--as-qrels cannot be combined with --simulate"),
        (["--as-qrels", "--format", "csv"], "--as-qrels cannot be combined with --format"),
    ],
)
def test_refused(capsys, words, message):
    text = shown(capsys, "qrels", "one", "two", *words, code=2)
    assert message in text
    assert text.count("\n") == 1


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom assay.cli import main\n"
        "for name in ('judge-next', 'depth', 'residual'):\n"
        "    try: main([name, '--help'])\n    except SystemExit: pass\n"
        "assert not {'numpy', 'polars', 'scipy'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0
