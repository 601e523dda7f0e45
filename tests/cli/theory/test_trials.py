"""Tests of ``assay theory trials``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.cli import main
from assay.theory import trials


def run_command(capsys, *args, code=0):
    assert main(["theory", "trials", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_table(capsys):
    text = run_command(capsys, "--trials", "30", "--seed", "1")
    lines = text.splitlines()
    assert " ".join(lines[0].split()) == "agree to rank significant first better second better mean difference"
    assert lines[2].split()[:4] == ["0", "1.0000", "1.0000", "0.0000"]
    assert [line.split()[0] for line in lines[2:23]] == [str(rank) for rank in range(21)]
    assert "balancing index for n = 1000 is 8" in " ".join(text.split())


def test_output_matches_the_function(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    args = ["-m", "P@5", "RR", "-n", "40", "--drawing", "bernoulli", "--topics", "9", "--alpha", "0.01", "--seed", "2"]
    args += ["--same", "10", "--first", "80,5%", "--second", "80,80", "--top", "12", "--trials", "20"]
    assert run_command(capsys, *args, "-o", "trials.json") == ""
    content = json.loads(Path("trials.json").read_text())
    settings = {
        "trials": 20, "topics": 9, "n": 40, "alpha": 0.01, "seed": 2,
        "drawing": "bernoulli", "same": 10, "first": [80, 5], "second": [80, 80], "top": 12,
    }  # fmt: skip
    assert content["provenance"]["settings"] == {"measures": ["P@5", "RR"], **settings}
    assert content["rows"] == trials(["P@5", "RR"], **settings).frame().to_dicts()
    assert len(content["rows"]) == 2 * 13


def test_help_names_the_default_measure(capsys):
    assert "(default: RBP(p=0.8))" in " ".join(run_command(capsys, "--help").split())


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-n", "100,200"], "write a whole number, not '100,200'"),
        (["-n", "20"], "-n must be from 21 to 100000, got 20"),
        (["--trials", "0"], "--trials must be from 1"),
        (["--drawing", "coin"], "--drawing coin: choose one of random-rounding, half-up, bernoulli"),
        (["--first", "70"], "--first 70: write two percentages, such as 70,10"),
        (["--second", "70,x"], "--second x: write numbers such as"),
        (["--same", "120"], "--same must be a percentage from 0 to 100, got 120"),
        (["--qmax", "3"], "unknown option --qmax"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert message in text
    assert text.count("\n") == 1


def test_interrupt_prints_no_output(capsys, monkeypatch):
    def interrupt(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.theory._trials._t_statistic", interrupt)
    assert main(["theory", "trials"]) == 130
    assert capsys.readouterr().out == ""
