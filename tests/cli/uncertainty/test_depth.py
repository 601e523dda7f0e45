"""Tests of ``assay uncertainty depth``."""

import json

import pytest

from assay import uncertainty
from assay.cli import main


def run_command(capsys, *args, code=0):
    assert main(["uncertainty", "depth", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def read_json(capsys, *args):
    return json.loads(run_command(capsys, *args, "--format", "json"))


def test_default_table(capsys):
    lines = [line.split() for line in run_command(capsys).splitlines()]
    assert lines[0] == ["p", "accuracy", "depth", "documents", "seen"]
    assert lines[2:5] == [
        ["0.5", "0.0001", "14", "2.0"],
        ["0.8", "0.0001", "42", "5.0"],
        ["0.95", "0.0001", "180", "20.0"],
    ]


@pytest.mark.parametrize(
    ("args", "options"),
    [
        ([], {}),
        (["-p", "0.8", "--accuracy", "1e-4"], {"p": 0.8, "accuracy": 1e-4}),
        (["-p", "0.5", "-p", "0.8", "--accuracy", "0.01,0.001"], {"p": [0.5, 0.8], "accuracy": [0.01, 0.001]}),
        (["--depth", "100", "--accuracy", "1e-4"], {"depth": 100, "accuracy": 1e-4}),
        (["--depth", "100"], {"depth": 100}),
        (["-p", "0.8", "--depth", "19..21"], {"p": 0.8, "depth": [19, 20, 21]}),
        (["--persistence", "0.8", "-k", "5,3"], {"p": 0.8, "depth": [5, 3]}),
    ],
)
def test_output_matches_the_function(capsys, args, options):
    content, report = read_json(capsys, *args), uncertainty.depth(**options)
    assert content["rows"] == report.frame().to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings


def test_largest_persistence_for_a_depth(capsys):
    assert main(["uncertainty", "depth", "--depth", "100"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[2].split()[:3] == ["0.912", "0.0001", "100"]
    assert captured.err.startswith("assay: note: persistences must be below the computed p")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-p", "1"], "-p must be a persistence of at least 0 and below 1, got 1.0"),
        (["-p", "x"], "-p x: write numbers such as 0.8 or 0.5,0.8,0.95"),
        (["-p", "nan"], "-p nan: write numbers such as"),
        (["--accuracy", "2"], "the accuracy must be above 0 and below 1, such as 0.0001, got 2.0"),
        (["--accuracy", "small"], "--accuracy small: write numbers such as 0.01 or 0.01,1e-4"),
        (["--depth", "0"], "--depth 0: numbers must be from 1 to 1000000, and ranges must ascend, got 0"),
        (["--depth", "1..x"], "--depth 1..x: write whole numbers such as 10, 1..100 or 10,20,50"),
        (["-p", "0.5", "--depth", "3", "--accuracy", "0.1"], "p, accuracy and depth: give at most two of the three"),
        (["qrels"], "too many arguments: qrels"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert text.startswith(f"assay: {message}")
    assert text.count("\n") == 1
