"""Tests of ``assay meta significance-counts``."""

from __future__ import annotations

import json

import pytest

from assay import meta, read
from assay.cli import main
from campaign_cases import random_campaign, write_files


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(*random_campaign(1, topics=12))


def run_command(capsys, *args, code=0):
    assert main(["meta", "significance-counts", "qrels.txt", "runs", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_table_as_in_the_paper(capsys):
    text = run_command(capsys, "-m", "AP", "P@5")
    lines = text.splitlines()
    assert " ".join(lines[0].split()) == "measure pairs t < 0.05 t < 0.01 wilcoxon < 0.05 wilcoxon < 0.01"
    counts = meta.significance_counts(read(*random_campaign(1, topics=12)), ["AP", "P@5"]).counts()
    expected = [["AP", "15", *map(str, counts[0].ravel())], ["P@5", "15", *map(str, counts[1].ravel())]]
    assert [line.split() for line in lines[2:4]] == expected
    assert "not corrected for multiple comparisons" in " ".join(text.split())


@pytest.mark.parametrize("show", ["counts", "pairs"])
def test_output_matches_the_function(capsys, show):
    args = ["-m", "AP", "--tests", "sign, bootstrap", "--levels", "0.1,0.001", "--resamples", "50", "--seed", "3"]
    settings = {"tests": ["sign", "bootstrap"], "levels": [0.1, 0.001], "resamples": 50, "seed": 3, "best": 0.75}
    expected = meta.significance_counts(read(*random_campaign(1, topics=12)), "AP", **settings)
    content = json.loads(run_command(capsys, *args, "--best", "0.75", "--show", show, "--format", "json"))
    assert content["rows"] == expected.table(show).frame.to_dicts()
    assert content["provenance"]["settings"] == expected.provenance.settings


def test_tests_and_levels_have_short_names(capsys):
    expected = run_command(capsys, "-m", "AP", "--tests", "t,sign", "--levels", "0.1")
    assert run_command(capsys, "-m", "AP", "--test", "t", "--test", "sign", "--alpha", "0.1") == expected
    assert "sign < 0.1" in expected


def test_defaults_are_those_of_the_paper(capsys):
    rows = json.loads(run_command(capsys, "--format", "json"))["rows"]
    assert list(dict.fromkeys(row["measure"] for row in rows)) == [
        "RR", "P@10", "Rprec", "AP", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "nDCG"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--tests", "z"], "--tests z: choose one of bootstrap, "),
        (["--tests", "t,t"], "--tests: duplicate test t"),
        (["--levels", "95"], "--levels must lie between 0 and 1, such as 0.05, got 95.0"),
        (["--resamples", "50"], "--resamples: not used by t and wilcoxon; omit it"),
        (["--each"], "--each was replaced by --show pairs"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert text.startswith(f"assay: {message}")
    assert text.count("\n") == 1
