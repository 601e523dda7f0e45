"""Tests of ``assay meta judgments``."""

import json
from pathlib import Path

import pytest

from assay import meta, read
from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 a 1\n2 0 b -1\n")
    Path("a.run").write_text("1 Q0 a 1 3 a\n1 Q0 x 2 2 a\n1 Q0 c 3 1 a\n2 Q0 b 1 1 a\n")


def run_command(capsys, *args, code=0):
    assert main(["meta", "judgments", "qrels", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def read_header(capsys, *args):
    return run_command(capsys, *args).splitlines()[0].split()


def test_grades(capsys):
    lines = run_command(capsys).splitlines()
    assert lines[0].split()[:3] == ["grade", "relevant", "topics"]
    assert [line.split()[:3] for line in lines[2:4]] == [["1+", "3", "2"], ["2+", "1", "1"]]


@pytest.mark.parametrize(
    ("table_name", "columns", "first"),
    [
        ("topics", "topic judged negative nonrelevant 1+ 2+ ideal DCG", "1 3 0 1 2 1 0.9077"),
        ("sorted", "place 1+ 2+", "1 2 1"),
        ("ideal", "place topic ideal DCG", "1 1 0.9077"),
    ],
)
def test_show_selects_a_table(capsys, table_name, columns, first):
    lines = run_command(capsys, "--show", table_name).splitlines()
    assert lines[0].split() == columns.split()
    assert lines[2].split() == first.split()


def test_per_topic(capsys):
    assert run_command(capsys, "--per-topic") == run_command(capsys, "--show", "topics")


@pytest.mark.parametrize("table_name", ["grades", "topics", "sorted", "ideal"])
def test_output_matches_the_function(capsys, table_name):
    args = ["--gains", "exp", "--max-rel", "4", "--cutoff", "2", "--thresholds", "2,0.5", "--format", "json"]
    content = json.loads(run_command(capsys, "--show", table_name, *args))
    report = meta.judgments(read("qrels"), gains="exp", max_rel=4, cutoff=2, thresholds=[2, 0.5])
    assert content["rows"] == report.table(table_name).frame.to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings


def test_csv_has_one_value_per_row(capsys):
    lines = run_command(capsys, "--show", "sorted", "--format", "csv").splitlines()
    assert lines == ["place,grade,relevant", "1,1.0,2", "1,2.0,1", "2,1.0,1", "2,2.0,0"]


def test_thresholds(capsys):
    assert read_header(capsys, "--show", "sorted", "--thresholds", "2,0.5") == ["place", "0.5+", "2+"]


def test_grades_are_replaced_first(capsys):
    assert read_header(capsys, "--show", "sorted", "--grades", "2=1") == ["place", "1+"]


def test_topics_are_selected(capsys):
    rows = json.loads(run_command(capsys, "--per-topic", "--topics", "2", "--format", "json"))["rows"]
    assert {row["topic"] for row in rows} == {"2"}


def test_features_of_runs(capsys):
    lines = run_command(capsys, "a.run", "--show", "collection").splitlines()
    assert lines[2].split() == ["runs", "1"]
    assert lines[4].split() == ["retrieved", "documents", "ranking", "4", "1", "2", "3"]
    rows = json.loads(run_command(capsys, "a.run", "--show", "runs", "--depths", "1,3", "--format", "json"))["rows"]
    assert [(row["run"], row["pool_depth"], row["depth"], row["unjudged"]) for row in rows] == [
        ("a", 1, 1, 0.0),
        ("a", 1, 3, 0.25),
    ]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["--show", "ideals"],
            "--show ideals: choose one of grades, topics, sorted, ideal, collection, runs; did you mean ideal?",
        ),
        (["--thresholds", "one"], "--thresholds one: write numbers such as"),
        (["--grades", "7=1"], "has no grade 7"),
        (["--gains", "ex"], "unknown gains ex; choose from"),
        (["--cutoff", "0"], "cutoff must be at least 1, got 0"),
        (["missing.run"], "missing.run: no such file"),
        (["--show", "runs"], "--show runs: needs runs; name runs after the qrels"),
        (["a.run", "--depths", "0"], "--depths"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert message in text
    assert text.count("\n") == 1


def test_lenient(capsys):
    Path("qrels").write_text("1 0 a 2\nbad line\n")
    assert "expected 4 columns" in run_command(capsys, code=2)
    assert main(["meta", "judgments", "qrels", "--lenient"]) == 0
    assert "skipped lines with the wrong number of columns: 1" in capsys.readouterr().err
