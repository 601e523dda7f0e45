"""assay order."""

from pathlib import Path

import pytest

from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 2\n1 0 b 1\n2 0 a 1\n2 0 b 1\n")
    Path("low").write_text("1 Q0 b 1 2 low\n1 Q0 a 2 1 low\n2 Q0 a 1 2 low\n")
    Path("high").write_text("1 Q0 a 1 2 high\n1 Q0 b 2 1 high\n2 Q0 x 1 2 high\n2 Q0 a 2 1 high\n2 Q0 b 3 0 high\n")


def shown(capsys, *words, code=0):
    assert main(["order", "qrels", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_pairs(capsys):
    assert shown(capsys, "low", "high").splitlines()[2].split() == ["low", "high", "1", "0", "0", "1"]


def test_unequal_lengths_are_incomparable_and_a_note_says_so(capsys):
    Path("high").write_text("1 Q0 a 1 2 high\n1 Q0 b 2 1 high\n2 Q0 a 1 2 high\n2 Q0 b 2 1 high\n")
    assert main(["order", "qrels", "low", "high"]) == 0
    strict = capsys.readouterr()
    assert strict.out.splitlines()[2].split() == ["low", "high", "1", "0", "0", "1"]
    assert "1 of 2 comparisons (1 run pair, 1 topic) are of rankings of unequal length" in strict.err
    assert main(["order", "qrels", "low", "high", "--unequal", "pad"]) == 0
    padded = capsys.readouterr()
    assert padded.out.splitlines()[2].split() == ["low", "high", "2", "0", "0", "0"]
    assert "1 of 2 comparisons" in padded.err
    steps = shown(capsys, "low", "high", "--chain", "--topic", "2", "--unequal", "pad")
    assert steps.splitlines()[2].split() == ["1", "replacement", "2", "-", "0", "1"]


@pytest.mark.parametrize(
    ("what", "columns"),
    [
        ("summary", "run below above equal incomparable comparable"),
        ("pairs", "run other below above equal incomparable"),
        ("matrix", "run low high"),
        ("check", "measure comparable violations measurement"),
        ("violations", "measure topic lower higher rank value_lower value_higher"),
        ("profile", "measure other incomparable agree disagree undecided"),
    ],
)
def test_show(capsys, what, columns):
    assert shown(capsys, "low", "high", "--show", what).splitlines()[0].split() == columns.split()


def test_many_runs_are_summed_up(capsys):
    for i in range(11):
        Path(f"r{i}").write_text(f"1 Q0 a 1 2 r{i}\n2 Q0 a 1 1 r{i}\n")
    lines = shown(capsys, *(f"r{i}" for i in range(11))).splitlines()
    assert lines[0].split()[-1] == "comparable"
    assert len(lines) == 2 + 12


def test_contradictions_are_said(capsys):
    Path("qrels").write_text("1 0 a 1\n1 0 b 1\n")
    Path("low").write_text("1 Q0 a 1 3 low\n1 Q0 x 2 2 low\n1 Q0 y 3 1 low\n")
    Path("high").write_text("1 Q0 a 1 3 high\n1 Q0 x 2 2 high\n1 Q0 b 3 1 high\n")
    assert main(["order", "qrels", "low", "high", "-m", "AP*"]) == 0
    note = "AP* contradicts the order 1 times, first on topic 1: low is below high, from rank 3 on"
    assert note in capsys.readouterr().err


def test_chain(capsys):
    expected = shown(capsys, "low", "high", "--chain", "--topic", "1")
    assert expected.splitlines()[2].split() == ["1", "swap", "1", "2", "1", "2"]
    assert shown(capsys, "high", "low", "--chain", "--topic", "1") == expected
    assert (
        shown(capsys, "low", "high", "--set", "--depth", "1", "--format", "csv").splitlines()[1] == "low,high,1,1,0,0"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["low", "high", "--chain"], "--chain and --topic go together"),
        (["low", "high", "--topic", "1"], "--chain and --topic go together"),
        (
            ["low", "high", "--chain", "--topic", "2"],
            "low and high are of unequal length (1 and 3 documents) on topic 2",
        ),
        (["low", "high", "--chain", "--topic", "2", "--unequal", "pad"], "low and high are incomparable on topic 2"),
        (["low", "high", "--unequal", "fill"], "--unequal fill: choose one of incomparable, pad"),
        (["low", "high", "--chain", "--topic", "9"], "--topic 9: the qrels have no such topic"),
        (["low", "high", "--show", "pair"], "--show pair: choose one of summary, pairs"),
        (["low", "high", "--depth", "0"], "--depth must be at least 1, got 0"),
        (["low"], "need at least two runs"),
    ],
)
def test_refused(capsys, words, message):
    assert message in shown(capsys, *words, code=2)


def test_a_chain_is_between_two_runs(capsys):
    Path("third").write_text("1 Q0 a 1 2 third\n")
    assert "--chain: name two runs, not 3" in shown(capsys, "low", "high", "third", "--chain", "--topic", "1", code=2)
