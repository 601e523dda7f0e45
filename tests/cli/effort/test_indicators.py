"""assay effort indicators."""

import json

import pytest

from assay import effort, read
from assay.cli import main


def shown(capsys, *words, code=0):
    assert main(["effort", "indicators", "qrels", "run", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def content(capsys, *words):
    return json.loads(shown(capsys, *words, "--format", "json"))


def test_means(capsys):
    lines = shown(capsys).splitlines()
    assert lines[0].split() == ["run", "rankings", "recovery", "forward", "backward", "space", "Twist"]
    assert [line.split()[0] for line in lines[2:4]] == ["t", "all"]


@pytest.mark.parametrize("show", ["means", "archetypes", "topics", "indicators"])
def test_what_the_function_gives(capsys, show):
    found = content(capsys, "--depth", "20", "--crossing", "literal", "--merge", "--show", show)
    report = effort.indicators(read("qrels", "run"), depth=20, crossing="literal", merge=True)
    written = {float("inf"): "inf", -float("inf"): "-inf"}  # JSON has no infinity
    rows = [{name: written.get(one, one) for name, one in row.items()} for row in report.table(show).frame.to_dicts()]
    assert found["rows"] == rows
    assert found["provenance"]["settings"] == report.provenance.settings


def test_per_topic(capsys):
    assert shown(capsys, "--per-topic") == shown(capsys, "--show", "topics")
    lines = shown(capsys, "--per-topic", "--format", "tsv").splitlines()
    assert lines[0].split("\t")[:9] == [
        "run", "topic", "r", "n", "rho", "sigma_plus", "sigma_minus", "sigma", "twist"
    ]  # fmt: skip
    assert len(lines) == 5
    assert content(capsys, "--per-topic")["rows"][3]["balance_point"] == "inf"


def test_merged_archetypes(capsys):
    kinds = {row["archetype"] for row in content(capsys, "--show", "archetypes")["rows"]}
    merged = {row["archetype"] for row in content(capsys, "--show", "archetypes", "--merge")["rows"]}
    assert "excellent A" in kinds
    assert "excellent" in merged


@pytest.mark.parametrize(
    "words",
    [
        ["--depth", "20"],
        ["--grades", "4=1,2=1"],
        ["--weights", "exp"],
        ["--persistence", "0.5"],
        ["--endpoint", "right"],
        ["--undefined", "exclude"],
        ["--missing", "exclude", "--undefined", "exclude"],
        ["--topics", "301,302"],
        ["--rel", "2"],
    ],
)
def test_options_matter(capsys, words):
    words = ["--per-topic", "--format", "csv", *words]
    assert shown(capsys, *words) != shown(capsys, *words[:3])


def test_defaults(capsys):
    words = ["--per-topic", "--format", "csv"]
    for same in (["--crossing", "strict"], ["--length", "extend"], ["--endpoint", "left"]):
        assert shown(capsys, *words, *same) == shown(capsys, *words)


def test_what_makes_twist_discontinuous_is_noted(capsys):
    assert main(["effort", "indicators", "qrels", "run", "--weights", "negative"]) == 0
    assert "weights and persistence make rho discontinuous" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ties", "expected"], "--ties expected: a curve needs an order"),
        (["--grades", "x"], "--grades 'x': write grade=grade, such as 4=3,-2=0"),
        (["--grades", "9=1"], "qrels: has no grade 9; it has 0 1 2 4"),
        (["--length", "error", "--depth", "4"], "a topic has 3 relevant documents and needs rankings of 6 documents"),
        (["--crossing", "x"], "--crossing x: choose one of strict, literal, matters"),
        (["--endpoint", "x"], "--endpoint x: choose one of left, right"),
        (["--length", "extent"], "--length extent: choose one of extend, error, asis; did you mean extend?"),
        (["--depth", "0"], "--depth must be a whole number of at least 1, got 0"),
        (["--persistence", "2"], "--persistence must be above 0 and at most 1, got 2"),
        (["--weights", "x"], "unknown gains x"),
        (["--rel", "9"], "no grade in the qrels reaches --rel 9"),
        (["--indicators"], "--indicators is now: --show indicators"),
    ],
)
def test_refused(capsys, words, message):
    text = shown(capsys, *words, code=2)
    assert message in text
    assert text.count("\n") == 1


def test_the_old_command_says_where_it_went(capsys):
    assert main(["effort", "qrels", "run"]) == 2
    assert "assay effort indicators qrels run" in capsys.readouterr().err
