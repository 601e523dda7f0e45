"""Tests of ``assay effort`` agreement, contrasts, mean-curve and sensitivity."""

import json
import math
from pathlib import Path

import pytest

from assay import effort, read
from assay.cli import main


@pytest.fixture(autouse=True)
def _second_run(_files):
    Path("other").write_text("301 Q0 x 1 9 u\n301 Q0 c 2 8 u\n301 Q0 a 3 7 u\n302 Q0 e 1 9 u\n302 Q0 a 2 8 u\n")


def run_command(capsys, command, *args, code=0):
    assert main(["effort", command, "qrels", "run", "other", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def read_rows(capsys, command, *args):
    return json.loads(run_command(capsys, command, *args, "--format", "json"))["rows"]


def test_agreement(capsys):
    options = {"measures": ["AP", "P@2"], "test": "wilcoxon", "alpha": 0.5, "correction": "none"}
    rows = read_rows(
        capsys, "agreement", "-m", "AP", "P@2", "--test", "wilcoxon", "--alpha", "0.5", "--correction", "none"
    )
    assert rows == effort.agreement(read("qrels", ["run", "other"]), **options).frame().to_dicts()
    assert len(read_rows(capsys, "agreement", "-m", "AP", "--show", "quadrants")) == 10
    assert len(read_rows(capsys, "agreement", "-m", "AP", "--show", "pairs")) == 1


def test_contrasts(capsys):
    rows = read_rows(capsys, "contrasts", "-m", "P@2", "--max-gain", "0.5", "--min-effort", "0", "--most", "2")
    report = effort.contrasts(read("qrels", ["run", "other"]), "P@2", max_gain=0.5, min_effort=0, most=2)
    assert rows == report.frame().to_dicts()
    assert [row["topic"] for row in read_rows(capsys, "contrasts", "--show", "topics")] == ["301", "302", "303", "304"]


def test_mean_curve(capsys):
    rows = read_rows(capsys, "mean-curve", "--runs", "u", "--depth", "3", "--norm", "none", "--confidence", "0.9")
    report = effort.mean_curve(read("qrels", ["run", "other"]), runs="u", depth=3, norm="none", confidence=0.9)
    assert rows == report.frame().to_dicts()
    assert [row["run"] for row in read_rows(capsys, "mean-curve", "--show", "landmarks")] == ["t", "u"]


def test_sensitivity(capsys):
    rows = read_rows(capsys, "sensitivity", "--persistences", "1,0.9", "--weights", "none,exp", "--depth", "10")
    report = effort.sensitivity(
        read("qrels", ["run", "other"]), persistences=[1, 0.9], weights=["none", "exp"], depth=10
    )
    assert rows == report.frame().to_dicts()
    assert len(read_rows(capsys, "sensitivity", "--show", "runs", "--weights", "none", "-p", "1")) == 2


def test_ranges(capsys):
    rows = read_rows(capsys, "indicators", "--show", "ranges")
    expected = effort.indicators(read("qrels", ["run", "other"])).ranges().to_dicts()
    assert rows == [{name: "inf" if x == math.inf else x for name, x in row.items()} for row in expected]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["agreement", "--test", "x"], "--test x: choose one of bootstrap"),
        (["agreement", "--twist", "AP"], "not a measure of effort"),
        (["contrasts", "--max-gain", "-1"], "--max-gain must be a number of at least 0, got -1"),
        (["contrasts", "--min-effort", "much"], "--min-effort: write a number, not 'much'"),
        (["mean-curve", "--norm", "x"], "--norm x: choose one of R, none"),
        (["mean-curve", "--runs", "x"], "there is no run x"),
        (["mean-curve", "--confidence", "95"], "--confidence must lie between 0 and 1"),
        (["sensitivity", "--weights", "x"], "x"),
        (["sensitivity", "--persistences", "2"], "persistence must be"),
        (["sensitivity", "--ties", "expected"], "a curve needs an order"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert message in text
    assert text.count("\n") == 1
