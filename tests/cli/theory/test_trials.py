"""assay theory trials."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.cli import main
from assay.theory import trials


def shown(capsys, *words, code=0):
    assert main(["theory", "trials", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_a_table(capsys):
    text = shown(capsys, "--trials", "30", "--seed", "1")
    lines = text.splitlines()
    assert " ".join(lines[0].split()) == "agree to rank significant first better second better mean difference"
    assert lines[2].split()[:4] == ["0", "1.0000", "1.0000", "0.0000"]
    assert [line.split()[0] for line in lines[2:23]] == [str(rank) for rank in range(21)]
    assert "balancing index for n = 1000 is 8" in " ".join(text.split())


def test_what_the_function_gives(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["-m", "P@5", "RR", "-n", "40", "--drawing", "bernoulli", "--topics", "9", "--alpha", "0.01", "--seed", "2"]
    words += ["--same", "10", "--first", "80,5%", "--second", "80,80", "--top", "12", "--trials", "20"]
    assert shown(capsys, *words, "-o", "trials.json") == ""
    written = json.loads(Path("trials.json").read_text())
    settings = {
        "trials": 20, "topics": 9, "n": 40, "alpha": 0.01, "seed": 2,
        "drawing": "bernoulli", "same": 10, "first": [80, 5], "second": [80, 80], "top": 12,
    }  # fmt: skip
    assert written["provenance"]["settings"] == {"measures": ["P@5", "RR"], **settings}
    assert written["rows"] == trials(["P@5", "RR"], **settings).frame().to_dicts()
    assert len(written["rows"]) == 2 * 13


def test_help_tells_the_default_measure(capsys):
    assert "(default: RBP(p=0.8))" in " ".join(shown(capsys, "--help").split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-n", "100,200"], "write a whole number, not '100,200'"),
        (["-n", "20"], "-n must be from 21 to 100000, got 20"),
        (["--trials", "0"], "--trials must be from 1"),
        (["--drawing", "coin"], "--drawing coin: choose one of random-rounding, half-up, bernoulli"),
        (["--first", "70"], "--first 70: write two percentages, such as 70,10"),
        (["--second", "70,x"], "--second x: write numbers such as"),
        (["--same", "120"], "--same must be a percentage from 0 to 100, got 120"),
        (["--qmax", "3"], "there is no option --qmax"),
    ],
)
def test_refused(capsys, words, message):
    text = shown(capsys, *words, code=2)
    assert message in text
    assert text.count("\n") == 1


def test_stopping_leaves_quietly(capsys, monkeypatch):
    def stopped(*_words, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.theory._trials._t_statistic", stopped)
    assert main(["theory", "trials"]) == 130
    assert capsys.readouterr().out == ""
