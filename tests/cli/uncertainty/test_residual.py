"""Tests of ``assay uncertainty residual``."""

import json
from pathlib import Path

import pytest

from assay import read, uncertainty
from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n")
    Path("one").write_text("1 Q0 a 1 3 one\n1 Q0 x 2 2 one\n1 Q0 c 3 1 one\n2 Q0 a 1 1 one\n")
    Path("two").write_text("1 Q0 c 1 3 two\n1 Q0 b 2 2 two\n2 Q0 y 1 1 two\n")


def run_command(capsys, *args, code=0):
    assert main(["uncertainty", "residual", "qrels", "one", "two", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def read_json(capsys, *args):
    return json.loads(run_command(capsys, *args, "--format", "json"))


def interval(row):
    return row["lower"], row["upper"]


def test_table_against_depth(capsys):
    lines = run_command(capsys, "--pool-depth", "1", "-p", "0.5").splitlines()
    assert lines[0] == "one, pool of depth 1"
    assert lines[1].split() == ["depth", "p=0.5", "low", "p=0.5", "high"]
    assert lines[3].split() == ["1", "0.5000", "1.0000"]
    assert "one, all judgments" in lines


def test_table_against_p(capsys):
    lines = run_command(capsys, "--against", "p", "--runs", "two", "--topic", "1").splitlines()
    assert lines[0] == "two"
    assert lines[1].split() == ["p", "low", "high", "residual"]
    assert lines[7].split() == ["0.5", "0.5000", "0.7500", "0.2500"]


@pytest.mark.parametrize(
    ("args", "options"),
    [
        ([], {}),
        (["--against", "p"], {"against": "p"}),
        (["-p", "0.5,0.8", "--depths", "2..3", "--pools", "1,2"], {"p": [0.5, 0.8], "depths": [2, 3], "pools": [1, 2]}),
        (["--depth", "1", "--pool-depth", "1"], {"depths": 1, "pools": 1}),
        (["--gains", "unit", "--max-rel", "4", "--rel", "2"], {"gains": "unit", "max_rel": 4, "rel": 2}),
        (["--runs", "two,one", "--topics", "2,1"], {"runs": ["two", "one"], "topics": ["2", "1"]}),
        (["--runs", "two", "--runs", "one"], {"runs": ["two", "one"]}),
        (["--only", "two", "--topic", "1"], {"runs": ["two"], "topics": ["1"]}),
    ],
)
def test_output_matches_the_function(capsys, args, options):
    content = read_json(capsys, *args)
    report = uncertainty.residual(read("qrels", ["one", "two"], keep="judgments"), **options)
    assert content["rows"] == report.frame().to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings


def test_intervals_computed_by_hand(capsys):
    rows = read_json(capsys, "-p", "0.5", "--depths", "2..3", "--runs", "two")["rows"]
    assert [interval(row) for row in rows] == [(0.25, 0.875), (0.25, 0.875)]
    args = ["--against", "p", "-p", "0.5", "--topic", "1", "--runs", "one"]
    for options, expected in (
        (["--gains", "unit"], (0.375, 0.75)),
        (["--gains", "unit", "--max-rel", "4"], (0.1875, 0.5625)),
        (["--rel", "2"], (0.125, 0.5)),
    ):
        assert interval(read_json(capsys, *args, *options)["rows"][0]) == expected


def test_tie_policies_and_replaced_grades(capsys):
    Path("one").write_text("1 Q0 x 1 1 one\n1 Q0 a 2 1 one\n")
    args = ["-p", "0.5", "--depths", "1", "--topic", "1", "--runs", "one"]
    assert [interval(read_json(capsys, *args, "--ties", policy)["rows"][0]) for policy in ("rank", "score-id")] == [
        (0, 1),
        (0.5, 1),
    ]
    assert interval(read_json(capsys, *args, "--ties", "score-id", "--grades", "1=0")["rows"][0]) == (0, 0.5)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--against", "depths"], "--against depths: choose depth or p; did you mean depth?"),
        (["--runs", "tow"], "there is no run tow; did you mean two?"),
        (["--topics", "9"], "there is no topic 9"),
        (["--depths", "0"], "--depths 0: numbers must be from 1"),
        (["--pools", "x"], "--pools x: write whole numbers such as"),
        (["-p", "1"], "measure 'RBP': p must be below 1, got 1"),
        (["--gains", "big"], "measure 'RBP': unknown gains big"),
        (["--ties", "expected"], "--ties expected: depths cut through tied documents"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert text.startswith(f"assay: {message}")
    assert text.count("\n") == 1
