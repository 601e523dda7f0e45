"""Tests of ``assay uncertainty bounds``."""

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


def run_command(capsys, *args, code=0):
    assert main(["uncertainty", "bounds", "qrels", "run", *args]) == code
    captured = capsys.readouterr()
    assert not captured.out or code == 0
    return captured.err if code else captured.out


def read_json(capsys, *args):
    return json.loads(run_command(capsys, *args, "--format", "json"))


def test_table(capsys):
    lines = run_command(capsys, "-m", "P@2", "AP").splitlines()
    assert lines[0] == "P@2"
    assert lines[1].split() == ["run", "value", "lowest", "highest", "width", "judged", "bounds"]
    assert lines[3].split() == ["bm25", "0.5000", "0.5000", "1.0000", "0.5000", "0.5000", "exact"]


@pytest.mark.parametrize("show", ["means", "topics"])
def test_output_matches_the_function(capsys, show):
    args = ["-m", "AP", "RBP(p=0.5)", "--outside", "3", "--no-tail", "--ties", "file"]
    content = read_json(capsys, *args, "--show", show)
    report = uncertainty.bounds(read("qrels", "run", ties="file"), ["AP", "RBP(p=0.5)"], outside=3, tail=False)
    assert content["rows"] == report.table(show).frame.to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings
    assert content["provenance"]["settings"] == {"measures": ["AP", "RBP(p=0.5)"], "outside": 3, "tail": False}


def test_rows_for_every_topic(capsys):
    rows = read_json(capsys, "-m", "P@2", "AP", "--per-topic")["rows"]
    expected = [(measure, topic) for measure in ("P@2", "AP") for topic in ("1", "2", "all")]
    assert [(row["measure"], row["topic"]) for row in rows] == expected


def test_defaults(capsys):
    content = read_json(capsys)
    assert [row["measure"] for row in content["rows"]] == ["AP", "nDCG@10", "P@10", "RR"]
    assert content["provenance"]["settings"]["outside"] == "none"
    assert content["provenance"]["settings"]["tail"] is True


def test_no_tail_lowers_the_upper_bound(capsys):
    def read_upper_bound(*args):
        return read_json(capsys, "-m", "RBP(p=0.5)", *args)["rows"][0]["high"]

    assert read_upper_bound("--no-tail") == 0.75
    assert read_upper_bound() == 1.0


def test_infinite_bounds(capsys):
    low, high = read_json(capsys, "-m", "AP", "NumRel", "--outside", "any")["rows"]
    assert low["low"] == 0
    assert high["high"] == "inf"


def test_outer_bounds(capsys):
    Path("run").write_text("".join(f"1 Q0 d{i:02} {i} {-i} bm25\n" for i in range(40)))
    assert main(["uncertainty", "bounds", "qrels", "run", "-m", "BPM(T=2)@30"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[3].split()[-1] == "outer"
    assert "assay: note: BPM(T=2)@30: outer bounds for 1 of 2 rankings" in captured.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--outside", "lots"], "--outside lots: choose none, any or a number of further relevant documents"),
        (["--unjudged", "condensed"], "--unjudged condensed: bounds need the unjudged documents"),
        (["--ties", "expected"], "--ties expected: bounds need an order; choose another tie policy"),
        (["--show", "topic"], "--show topic: choose one of means, topics; did you mean topics?"),
        (["--tail"], "unknown option --tail"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    error = run_command(capsys, "-m", "AP", *args, code=2)
    assert error.startswith(f"assay: {message}")
    assert error.count("\n") == 1
