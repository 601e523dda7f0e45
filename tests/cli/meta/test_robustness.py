"""Tests of ``assay meta robustness``."""

from __future__ import annotations

import json

import polars as pl
import pytest

from assay import meta, read
from assay.cli import main
from campaign_cases import random_campaign, write_files


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(*random_campaign(1))


def run_command(capsys, *args, code=0):
    assert main(["meta", "robustness", "qrels.txt", "runs", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_table(capsys):
    lines = run_command(capsys, "-m", "AP", "P@5", "--ratios", "70%,30", "--seeds", "3").splitlines()
    assert lines[0].split() == ["measure", "70", "%", "30", "%"]
    assert [line.split()[0] for line in lines[2:4]] == ["AP", "P@5"]


@pytest.mark.parametrize("show", ["means", "seeds", "pools"])
def test_output_matches_the_function(capsys, show):
    args = ["-m", "AP", "--ratios", "50", "--ratios", "12.5", "--seeds", "2", "--seed", "4", "--best", "75%"]
    content = json.loads(run_command(capsys, *args, "--show", show, "--format", "json"))
    options = {"ratios": [50, 12.5], "seeds": 2, "seed": 4, "best": 0.75}
    expected = meta.robustness(read(*random_campaign(1), seed=4), "AP", **options)
    assert content["rows"] == expected.table(show).frame.to_dicts()
    assert content["provenance"]["settings"] == expected.provenance.settings


def test_defaults(capsys):
    frame = pl.read_csv(run_command(capsys, "--format", "csv").encode())
    assert frame["ratio"].unique(maintain_order=True).to_list() == [90, 70, 50, 30, 10]
    assert frame["seeds"].to_list() == [10] * len(frame)
    assert frame["measure"].unique(maintain_order=True).to_list() == [
        "AP", "P@10", "bpref", "nDCG", "RBP(p=0.8)", "Twist"
    ]  # fmt: skip


def test_ratio_of_100_percent_is_noted(capsys):
    assert main(["meta", "robustness", "qrels.txt", "runs", "-m", "AP", "--ratios", "50,100", "--seeds", "1"]) == 0
    assert "assay: note: samples of 100 % keep all judgments" in capsys.readouterr().err


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    for name in ("one.parquet", "two.parquet"):
        assert main(["meta", "robustness", "qrels.txt", "runs", "-m", "AP", "--show", "seeds", "-o", name]) == 0
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--show", "seed"], "--show seed: choose one of means, seeds, pools; did you mean seeds?"),
        (["--ratios", "0.9"], "ratios are percentages from 1 to 100, such as 90, got 0.9"),
        (["--ratios", "x"], "--ratios x: write numbers such as 50 or 90,70,50"),
        (["--seeds", "0"], "--seeds must be a whole number of at least 1, got 0"),
        (["--best", "three"], "--best three: write a fraction of the runs, such as 75% or 0.75"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert text.startswith(f"assay: {message}")
    assert text.count("\n") == 1
