"""Tests of ``assay effort against-gain``."""

import json

import polars as pl
import pytest

from assay import effort, read
from assay.cli import main


def run_command(capsys, *args, code=0):
    assert main(["effort", "against-gain", "qrels", "run", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def read_json(capsys, *args):
    return json.loads(run_command(capsys, *args, "--format", "json"))


def test_one_grid_per_measure(capsys):
    lines = run_command(capsys, "-m", "AP", "P@5").splitlines()
    assert lines[0] == "AP"
    assert lines[1].split()[:2] == ["gain", "values"]
    assert [line.split()[0] for line in lines[3:7]] == ["huge", "high", "medium", "low"]
    assert "P@5" in lines


@pytest.mark.parametrize("show", ["grid", "cells", "classes", "runs", "run-grids", "points"])
def test_output_matches_the_function(capsys, show):
    content = read_json(capsys, "-m", "AP", "P@5", "--show", show)
    report = effort.against_gain(read("qrels", "run"), ["AP", "P@5"])
    assert content["rows"] == report.table(show).frame.to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings


def test_defaults_and_twist_option(capsys):
    assert read_json(capsys)["rows"] == effort.against_gain(read("qrels", "run")).frame().to_dicts()
    points = read_json(capsys, "-m", "AP", "--twist", "Twist(crossing=literal)@2", "--show", "points")["rows"]
    report = effort.against_gain(read("qrels", "run"), "AP", twist="Twist(crossing=literal)@2")
    assert points == report.points().to_dicts()


def test_points_are_written_as_parquet(capsys):
    run_command(capsys, "-m", "AP", "--show", "points", "-o", "points.parquet")
    assert pl.read_parquet("points.parquet").columns[:3] == ["run", "topic", "measure"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-m", "nope"], "there is no measure nope"),
        (["--twist", "AP"], "not a measure of effort; use Twist"),
        (["--show", "cell"], "--show cell: choose one of grid, cells, classes, runs, run-grids, points; did you mean"),
        (["--per-run"], "--per-run was replaced by --show runs"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert message in text
    assert text.count("\n") == 1


def test_old_command_points_to_the_new_one(capsys):
    assert main(["effort-gain", "qrels", "run"]) == 2
    assert "assay effort against-gain" in capsys.readouterr().err
