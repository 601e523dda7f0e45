"""Tests of ``assay uncertainty judge-next``."""

import json
from pathlib import Path

import pytest

from assay import read, uncertainty
from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b -1\n2 0 a 0\n")
    Path("one").write_text("1 Q0 a 1 3 one\n1 Q0 b 2 2 one\n1 Q0 c 3 1 one\n2 Q0 d 1 1 one\n3 Q0 k 1 1 one\n")
    Path("two").write_text("1 Q0 c 1 3 two\n1 Q0 b 2 2 two\n2 Q0 a 1 2 two\n2 Q0 d 2 1 two\n")


def run_command(capsys, *args, code=0):
    assert main(["uncertainty", "judge-next", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def read_json(capsys, *args):
    return json.loads(run_command(capsys, *args, "--format", "json"))


def read_documents(capsys, *args):
    return [row["doc"] for row in read_json(capsys, "qrels", "one", "two", *args)["rows"]]


def test_table(capsys):
    assert main(["uncertainty", "judge-next", "qrels", "one", "two", "-m", "RBP(p=0.5)"]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0].split()[:4] == ["rank", "topic", "document", "runs"]
    assert [line.split()[:5] for line in lines[2:5]] == [
        ["1", "2", "d", "2", "1"],
        ["2", "1", "c", "2", "1"],
        ["3", "1", "b", "2", "2"],
    ]
    assert "from 0.4688 to 0.0000" in " ".join(lines)
    ignored, negative = captured.err.splitlines()
    assert ignored == "assay: note: one: ignored 1 topic without judgments (1 document): 3"
    assert negative.startswith(
        "assay: note: counted 1 document with a negative grade as unjudged; change the existing line"
    )


@pytest.mark.parametrize(
    ("args", "options"),
    [
        ([], {}),
        (["-n", "2", "-m", "P@2"], {"n": 2, "measure": "P@2"}),
        (["--per-topic", "1"], {"per_topic": 1}),
        (["--topic", "2", "--topic", "1"], {"topics": ["2", "1"]}),
        (["--topics", "1"], {"topics": ["1"]}),
        (["--pair", "one", "two"], {"pair": ["one", "two"]}),
        (["--all-topics"], {"all_topics": True}),
    ],
)
def test_output_matches_the_function(capsys, args, options):
    content = read_json(capsys, "qrels", "one", "two", *args)
    report = uncertainty.judge_next(read("qrels", ["one", "two"], keep="documents"), **options)
    assert content["rows"] == report.frame().to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings


def test_selection_options(capsys):
    assert read_documents(capsys, "-n", "2") == ["d", "c"]
    assert read_documents(capsys, "--per-topic", "1") == ["d", "c"]
    assert read_documents(capsys, "--topic", "1") == ["c", "b"]
    assert read_documents(capsys, "--all-topics") == ["d", "c", "b", "k"]
    assert read_documents(capsys, "--compare", "one", "two") == ["c", "d"]
    # A grade of 0 counts as judged; a negative grade does not.
    assert read_documents(capsys, "--grades", "0=-1") == ["d", "c", "b", "a"]


def test_expected_ties(capsys):
    Path("one").write_text("1 Q0 c 1 1 one\n1 Q0 x 2 1 one\n")
    rows = read_json(capsys, "qrels", "one", "-m", "P@1", "--ties", "expected")["rows"]
    assert {row["doc"]: row["weight"] for row in rows} == {"c": 0.5, "x": 0.5}


def test_runs_without_a_judged_topic_count_with_all_topics(capsys):
    Path("new").write_text("7 Q0 z 1 1 new\n")
    args = ["qrels", "one", "new", "-m", "P@1"]
    assert "shares no topic with the qrels" in run_command(capsys, *args, code=2)
    assert sorted(row["topic"] for row in read_json(capsys, *args, "--all-topics")["rows"]) == ["2", "3", "7"]


def test_none_as_qrels_means_no_judgments(capsys):
    args = ["none", "one", "two", "-m", "P@1"]
    assert sorted(row["doc"] for row in read_json(capsys, *args)["rows"]) == ["a", "a", "c", "d", "k"]
    Path("none").write_text("1 0 a 1\n")  # an existing file named "none" is read
    assert [row["doc"] for row in read_json(capsys, *args)["rows"]] == ["c"]


def test_as_qrels_writes_lines_to_grade(capsys):
    args = ["qrels", "one", "two", "-m", "RBP(p=0.5)", "--as-qrels"]
    lines = run_command(capsys, *args, "-n", "2")
    assert lines == "2 0 d ?\n1 0 c ?\n"
    run_command(capsys, *args, "-n", "2", "-o", "next.txt")
    assert Path("next.txt").read_text() == lines
    # A line without a grade is rejected. Once all grades are filled in, the lines are ordinary judgments.
    with Path("qrels").open("a") as stream:
        stream.write(lines)
    assert "qrels:4: the grade must be a finite number, found '?'" in run_command(capsys, "qrels", "one", code=2)
    Path("qrels").write_text(Path("qrels").read_text().replace("?", "1"))
    assert run_command(capsys, *args) == "1 0 b ?\n"


@pytest.mark.parametrize("args", [["--as-qrels"], []])
def test_qrels_are_not_overwritten(capsys, args):
    old_qrels = Path("qrels").read_text()
    Path("qrels.txt").write_text(old_qrels)
    text = run_command(capsys, "qrels.txt", "one", *args, "-o", "qrels.txt", code=2)
    assert text.splitlines()[-1] == "assay: -o qrels.txt: would overwrite an input; choose another file"
    assert Path("qrels.txt").read_text() == old_qrels


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["qrels", "-m", "nDCG@10"], "measure 'nDCG@10': is not a weighted sum over ranks"),
        (["qrels", "-m", "P@5", "P@10"], "--measure: expected one value, got 2: P@5, P@10"),
        (["qrels", "-n", "0"], "-n must be a whole number of at least 1, got 0"),
        (["qrels", "-n", "x"], "-n: write a whole number, not 'x'"),
        (["qrels", "--per-topic"], "argument --per-topic: expected one argument"),
        (["qrels", "--pair", "one", "tow"], "there is no run tow; did you mean two?"),
        (["qrels", "--pair", "one", "one"], "--pair: name two different runs"),
        (["qrels", "--topic", "9"], "there is no topic 9"),
        (["qrels", "--as-qrels", "--format", "csv"], "--as-qrels cannot be combined with --format"),
        (["none", "--grades", "1=0"], "--grades needs judgments, but QRELS is none; omit"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, "--", "one", "two", code=2)
    assert text.startswith(f"assay: {message}")
    assert text.count("\n") == 1
