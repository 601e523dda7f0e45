"""assay significance-counts."""

from __future__ import annotations

import json

import pytest

from assay import read
from assay.cli import main
from assay.meta.significance_counts import significance_counts
from campaign_cases import campaign, written


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(*campaign(1, topics=12))


def shown(capsys, *words, code=0):
    assert main(["significance-counts", "qrels.txt", "runs", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_a_table_as_in_the_paper(capsys):
    lines = shown(capsys, "-m", "AP", "P@5").splitlines()
    assert lines[0] == "measure  pairs  t 95%  t 99%  wilcoxon 95%  wilcoxon 99%"
    counts = significance_counts(read(*campaign(1, topics=12)), ["AP", "P@5"]).counts()
    expected = [["AP", "15", *map(str, counts[0].ravel())], ["P@5", "15", *map(str, counts[1].ravel())]]
    assert [line.split() for line in lines[2:4]] == expected
    assert "not corrected" in lines[4]


def test_what_the_function_gives(capsys):
    words = ["-m", "AP", "--tests", "sign, bootstrap", "--levels", "0.1,0.001", "--resamples", "50", "--seed", "3"]
    settings = {"tests": ["sign", "bootstrap"], "levels": [0.1, 0.001], "resamples": 50, "seed": 3, "best": 0.75}
    expected = significance_counts(read(*campaign(1, topics=12)), "AP", **settings)
    content = json.loads(shown(capsys, *words, "--best", "0.75", "--format", "json"))
    assert content["rows"] == expected.frame().to_dicts()
    assert content["provenance"]["significance_counts"] == expected.provenance["significance_counts"]
    each = json.loads(shown(capsys, *words, "--best", "0.75", "--each", "--format", "json"))["rows"]
    assert each == expected.each().to_dicts()
    assert "bootstrap 99.9%" in shown(capsys, *words)


def test_defaults_are_those_of_the_paper(capsys):
    assert [line.split()[0] for line in shown(capsys).splitlines()[2:-1]] == [
        "RR", "P@10", "Rprec", "AP", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "nDCG"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tests", "z"], "test 'z': choose one of bootstrap, "),
        (["--tests", "t,t"], "tests: t is named twice"),
        (["--levels", "95"], "levels must lie between 0 and 1, such as 0.05, got 95.0"),
    ],
)
def test_refused(capsys, words, message):
    assert shown(capsys, *words, code=2).startswith(f"assay: {message}")
