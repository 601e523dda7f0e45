"""assay eval --bounds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 e 1\n")
    Path("run").write_text("1 Q0 a 1 2 bm25\n1 Q0 x 2 1 bm25\n2 Q0 y 1 2 bm25\n2 Q0 e 2 1 bm25\n")


def shown(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(["eval", "qrels", "run", *words]) == code
    captured = capsys.readouterr()
    assert not captured.out or code == 0
    return captured.err if code else captured.out


def test_a_table(capsys):
    lines = shown(capsys, "--bounds", "-m", "P@2", "AP").splitlines()
    assert lines[0].split() == ["run", "measure", "value", "low", "high", "exact", "judged"]
    assert lines[2].split() == ["bm25", "P@2", "0.5000", "0.5000", "1.0000", "yes", "0.5000"]


def test_every_topic(capsys):
    lines = shown(capsys, "--bounds", "-m", "P@2", "AP", "--per-topic").splitlines()
    assert [line.split()[1:3] for line in lines[2:]] == [[m, t] for m in ("P@2", "AP") for t in ("1", "2", "all")]


def test_default_measures_and_the_tail(capsys):
    assert len(shown(capsys, "--bounds").splitlines()) == 2 + 4
    tail = shown(capsys, "--bounds", "-m", "RBP(p=0.5)", "--no-tail").splitlines()[2].split()
    assert tail[4] == "0.7500"


def test_json_says_what_was_assumed(capsys):
    found = json.loads(shown(capsys, "--bounds", "-m", "AP", "NumRel", "--outside", "any", "--format", "json"))
    assert (found["provenance"]["outside"], found["provenance"]["tail"]) == ("any", True)
    assert found["rows"][0]["low"] == 0.0
    assert found["rows"][1]["high"] == "inf"
    assert found["rows"][0]["exact"] is True


def test_outer_bounds(capsys):
    Path("run").write_text("".join(f"1 Q0 d{i:02} {i} {-i} bm25\n" for i in range(40)))
    assert main(["eval", "qrels", "run", "--bounds", "-m", "BPM(T=2)@30"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[2].split()[-2] == "outer"
    assert "BPM(T=2)@30: outer bounds for 1 of 2 rankings" in captured.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--outside", "3"], "need --bounds"),
        (["--no-tail"], "need --bounds"),
        (
            ["--bounds", "--outside", "lots"],
            "outside 'lots': write none, any or how many more relevant documents there may be, from 0 to 1000000",
        ),
        (
            ["--bounds", "--unjudged", "condensed"],
            "unjudged 'condensed': bounds are about what unjudged documents may be",
        ),
        (
            ["--bounds", "--ties", "expected"],
            "ties 'expected': bounds need an order; choose another tie policy",
        ),
    ],
)
def test_refused(capsys, words, message):
    error = shown(capsys, "-m", "AP", *words, code=2)
    assert message in error
    assert error.count("\n") == 1
