"""assay rbo."""

import json
from pathlib import Path

import pytest

from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("one").write_text("1 Q0 a 1 3 one\n1 Q0 b 2 2 one\n1 Q0 c 3 1 one\n2 Q0 a 1 1 one\n")
    Path("two").write_text("1 Q0 b 1 3 two\n1 Q0 a 2 2 two\n1 Q0 d 3 1 two\n2 Q0 a 1 1 two\n")
    Path("three").write_text("1 Q0 a 1 3 three\n1 Q0 b 2 3 three\n1 Q0 c 3 3 three\n")


def shown(capsys, *words, code=0):
    assert main(["rbo", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_two_runs(capsys):
    lines = shown(capsys, "one", "two", "-p", "0.8").splitlines()
    columns = "run_a run_b rbo min max residual tau tau_ap overlap depth_a depth_b"
    assert " ".join(lines[0].split()) == columns
    assert lines[2].split()[:3] == ["one", "two", "0.7933"]


def test_options_are_passed_on(capsys):
    words = ["-p", "0.5", "-k", "2", "--tied", "a", "--topics", "intersection", "--first", "--lenient", "--per-topic"]
    told = json.loads(shown(capsys, "one", "two", "three", *words, "--format", "json"))
    assert told["provenance"]["policies"]["tied"] == "a"
    assert (told["provenance"]["p"], told["provenance"]["depth"]) == (0.5, 2)
    assert [(row["run_a"], row["run_b"], row["topic"]) for row in told["rows"]] == [
        ("one", "two", "1"),
        ("one", "two", "2"),
        ("one", "two", "all"),
        ("one", "three", "1"),
        ("one", "three", "all"),
    ]
    assert told["rows"][3]["depth_b"] == 3
    by_line = json.loads(shown(capsys, "one", "three", "--ties", "file", "--format", "json"))
    assert by_line["provenance"]["policies"]["ties"] == "file"


def test_matrix(capsys):
    lines = shown(capsys, "one", "two", "three", "--matrix", "--show", "tau").splitlines()
    assert lines[0].split() == ["run", "one", "two", "three"]
    assert lines[3].split() == ["two", "-1.0000", "1.0000", "1.0000"]
    default = shown(capsys, "one", "two", "--matrix")
    assert default == shown(capsys, "one", "two", "--matrix", "--show", "rbo")


def test_a_file(capsys):
    assert main(["rbo", "one", "two", "-o", "out.csv", "--digits", "2"]) == 0
    assert Path("out.csv").read_text().splitlines()[0].startswith("run_a,run_b,topic,rbo")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["one"], "runs: need at least two runs to compare"),
        (["one", "two", "-p", "1"], "p must lie between 0 and 1, such as 0.9, got 1.0"),
        (["one", "two", "--matrix", "--show", "ta"], "--show ta: choose one of rbo, min, max, residual, tau, tau_ap,"),
        (["one", "two", "--matrix", "--per-topic"], "a matrix is of all pairs of runs over all topics; leave out "),
        (["one", "two", "--show", "tau", "--first"], "a matrix is of all pairs of runs over all topics; leave out "),
        (["one", "two", "-k", "0"], "depth must be a whole number of at least 1, got 0"),
    ],
)
def test_wrong_words(capsys, words, message):
    assert shown(capsys, *words, code=2).startswith(f"assay: {message}")
