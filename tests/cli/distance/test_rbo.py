"""Tests of ``assay distance rbo``."""

import json
from pathlib import Path

import pytest

from assay import distance, read
from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("one").write_text("1 Q0 a 1 3 one\n1 Q0 b 2 2 one\n1 Q0 c 3 1 one\n2 Q0 a 1 1 one\n")
    Path("two").write_text("1 Q0 b 1 3 two\n1 Q0 a 2 2 two\n1 Q0 d 3 1 two\n2 Q0 a 1 1 two\n")
    Path("three").write_text("1 Q0 a 1 3 three\n1 Q0 b 2 3 three\n1 Q0 c 3 3 three\n")


def run_command(capsys, *args, code=0):
    assert main(["distance", "rbo", *args]) == code
    captured = capsys.readouterr()
    assert not captured.out or code == 0
    return captured.err if code else captured.out


def read_json(capsys, *args):
    return json.loads(run_command(capsys, *args, "--format", "json"))


def test_table_of_two_runs(capsys):
    lines = run_command(capsys, "one", "two", "-p", "0.8").splitlines()
    assert lines[0].split() == ["run", "other", "run", "RBO", "lowest", "highest", "tau", "tau-AP", "overlap"]
    assert lines[2].split()[:3] == ["one", "two", "0.7933"]


@pytest.mark.parametrize("show", ["pairs", "topics", "matrix"])
@pytest.mark.parametrize(
    ("args", "options"),
    [
        ([], {}),
        (["-p", "0.5", "-k", "2", "--tied", "a"], {"p": 0.5, "depth": 2, "tied": "a"}),
        (["--persistence", "0.98", "--depth", "1", "--tied", "w"], {"p": 0.98, "depth": 1, "tied": "w"}),
    ],
)
def test_output_matches_the_function(capsys, show, args, options):
    content = read_json(capsys, "one", "two", "three", *args, "--show", show)
    report = distance.rbo(read(runs=["one", "two", "three"], keep="documents"), **options)
    assert content["rows"] == report.table(show).frame.to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings


def test_reading_options(capsys):
    args = ["--tied", "a", "--missing", "exclude", "--first", "--lenient", "--per-topic", "-k", "2"]
    content = read_json(capsys, "one", "two", "three", *args)
    assert [(row["run_a"], row["run_b"], row["topic"]) for row in content["rows"]] == [
        ("one", "two", "1"),
        ("one", "two", "2"),
        ("one", "two", "all"),
        ("one", "three", "1"),
        ("one", "three", "all"),
    ]
    assert content["rows"][3]["depth_b"] == 3
    assert read_json(capsys, "one", "three", "--ties", "file")["provenance"]["policies"]["ties"] == "file"
    rows = read_json(capsys, "one", "two", "--topics", "1", "--per-topic")["rows"]
    assert [row["topic"] for row in rows] == ["1", "all"]


def test_ties_are_noted(capsys):
    assert main(["distance", "rbo", "one", "three"]) == 0
    assert "assay: note: 3 of 7 documents" in capsys.readouterr().err


def test_matrix(capsys):
    text = run_command(capsys, "one", "two", "three", "--matrix")
    assert text.splitlines()[0].split() == ["run", "one", "two", "three"]
    assert text == run_command(capsys, "one", "two", "three", "--show", "matrix")


def test_output_file(capsys):
    assert run_command(capsys, "one", "two", "-o", "out.csv", "--digits", "2") == ""
    assert Path("out.csv").read_text().splitlines()[0].startswith("run_a,run_b,topic,rbo")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["one"], "runs: need at least two runs, got 1"),
        (["one", "two", "-p", "1"], "-p must lie between 0 and 1, such as 0.9, got 1.0"),
        (["one", "two", "-p", "0.5,0.8"], "-p: write a number, not '0.5,0.8'"),
        (["one", "two", "--show", "tau"], "--show tau: choose one of pairs, topics, matrix"),
        (["one", "two", "--matrix", "--first"], "--matrix shows all pairs of runs; omit --first"),
        (["one", "two", "-k", "0"], "--depth must be a whole number of at least 1, got 0"),
        (["one", "two", "--tied", "c"], "--tied c: choose one of order, w, a, b"),
        (["one", "two", "--tied", "a", "--ties", "rank"], "--tied a: ties are determined by scores"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert text.startswith(f"assay: {message}")
    assert text.count("\n") == 1
