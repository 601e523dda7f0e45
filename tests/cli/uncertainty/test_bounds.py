"""assay uncertainty bounds."""

import json
from pathlib import Path

import pytest

from assay import read, uncertainty
from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 e 1\n")
    Path("run").write_text("1 Q0 a 1 2 bm25\n1 Q0 x 2 1 bm25\n2 Q0 y 1 2 bm25\n2 Q0 e 2 1 bm25\n")


def shown(capsys, *words, code=0):
    assert main(["uncertainty", "bounds", "qrels", "run", *words]) == code
    captured = capsys.readouterr()
    assert not captured.out or code == 0
    return captured.err if code else captured.out


def content(capsys, *words):
    return json.loads(shown(capsys, *words, "--format", "json"))


def test_a_table(capsys):
    lines = shown(capsys, "-m", "P@2", "AP").splitlines()
    assert lines[0] == "P@2"
    assert lines[1].split() == ["run", "value", "lowest", "highest", "width", "judged", "bounds"]
    assert lines[3].split() == ["bm25", "0.5000", "0.5000", "1.0000", "0.5000", "0.5000", "exact"]


@pytest.mark.parametrize("show", ["means", "topics"])
def test_what_the_function_gives(capsys, show):
    words = ["-m", "AP", "RBP(p=0.5)", "--outside", "3", "--no-tail", "--ties", "file"]
    found = content(capsys, *words, "--show", show)
    report = uncertainty.bounds(read("qrels", "run", ties="file"), ["AP", "RBP(p=0.5)"], outside=3, tail=False)
    assert found["rows"] == report.table(show).frame.to_dicts()
    assert found["provenance"]["settings"] == report.provenance.settings
    assert found["provenance"]["settings"] == {"measures": ["AP", "RBP(p=0.5)"], "outside": 3, "tail": False}


def test_every_topic(capsys):
    rows = content(capsys, "-m", "P@2", "AP", "--per-topic")["rows"]
    wanted = [(measure, topic) for measure in ("P@2", "AP") for topic in ("1", "2", "all")]
    assert [(row["measure"], row["topic"]) for row in rows] == wanted


def test_defaults(capsys):
    found = content(capsys)
    assert [row["measure"] for row in found["rows"]] == ["AP", "nDCG@10", "P@10", "RR"]
    assert found["provenance"]["settings"]["outside"] == "none"
    assert found["provenance"]["settings"]["tail"] is True


def test_the_tail(capsys):
    def high(*words):
        return content(capsys, "-m", "RBP(p=0.5)", *words)["rows"][0]["high"]

    assert high("--no-tail") == 0.75
    assert high() == 1.0


def test_infinite_bounds(capsys):
    low, high = content(capsys, "-m", "AP", "NumRel", "--outside", "any")["rows"]
    assert low["low"] == 0
    assert high["high"] == "inf"


def test_outer_bounds(capsys):
    Path("run").write_text("".join(f"1 Q0 d{i:02} {i} {-i} bm25\n" for i in range(40)))
    assert main(["uncertainty", "bounds", "qrels", "run", "-m", "BPM(T=2)@30"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[3].split()[-1] == "outer"
    assert "assay: note: BPM(T=2)@30: outer bounds for 1 of 2 rankings" in captured.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--outside", "lots"], "--outside lots: choose none, any or a number of further relevant documents"),
        (["--unjudged", "condensed"], "--unjudged condensed: bounds need the unjudged documents"),
        (["--ties", "expected"], "--ties expected: bounds need an order; choose another tie policy"),
        (["--show", "topic"], "--show topic: choose one of means, topics; did you mean topics?"),
        (["--tail"], "there is no option --tail"),
    ],
)
def test_refused(capsys, words, message):
    error = shown(capsys, "-m", "AP", *words, code=2)
    assert error.startswith(f"assay: {message}")
    assert error.count("\n") == 1
