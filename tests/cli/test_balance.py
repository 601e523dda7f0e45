"""assay balance."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli import main
from assay.cli.balance import DEFAULT


def shown(capsys, *words, code=0):
    assert main(["balance", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def rows(text):
    return [line.split(",") for line in text.splitlines()]


def test_by_default(capsys):
    assert main(["balance"]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0].split() == ["measure", "n", "balance"]
    assert lines[2].split() == ["AP", "5", "3"]
    assert len(lines) == 2 + len(DEFAULT) * 6
    assert captured.err == (
        "assay: note: AP, nDCG(base=2), nDCG(base=10): for a topic with n documents of grade 1 and n - 1 of grade 0\n"
    )


def test_what_the_paper_says(capsys):
    text = shown(capsys, "-m", "RBP(p=0.8)", "RBP(p=0.95)", "ERR", "-n", "1..200", "--format", "csv")
    head, *body = rows(text)
    assert head == ["measure", "n", "balance"]
    found = {(name, int(n)): int(b) for name, n, b in csv_rows(text)}
    assert len(body) == len(found) == 600
    assert found["RBP(p=0.8)", 20] == 7
    assert {found["RBP(p=0.8)", n] for n in range(21, 201)} == {8}
    assert found["RBP(p=0.95)", 133] == 58
    assert {found["RBP(p=0.95)", n] for n in range(134, 201)} == {59}
    assert {found["ERR", n] for n in range(1, 201)} == {1}


def csv_rows(text):
    return rows(text)[1:]


def test_grades_and_recall_base(capsys):
    assert shown(capsys, "-m", "ERR", "-n", "50", "--qmax", "3").splitlines()[-1].split() == ["ERR", "50", "none"]
    assert csv_rows(shown(capsys, "-m", "CG", "-n", "5", "--qmin", "2", "--qmax", "3", "--format", "csv")) == [
        ["CG", "5", "4"]
    ]
    words = ["-m", "RprecMult@0.5", "-n", "20", "--format", "json"]
    default = json.loads(shown(capsys, *words))
    other = json.loads(shown(capsys, *words, "--recall-base", "30"))
    assert [default["rows"][0]["balance"], other["rows"][0]["balance"]] == [10, 15]
    assert other["provenance"]["balance"]["topic"] == "30 documents of grade 1 and n - 1 of grade 0"


def test_simulate(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["balance", "--simulate", "--trials", "30", "--seed", "1"]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0].split() == ["measure", "rank", "rejected", "first", "second", "difference"]
    assert lines[2].split()[:5] == ["RBP(p=0.8)", "0", "1.0000", "1.0000", "0.0000"]
    assert len(lines) == 2 + 21
    assert captured.err == "assay: note: RBP(p=0.8): balancing index 8 for n = 1000\n"
    words = ["-m", "P@5", "-n", "40", "--simulate", "--drawing", "bernoulli", "--topics", "9", "--alpha", "0.01"]
    words += ["--same", "10", "--first", "80,5%", "--second", "80,80", "--top", "12"]
    shown(capsys, *words, "--trials", "20", "-o", "trials.json")
    written = json.loads(Path("trials.json").read_text())
    assert written["provenance"]["trials"] == {
        "trials": 20, "topics": 9, "n": 40, "alpha": 0.01, "seed": 0,
        "drawing": "bernoulli", "same": 10, "first": [80, 5], "second": [80, 80], "top": 12,
    }  # fmt: skip
    assert len(written["rows"]) == 13


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-n", "0"], "-n 0: numbers go up from 1 to at most 100000, got 0"),
        (["-n", "1..x"], "-n 1..x: write whole numbers such as 10, 1..100 or 10,20,50"),
        (["-n", "1..2..3"], "-n 1..2..3: write whole numbers such as"),
        (["-n", "3,"], "-n 3,: write whole numbers such as"),
        (["-n", "9,5..3"], "-n 9,5..3: numbers go up from 1 to at most 100000, got 5..3"),
        (["-n", "1..1000000000000"], "numbers go up from 1 to at most 100000"),
        (["-m", "nope"], "there is no measure nope"),
        (["-m", "AP", "--qmin", "-1"], "qmin must be a grade above 0, got -1"),
        (["-m", "AP", "-n", "10", "--recall-base", "3"], "rankings of 10 documents need 10 of grade 1"),
        (["--trials", "5"], "--trials only goes with --simulate"),
        (["--seed", "0"], "--seed only goes with --simulate"),
        (["--simulate", "--qmax", "3"], "--qmax does not go with --simulate"),
        (["--simulate", "--recall-base", "3"], "--recall-base does not go with --simulate"),
        (["--simulate", "-n", "100,200"], "-n 100,200: name one length with --simulate, such as 1000"),
        (["--simulate", "--trials", "0"], "trials must be from 1"),
        (["--simulate", "--drawing", "coin"], "drawing 'coin': choose one of random-rounding, half-up, bernoulli"),
        (["--simulate", "--first", "70"], "--first 70: write two percentages, such as 70,10"),
        (["--simulate", "--second", "70,x"], "--second x: write numbers such as"),
        (["--simulate", "--same", "120"], "same must be a percentage from 0 to 100, got 120"),
        (["--top", "12"], "--top only goes with --simulate"),
    ],
)
def test_refused(capsys, words, message):
    text = shown(capsys, *words, code=2)
    assert message in text
    assert text.count("\n") == 1


def test_stopping_leaves_quietly(capsys, monkeypatch):
    import assay.theory.trials as module

    def stopped(*_words, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_statistic", stopped)
    assert main(["balance", "--simulate"]) == 130
    assert capsys.readouterr().out == ""


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom assay.cli import main\ntry: main(['balance', '--help'])\nexcept SystemExit: pass\n"
        "assert not {'numpy', 'polars', 'scipy'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0
