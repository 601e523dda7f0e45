"""Tests of ``assay uncertainty judging-curve``."""

import json
from pathlib import Path

import pytest

from assay import read, uncertainty
from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c 0\n2 0 a 0\n")
    Path("one").write_text("1 Q0 a 1 3 one\n1 Q0 b 2 2 one\n1 Q0 c 3 1 one\n2 Q0 d 1 1 one\n3 Q0 k 1 1 one\n")
    Path("two").write_text("1 Q0 c 1 3 two\n1 Q0 b 2 2 two\n2 Q0 a 1 2 two\n2 Q0 d 2 1 two\n")


def run_command(capsys, *args, code=0):
    assert main(["uncertainty", "judging-curve", "qrels", "one", "two", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def read_json(capsys, *args):
    return json.loads(run_command(capsys, *args, "--format", "json"))


def test_table(capsys):
    lines = [line.split() for line in run_command(capsys, "-m", "RBP(p=0.5)").splitlines()]
    assert lines[0] == ["pool", "depth", "judgments", "residual", "depth", "random", "needed"]
    assert [line[:4] for line in lines[2:5]] == [
        ["-", "0", "0.7188", "0.7188"],
        ["1", "3", "0.3125", "0.3125"],
        ["2", "4", "0.1875", "0.1875"],
    ]


@pytest.mark.parametrize("show", ["steps", "areas"])
@pytest.mark.parametrize(
    ("args", "options"),
    [
        ([], {}),
        (["-m", "P@2", "--known", "1", "--seed", "3"], {"measure": "P@2", "known": 1, "seed": 3}),
        (["--orders", "depth,random", "--steps", "1..3"], {"orders": ["depth", "random"], "steps": [1, 2, 3]}),
        (["--pair", "one", "two"], {"pair": ["one", "two"]}),
    ],
)
def test_output_matches_the_function(capsys, show, args, options):
    content = read_json(capsys, *args, "--show", show)
    report = uncertainty.judging_curve(read("qrels", ["one", "two"], keep="documents"), **options)
    assert content["rows"] == report.table(show).frame.to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings


def test_known_judgments(capsys):
    content = read_json(capsys, "-m", "RBP(p=0.5)", "--known", "1", "--seed", "3")
    assert [row["judgments"] for row in content["rows"]] == [0, 0, 0, 1, 1, 1]
    settings = content["provenance"]["settings"]
    assert (settings["known"], settings["seed"]) == (1, 3)


def test_topics(capsys):
    content = read_json(capsys, "--topics", "2")
    report = uncertainty.judging_curve(read("qrels", ["one", "two"], keep="documents", topics=["2"]))
    assert content["rows"] == report.frame().to_dicts()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-m", "AP"], "measure 'AP': is not a weighted sum over ranks"),
        (["--known", "-1"], "--known must be a whole number of at least 0, got -1"),
        (
            ["--orders", "depht"],
            "--orders depht: choose from residual, depth, random, residual-weighted, score-weighted; did you mean",
        ),
        (
            ["--orders", "depth,depth"],
            "--orders: name at least one of residual, depth, random, residual-weighted, score-weighted",
        ),
        (["--steps", "x"], "--steps x: write whole numbers such as"),
        (["--pair", "one"], "argument --pair: expected 2 arguments"),
        (["--all-topics"], "unknown option --all-topics"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert text.startswith(f"assay: {message}")
    assert text.count("\n") == 1


def test_judgments_are_required(capsys):
    assert main(["uncertainty", "judging-curve", "none", "one"]) == 2
    assert capsys.readouterr().err.startswith("assay: none: no such file")
