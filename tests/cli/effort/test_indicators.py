"""Tests of ``assay effort indicators``."""

import json

import pytest

from assay import effort, read
from assay.cli import main


def run_command(capsys, *args, code=0):
    assert main(["effort", "indicators", "qrels", "run", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def read_json(capsys, *args):
    return json.loads(run_command(capsys, *args, "--format", "json"))


def test_table_of_means(capsys):
    lines = run_command(capsys).splitlines()
    assert lines[0].split() == ["run", "rankings", "recovery", "forward", "backward", "space", "Twist"]
    assert [line.split()[0] for line in lines[2:4]] == ["t", "all"]


@pytest.mark.parametrize("show", ["means", "archetypes", "topics", "indicators"])
def test_output_matches_the_function(capsys, show):
    content = read_json(capsys, "--depth", "20", "--crossing", "literal", "--merge", "--show", show)
    report = effort.indicators(read("qrels", "run"), depth=20, crossing="literal", merge=True)
    json_values = {float("inf"): "inf", -float("inf"): "-inf"}  # JSON has no infinity
    rows = [
        {name: json_values.get(value, value) for name, value in row.items()}
        for row in report.table(show).frame.to_dicts()
    ]
    assert content["rows"] == rows
    assert content["provenance"]["settings"] == report.provenance.settings


def test_per_topic(capsys):
    assert run_command(capsys, "--per-topic") == run_command(capsys, "--show", "topics")
    lines = run_command(capsys, "--per-topic", "--format", "tsv").splitlines()
    assert lines[0].split("\t")[:9] == [
        "run", "topic", "r", "n", "rho", "sigma_plus", "sigma_minus", "sigma", "twist"
    ]  # fmt: skip
    assert len(lines) == 5
    assert read_json(capsys, "--per-topic")["rows"][3]["balance_point"] == "inf"


def test_merged_archetypes(capsys):
    archetypes = {row["archetype"] for row in read_json(capsys, "--show", "archetypes")["rows"]}
    merged_archetypes = {row["archetype"] for row in read_json(capsys, "--show", "archetypes", "--merge")["rows"]}
    assert "excellent A" in archetypes
    assert "excellent" in merged_archetypes


@pytest.mark.parametrize(
    "args",
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
def test_options_change_the_output(capsys, args):
    args = ["--per-topic", "--format", "csv", *args]
    assert run_command(capsys, *args) != run_command(capsys, *args[:3])


def test_default_options(capsys):
    args = ["--per-topic", "--format", "csv"]
    for default in (["--crossing", "strict"], ["--length", "extend"], ["--endpoint", "left"]):
        assert run_command(capsys, *args, *default) == run_command(capsys, *args)


@pytest.mark.parametrize(
    ("args", "message"),
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
        (["--indicators"], "--indicators was replaced by --show indicators"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert message in text
    assert text.count("\n") == 1


def test_old_command_points_to_the_new_one(capsys):
    assert main(["effort", "qrels", "run"]) == 2
    assert "assay effort indicators qrels run" in capsys.readouterr().err
