"""assay effort against-gain."""

import json

import polars as pl
import pytest

from assay import effort, read
from assay.cli import main


def shown(capsys, *words, code=0):
    assert main(["effort", "against-gain", "qrels", "run", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def content(capsys, *words):
    return json.loads(shown(capsys, *words, "--format", "json"))


def test_a_grid_for_each_measure(capsys):
    lines = shown(capsys, "-m", "AP", "P@5").splitlines()
    assert lines[0] == "AP"
    assert lines[1].split()[:2] == ["gain", "values"]
    assert [line.split()[0] for line in lines[3:7]] == ["huge", "high", "medium", "low"]
    assert "P@5" in lines


@pytest.mark.parametrize("show", ["grid", "cells", "classes", "runs", "run-grids", "points"])
def test_what_the_function_gives(capsys, show):
    found = content(capsys, "-m", "AP", "P@5", "--show", show)
    report = effort.against_gain(read("qrels", "run"), ["AP", "P@5"])
    assert found["rows"] == report.table(show).frame.to_dicts()
    assert found["provenance"]["settings"] == report.provenance.settings


def test_defaults_and_the_form_of_twist(capsys):
    assert content(capsys)["rows"] == effort.against_gain(read("qrels", "run")).frame().to_dicts()
    points = content(capsys, "-m", "AP", "--twist", "Twist(crossing=literal)@2", "--show", "points")["rows"]
    report = effort.against_gain(read("qrels", "run"), "AP", twist="Twist(crossing=literal)@2")
    assert points == report.points().to_dicts()


def test_points_as_parquet(capsys):
    shown(capsys, "-m", "AP", "--show", "points", "-o", "points.parquet")
    assert pl.read_parquet("points.parquet").columns[:3] == ["run", "topic", "measure"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "nope"], "there is no measure nope"),
        (["--twist", "AP"], "does not measure effort; use Twist"),
        (["--show", "cell"], "--show cell: choose one of grid, cells, classes, runs, run-grids, points; did you mean"),
        (["--per-run"], "--per-run is now: --show runs"),
    ],
)
def test_refused(capsys, words, message):
    text = shown(capsys, *words, code=2)
    assert message in text
    assert text.count("\n") == 1


def test_the_old_command_says_where_it_went(capsys):
    assert main(["effort-gain", "qrels", "run"]) == 2
    assert "assay effort against-gain" in capsys.readouterr().err
