"""assay uncertainty depth."""

import json

import pytest

from assay import uncertainty
from assay.cli import main


def shown(capsys, *words, code=0):
    assert main(["uncertainty", "depth", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def content(capsys, *words):
    return json.loads(shown(capsys, *words, "--format", "json"))


def test_by_default(capsys):
    lines = [line.split() for line in shown(capsys).splitlines()]
    assert lines[0] == ["p", "accuracy", "depth", "documents", "seen"]
    assert lines[2:5] == [
        ["0.5", "0.0001", "14", "2.0"],
        ["0.8", "0.0001", "42", "5.0"],
        ["0.95", "0.0001", "180", "20.0"],
    ]


@pytest.mark.parametrize(
    ("words", "given"),
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
def test_what_the_function_gives(capsys, words, given):
    found, report = content(capsys, *words), uncertainty.depth(**given)
    assert found["rows"] == report.frame().to_dicts()
    assert found["provenance"]["settings"] == report.provenance.settings


def test_a_largest_persistence_is_not_reached(capsys):
    assert main(["uncertainty", "depth", "--depth", "100"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[2].split()[:3] == ["0.912", "0.0001", "100"]
    assert captured.err.startswith("assay: note: p: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-p", "1"], "-p must be a persistence of at least 0 and below 1, got 1.0"),
        (["-p", "x"], "--p x: write numbers such as 0.8 or 0.5,0.8,0.95"),
        (["-p", "nan"], "--p nan: write numbers such as"),
        (["--accuracy", "2"], "the accuracy must be above 0 and below 1, such as 0.0001, got 2.0"),
        (["--accuracy", "small"], "--accuracy small: write numbers such as 0.01 or 0.01,1e-4"),
        (["--depth", "0"], "--depth 0: numbers must be from 1 to 1000000, ranges ascending, got 0"),
        (["--depth", "1..x"], "--depth 1..x: write whole numbers such as 10, 1..100 or 10,20,50"),
        (["-p", "0.5", "--depth", "3", "--accuracy", "0.1"], "p, accuracy and depth: give at most two of the three"),
        (["qrels"], "too many arguments: qrels"),
    ],
)
def test_refused(capsys, words, message):
    text = shown(capsys, *words, code=2)
    assert text.startswith(f"assay: {message}")
    assert text.count("\n") == 1
