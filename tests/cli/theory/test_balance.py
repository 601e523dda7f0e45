"""Tests of ``assay theory balance``."""

from __future__ import annotations

import json

import pytest

from assay.cli import main
from assay.theory import balance


def run_command(capsys, *args, code=0):
    assert main(["theory", "balance", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def read_json(capsys, *args):
    return json.loads(run_command(capsys, *args, "--format", "json"))


def test_default_table(capsys):
    assert main(["theory", "balance"]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0].split() == ["measure", *(f"n={n}" for n in (5, 10, 20, 50, 100, 200))]
    assert lines[2].split()[:2] == ["AP", "3"]
    assert captured.err.startswith("assay: note: AP, nDCG(base=2), nDCG(base=10): computed for a topic with")
    assert read_json(capsys)["rows"] == balance().frame().to_dicts()


def test_balancing_indices_of_the_paper(capsys):
    rows = read_json(capsys, "-m", "RBP(p=0.8)", "RBP(p=0.95)", "ERR", "-n", "1..200")["rows"]
    indices = {(row["measure"], row["n"]): row["balance"] for row in rows}
    assert len(rows) == len(indices) == 600
    assert indices["RBP(p=0.8)", 20] == 7
    assert {indices["RBP(p=0.8)", n] for n in range(21, 201)} == {8}
    assert indices["RBP(p=0.95)", 133] == 58
    assert {indices["RBP(p=0.95)", n] for n in range(134, 201)} == {59}
    assert {indices["ERR", n] for n in range(1, 201)} == {1}


def test_grades(capsys):
    assert run_command(capsys, "-m", "ERR", "-n", "50", "--qmax", "3").splitlines()[2].split() == ["ERR", "none"]
    assert read_json(capsys, "-m", "ERR", "-n", "50", "--qmax", "3")["rows"][0]["balance"] is None
    assert read_json(capsys, "-m", "CG", "-n", "5", "--qmin", "2", "--qmax", "3")["rows"][0]["balance"] == 4


def test_recall_base(capsys):
    args = ["-m", "RprecMult@0.5", "-n", "20"]
    assert read_json(capsys, *args)["rows"][0]["balance"] == 10
    content = read_json(capsys, *args, "--recall-base", "30")
    assert content["rows"][0]["balance"] == 15
    assert content["provenance"]["settings"]["topic"] == "30 documents of grade 1 and n - 1 of grade 0"
    assert read_json(capsys, *args, "--counts", "1:30")["rows"] == content["rows"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-n", "0"], "-n 0: numbers must be from 1"),
        (["-n", "1..x"], "-n 1..x: write whole numbers such as 10, 1..100 or 10,20,50"),
        (["-n", "9,5..3"], "-n 9,5..3: numbers must be from 1"),
        (["-n", "1..1000000000000"], "numbers must be from 1 to"),
        (["-m", "nope"], "there is no measure nope"),
        (["-m", "AP", "--qmin", "-1"], "--qmin must be a grade above 0, got -1"),
        (["-m", "AP", "-n", "10", "--recall-base", "3"], "rankings of 10 documents need 10 documents of grade 1"),
        (["--counts", "1"], "--counts '1': write grade:documents, such as 1:2,2:1"),
        (["--simulate"], "--simulate was replaced by assay theory trials"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert message in text
    assert text.count("\n") == 1


def test_pairs_of_grades(capsys):
    rows = read_json(capsys, "-m", "CG", "-n", "10", "--grades", "0,1,3")["rows"]
    assert [(row["qmin"], row["qmax"], row["balance"]) for row in rows] == [(1, 1, 10), (1, 3, 8), (3, 3, 10)]
