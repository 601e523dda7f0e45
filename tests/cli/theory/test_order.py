"""Tests of ``assay theory order``."""

import json
from pathlib import Path

import pytest

from assay import read, theory
from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 2\n1 0 b 1\n2 0 a 1\n2 0 b 1\n")
    Path("low").write_text("1 Q0 b 1 2 low\n1 Q0 a 2 1 low\n2 Q0 a 1 2 low\n")
    Path("high").write_text("1 Q0 a 1 2 high\n1 Q0 b 2 1 high\n2 Q0 x 1 2 high\n2 Q0 a 2 1 high\n2 Q0 b 3 0 high\n")


def run_command(capsys, *args, code=0):
    assert main(["theory", "order", "qrels", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def read_json(capsys, *args):
    return json.loads(run_command(capsys, *args, "--format", "json"))


def read_counts(capsys, *args):
    """Return the numbers of topics on which run low is below, above, equal to and incomparable with run high."""
    [row] = read_json(capsys, "low", "high", "--show", "pairs", *args)["rows"]
    return [row[name] for name in ("below", "above", "equal", "incomparable")]


def test_default_is_a_matrix(capsys):
    lines = run_command(capsys, "low", "high").splitlines()
    assert [line.split() for line in (lines[0], *lines[2:4])] == [
        ["run", "low", "high"],
        ["low", "-", "0/1"],
        ["high", "1/0", "-"],
    ]
    assert run_command(capsys, "low", "high", "--matrix").splitlines() == lines


@pytest.mark.parametrize("show", ["matrix", "pairs", "runs", "check", "violations", "profile"])
def test_output_matches_the_function(capsys, show):
    args = ["-m", "AP", "AP*", "--depth", "2", "--unequal", "pad"]
    content = read_json(capsys, "low", "high", *args, "--show", show)
    report = theory.order(read("qrels", ["low", "high"]), ["AP", "AP*"], depth=2, unequal="pad")
    assert content["rows"] == report.table(show).frame.to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings


def test_unequal_lengths_are_incomparable_and_noted(capsys):
    Path("high").write_text("1 Q0 a 1 2 high\n1 Q0 b 2 1 high\n2 Q0 a 1 2 high\n2 Q0 b 2 1 high\n")
    assert read_counts(capsys) == [1, 0, 0, 1]
    assert read_counts(capsys, "--unequal", "pad") == [2, 0, 0, 0]
    for args in ([], ["--unequal", "pad"]):
        assert main(["theory", "order", "qrels", "low", "high", *args]) == 0
        assert "rankings of unequal length (1 of 2 comparisons: 1 run pair, 1 topic)" in capsys.readouterr().err
    [step] = read_json(capsys, "low", "high", "--chain", "2", "--unequal", "pad")["rows"]
    assert list(step.values()) == [1, "replacement", 2, None, 0, 1]


def test_sets_and_depth(capsys):
    assert read_counts(capsys, "--sets", "--depth", "1") == [1, 1, 0, 0]


def test_many_runs_are_summarized(capsys):
    for i in range(11):
        Path(f"r{i}").write_text(f"1 Q0 a 1 2 r{i}\n2 Q0 a 1 1 r{i}\n")
    assert run_command(capsys, *(f"r{i}" for i in range(11))).split()[:5] == [
        "run",
        "above",
        "below",
        "equal",
        "incomparable",
    ]


def test_contradicting_measures_are_reported(capsys):
    Path("qrels").write_text("1 0 a 1\n1 0 b 1\n")
    Path("low").write_text("1 Q0 a 1 3 low\n1 Q0 x 2 2 low\n1 Q0 y 3 1 low\n")
    Path("high").write_text("1 Q0 a 1 3 high\n1 Q0 x 2 2 high\n1 Q0 b 3 1 high\n")
    text = " ".join(run_command(capsys, "low", "high", "-m", "AP*").split())
    assert "Measures that contradict the order: AP*" in text
    [row] = read_json(capsys, "low", "high", "-m", "AP*", "--show", "violations")["rows"]
    assert [row[name] for name in ("measure", "topic", "lower", "higher", "rank")] == ["AP*", "1", "low", "high", 3]


def test_chain(capsys):
    content = read_json(capsys, "low", "high", "--chain", "1")
    assert [list(row.values()) for row in content["rows"]] == [[1, "swap", 1, 2, 1, 2]]
    assert content["provenance"]["settings"]["topic"] == "1"
    assert read_json(capsys, "high", "low", "--chain", "1")["rows"] == content["rows"]
    assert "from low up to high" in " ".join(run_command(capsys, "low", "high", "--chain", "1").split())


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--chain"], "--chain"),
        (["--chain", "2"], "low and high are of unequal length (1 and 3 documents) on topic 2"),
        (["--chain", "2", "--unequal", "pad"], "low and high are incomparable on topic 2"),
        (["--chain", "9"], "topic 9: the qrels have no such topic"),
        (["--chain", "1", "--show", "pairs"], "--chain cannot be combined with --show"),
        (["--chain", "1", "--sets"], "not defined for the set-based order"),
        (["--unequal", "fill"], "--unequal fill: choose one of incomparable, pad"),
        (["--show", "pair"], "--show pair: choose one of matrix, pairs"),
        (["--depth", "0"], "--depth must be a whole number of at least 1, got 0"),
        (["--ties", "expected"], "--ties expected: the comparison of rankings needs a single order of documents"),
        (["--set"], "unknown option --set; did you mean --sets?"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, "low", "high", *args, code=2)
    assert message in text
    assert text.count("\n") == 1


def test_order_needs_two_runs_and_a_chain_exactly_two(capsys):
    assert "need at least two runs" in run_command(capsys, "low", code=2)
    Path("third").write_text("1 Q0 a 1 2 third\n")
    assert "chain: need exactly two runs, got 3" in run_command(capsys, "low", "high", "third", "--chain", "1", code=2)


def test_sums_of_gains(capsys):
    Path("low").write_text("1 Q0 a 1 2 low\n1 Q0 x 2 1 low\n")
    Path("high").write_text("1 Q0 b 1 2 high\n1 Q0 c 2 1 high\n")
    Path("qrels").write_text("1 0 a 2\n1 0 b 1\n1 0 c 1\n")
    assert read_counts(capsys, "--sets") == [0, 0, 0, 1]
    assert read_counts(capsys, "--sets", "--gains", "identity") == [0, 0, 1, 0]
    assert read_counts(capsys, "--sets", "--gains", "1:1, 2:3") == [0, 1, 0, 0]
    assert read_counts(capsys, "--gains", "{1:3,2:4}") == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("gains", "message"),
    [
        ("1:x", "--gains '1:x': write grade:gain, such as 1:1,2:3"),
        ("indentity", "unknown gains indentity; choose from binary, identity"),
        ("1:2,2:1", "--gains {1:2,2:1}: need a ratio scale"),
    ],
)
def test_invalid_gains_raise(capsys, gains, message):
    assert message in run_command(capsys, "low", "high", "--gains", gains, code=2)
