"""assay effort, effort-gain and curve."""

import json
from pathlib import Path

import polars as pl
import pytest

from assay.cli import main

QRELS = "301 0 a 2\n301 0 b 1\n301 0 c 1\n302 0 a 1\n302 0 e 4\n303 0 a 0\n304 0 q 1\n"
RUN = "301 Q0 b 1 9 t\n301 Q0 a 2 8 t\n301 Q0 x 3 7 t\n302 Q0 y 1 9 t\n302 Q0 e 2 8 t\n302 Q0 z 3 7 t\n302 Q0 a 4 6 t\n"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)


def shown(capsys, *words, code=0):
    assert main(list(words)) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_effort(capsys):
    lines = shown(capsys, "effort", "qrels", "run").splitlines()
    assert lines[0].split()[:7] == ["run", "curves", "rho", "sigma_plus", "sigma_minus", "sigma", "twist"]
    assert "excellent" not in lines[0]
    assert [line.split()[0] for line in lines[2:]] == ["t", "all"]
    everything = shown(capsys, "effort", "qrels", "run", "--format", "csv", "--merge").splitlines()[0]
    assert everything.endswith("ideal,worst,full-scale,typical A,typical B,excellent")


def test_effort_per_topic(capsys):
    text = shown(capsys, "effort", "qrels", "run", "--per-topic", "--format", "tsv")
    assert text.splitlines()[0].split("\t") == [
        "run", "topic", "r", "n", "rho", "sigma_plus", "sigma_minus", "sigma", "twist", "archetype"
    ]  # fmt: skip
    assert len(text.splitlines()) == 5
    content = json.loads(shown(capsys, "effort", "qrels", "run", "--per-topic", "--indicators", "--format", "json"))
    assert content["rows"][3]["balance_point"] == "inf"


def test_effort_options(capsys):
    words = ["effort", "qrels", "run", "--per-topic", "--format", "csv"]
    plain = shown(capsys, *words)
    for more in (
        ["--depth", "20"],
        ["--grades", "4=1,2=1"],
        ["--weights", "exp"],
        ["--persistence", "0.5"],
        ["--endpoint", "right"],
        ["--undefined", "exclude"],
        ["--topics", "intersection", "--undefined", "exclude"],
    ):
        assert shown(capsys, *words, *more) != plain, more
    for same in (["--crossing", "strict"], ["--length", "extend"], ["--ties", "file"]):
        assert shown(capsys, *words, *same) == plain


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ties", "expected"], "ties 'expected': a curve needs an order"),
        (["--grades", "x"], "--grades 'x': write grade=grade, such as 4=3,-2=0"),
        (["--grades", "9=1"], "qrels: has no grade 9; it has 0 1 2 4"),
        (
            ["--length", "error", "--depth", "4"],
            "a topic has 3 relevant documents and needs rankings of 6 documents, not 4",
        ),
        (["--crossing", "x"], "--crossing x: choose one of strict, literal, matters"),
        (["--endpoint", "x"], "--endpoint x: choose one of left, right"),
        (["--length", "extent"], "--length extent: choose one of extend, error, asis; did you mean extend?"),
        (["--depth", "0"], "--depth must be at least 1, got 0"),
        (["--persistence", "2"], "--persistence must be above 0 and at most 1, got 2"),
        (["--weights", "x"], "there are no gains x"),
        (["--weights", "negative"], "a higher grade must not be worth less"),
    ],
)
def test_effort_refuses(capsys, words, message):
    if words == ["--weights", "negative"]:
        assert main(["effort", "qrels", "run", *words]) == 0  # -1 for what is not relevant still ascends
        return
    assert message in shown(capsys, "effort", "qrels", "run", *words, code=2)


def test_effort_gain(capsys):
    lines = shown(capsys, "effort-gain", "qrels", "run").splitlines()
    assert lines[0].split() == [
        "measure", "run", "points", "diagonal", "high-high", "gray", "other", "upper_right", "top_row_right",
        "q1", "q2", "q3",
    ]  # fmt: skip
    assert len(lines) == 2 + 4
    assert len(shown(capsys, "effort-gain", "qrels", "run", "-m", "AP", "P@5", "--per-run").splitlines()) == 2 + 4
    assert (
        len(shown(capsys, "effort-gain", "qrels", "run", "-m", "AP", "--cells", "--format", "csv").splitlines()) == 17
    )
    shown(capsys, "effort-gain", "qrels", "run", "-m", "AP", "--points", "-o", "points.parquet")
    assert pl.read_parquet("points.parquet").columns[:3] == ["run", "topic", "measure"]
    assert json.loads(shown(capsys, "effort-gain", "qrels", "run", "-m", "AP", "--cells", "--format", "json"))["rows"]


def test_curve(capsys):
    lines = shown(capsys, "curve", "qrels", "run", "--topic", "301").splitlines()
    assert lines[0].split() == [
        "rank", "document", "grade", "ideal", "rp", "crp", "dcg", "ideal_dcg", "delta_gain"
    ]  # fmt: skip
    assert lines[2].split()[:6] == ["1", "b", "1", "2", "-1", "-1"]
    assert len(lines) == 2 + 6
    assert "qrels: has no topic 30" in shown(capsys, "curve", "qrels", "run", "--topic", "30", code=2)
    for length in ("extend", "asis"):
        short = shown(
            capsys, "curve", "qrels", "run", "--topic", "301", "--depth", "1", "--length", length, "--format", "csv"
        )
        assert len(short.splitlines()) == 1 + 1, "depth limits the ranks shown"
    assert "--depth must be at least 1, got -3" in shown(
        capsys, "curve", "qrels", "run", "--topic", "301", "--depth", "-3", code=2
    )


def test_a_curve_of_a_topic_that_the_run_lacks_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "r").write_text("2 Q0 a 1 2 x\n")
    assert main(["curve", str(tmp_path / "q"), str(tmp_path / "r"), "--topic", "1"]) == 0
    assert f"{tmp_path / 'r'}: has no documents for topic 1" in capsys.readouterr().err


def test_a_curve_says_what_was_skipped_and_where_it_comes_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 high x\n")
    words = ["curve", str(tmp_path / "q"), str(tmp_path / "r"), "--topic", "1", "--lenient", "--format", "json"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert "lines whose score is not a finite number skipped: 1" in err
    told = json.loads(out)
    assert len(told["notes"]) == 1
    assert [one["role"] for one in told["provenance"]["inputs"]] == ["qrels", "run"]
