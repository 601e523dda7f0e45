"""Tests of ``assay meta power``."""

from __future__ import annotations

import json

import pytest

from assay import meta, read
from assay.cli import main
from campaign_cases import random_campaign, write_files


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(*random_campaign(1))


def run_command(capsys, *args, code=0):
    assert main(["meta", "power", "qrels.txt", "runs", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_table(capsys):
    text = run_command(capsys, "-m", "AP", "P@5", "--resamples", "50")
    lines = text.splitlines()
    assert lines[0].split() == ["measure", "pairs", "separated", "percent", "difference", "needed"]
    assert [line.split()[:2] for line in lines[2:4]] == [["AP", "15"], ["P@5", "15"]]
    assert "not corrected for multiple comparisons" in " ".join(text.split())


@pytest.mark.parametrize("test", ["bootstrap", "tukey-randomized"])
def test_output_matches_the_function(capsys, test):
    args = ["-m", "AP", "--test", test, "--resamples", "50", "--alpha", "0.2", "--seed", "3", "--best", "0.75"]
    expected = meta.power(read(*random_campaign(1)), "AP", test=test, resamples=50, alpha=0.2, seed=3, best=0.75)
    content = json.loads(run_command(capsys, *args, "--format", "json"))
    assert content["rows"] == expected.frame().to_dicts()
    assert content["provenance"]["settings"] == expected.provenance.settings
    pairs = json.loads(run_command(capsys, *args, "--show", "pairs", "--format", "json"))["rows"]
    assert pairs == expected.curves().to_dicts()


def test_defaults(capsys):
    content = json.loads(run_command(capsys, "--format", "json"))
    assert content["provenance"]["settings"]["resamples"] == 1000
    assert content["rows"] == meta.power(read(*random_campaign(1))).frame().to_dicts()


def test_help_names_the_tests_that_resample_and_the_measures(capsys):
    text = " ".join(run_command(capsys, "--help").split())
    assert "bootstrap or tukey-randomized (default: bootstrap)" in text
    assert "(default: AP, nDCG, nDCG@10, " in text


def test_too_few_resamples_are_noted(capsys):
    assert main(["meta", "power", "qrels.txt", "runs", "-m", "AP", "--resamples", "5"]) == 0
    assert "assay: note: 5 resamples are too few for alpha 0.05" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--test", "wilcoxon"], "--test wilcoxon: choose one of bootstrap, tukey-randomized"),
        (["--alpha", "1"], "--alpha must lie between 0 and 1, such as 0.05, got 1.0"),
        (["--resamples", "0"], "--resamples must be a whole number of at least 1, got 0"),
        (["--curve"], "--curve was replaced by --show pairs"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert text.startswith(f"assay: {message}")
    assert text.count("\n") == 1
