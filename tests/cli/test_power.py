"""assay power."""

from __future__ import annotations

import json

import pytest

from assay import read
from assay.cli import main
from assay.meta.power import discriminative_power
from campaign_cases import campaign, written


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(*campaign(1))


def shown(capsys, *words, code=0):
    assert main(["power", "qrels.txt", "runs", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_a_table(capsys):
    lines = shown(capsys, "-m", "AP", "P@5", "--resamples", "50").splitlines()
    assert lines[0].split() == ["measure", "test", "pairs", "dp", "delta"]
    assert [line.split()[:3] for line in lines[2:4]] == [["AP", "bootstrap", "15"], ["P@5", "bootstrap", "15"]]
    assert "not corrected" in lines[4]


@pytest.mark.parametrize("test", ["bootstrap", "tukey-randomized"])
def test_what_the_function_gives(capsys, test):
    words = ["-m", "AP", "--test", test, "--resamples", "50", "--alpha", "0.2", "--seed", "3", "--best", "0.75"]
    expected = discriminative_power(read(*campaign(1)), "AP", test=test, resamples=50, alpha=0.2, seed=3, best=0.75)
    content = json.loads(shown(capsys, *words, "--format", "json"))
    assert content["rows"] == expected.frame().to_dicts()
    assert content["provenance"]["power"] == expected.provenance["power"]
    assert json.loads(shown(capsys, *words, "--curve", "--format", "json"))["rows"] == expected.curves().to_dicts()


def test_defaults(capsys):
    rows = json.loads(shown(capsys, "--format", "json"))
    assert rows["provenance"]["power"]["resamples"] == 1000
    assert len(rows["rows"]) == 9


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--test", "wilcoxon"], "test 'wilcoxon': choose one of bootstrap, tukey-randomized"),
        (["--alpha", "1"], "alpha must lie between 0 and 1, such as 0.05, got 1.0"),
        (["--resamples", "0"], "resamples must be a whole number of at least 1, got 0"),
    ],
)
def test_refused(capsys, words, message):
    assert shown(capsys, *words, code=2).startswith(f"assay: {message}")
