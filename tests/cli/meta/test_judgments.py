"""assay meta judgments."""

import json
from pathlib import Path

import pytest

from assay import meta, read
from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 a 1\n2 0 b -1\n")


def shown(capsys, *words, code=0):
    assert main(["meta", "judgments", "qrels", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def head(capsys, *words):
    return shown(capsys, *words).splitlines()[0].split()


def test_grades(capsys):
    lines = shown(capsys).splitlines()
    assert lines[0].split()[:3] == ["grade", "relevant", "topics"]
    assert [line.split()[:3] for line in lines[2:4]] == [["1+", "3", "2"], ["2+", "1", "1"]]


@pytest.mark.parametrize(
    ("what", "columns", "first"),
    [
        ("topics", "topic judged negative nonrelevant 1+ 2+ ideal DCG", "1 3 0 1 2 1 0.9077"),
        ("sorted", "place 1+ 2+", "1 2 1"),
        ("ideal", "place topic ideal DCG", "1 1 0.9077"),
    ],
)
def test_show(capsys, what, columns, first):
    lines = shown(capsys, "--show", what).splitlines()
    assert lines[0].split() == columns.split()
    assert lines[2].split() == first.split()


def test_per_topic(capsys):
    assert shown(capsys, "--per-topic") == shown(capsys, "--show", "topics")


@pytest.mark.parametrize("what", ["grades", "topics", "sorted", "ideal"])
def test_what_the_function_gives(capsys, what):
    words = ["--gains", "exp", "--max-rel", "4", "--cutoff", "2", "--thresholds", "2,0.5", "--format", "json"]
    found = json.loads(shown(capsys, "--show", what, *words))
    report = meta.judgments(read("qrels"), gains="exp", max_rel=4, cutoff=2, thresholds=[2, 0.5])
    assert found["rows"] == report.table(what).frame.to_dicts()
    assert found["provenance"]["settings"] == report.provenance.settings


def test_programs_get_one_value_per_row(capsys):
    lines = shown(capsys, "--show", "sorted", "--format", "csv").splitlines()
    assert lines == ["place,grade,relevant", "1,1.0,2", "1,2.0,1", "2,1.0,1", "2,2.0,0"]


def test_thresholds(capsys):
    assert head(capsys, "--show", "sorted", "--thresholds", "2,0.5") == ["place", "0.5+", "2+"]


def test_grades_are_replaced_first(capsys):
    assert head(capsys, "--show", "sorted", "--grades", "2=1") == ["place", "1+"]


def test_some_topics(capsys):
    rows = json.loads(shown(capsys, "--per-topic", "--topics", "2", "--format", "json"))["rows"]
    assert {row["topic"] for row in rows} == {"2"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--show", "ideals"], "--show ideals: choose one of grades, topics, sorted, ideal; did you mean ideal?"),
        (["--thresholds", "one"], "--thresholds one: write numbers such as"),
        (["--grades", "7=1"], "has no grade 7"),
        (["--gains", "ex"], "unknown gains ex; choose from"),
        (["--cutoff", "0"], "--cutoff must be at least 1, got 0"),
        (["runs"], "too many arguments: runs"),
    ],
)
def test_refused(capsys, words, message):
    text = shown(capsys, *words, code=2)
    assert message in text
    assert text.count("\n") == 1


def test_lenient(capsys):
    Path("qrels").write_text("1 0 a 2\nbad line\n")
    assert "expected 4 columns" in shown(capsys, code=2)
    assert main(["meta", "judgments", "qrels", "--lenient"]) == 0
    assert "skipped: 1" in capsys.readouterr().err
