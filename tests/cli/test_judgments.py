"""assay judgments."""

import json
from pathlib import Path

import pytest

from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 a 1\n2 0 b -1\n")


def shown(capsys, *words, code=0):
    assert main(["judgments", "qrels", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_summary(capsys):
    assert [line.split() for line in shown(capsys).splitlines()] == [
        ["grade", "documents", "topics", "min", "median", "mean", "max", "beyond"],
        ["─" * n for n in (5, 9, 6, 3, 6, 6, 3, 6)],
        ["1+", "3", "2", "1", "1.5000", "1.5000", "2", "0"],
        ["2+", "1", "1", "0", "0.5000", "0.5000", "1", "0"],
    ]


def test_the_lines_are_said(capsys):
    main(["judgments", "qrels", "--cutoff", "2"])
    first, second = capsys.readouterr().err.splitlines()
    assert first == (
        "assay: note: IdealDCG(gains=exp12)@2: 2 documents of grade 2 would reach 1.223; 0 of 2 topics have as much"
    )
    assert "one of grade 2 and 1 of the next lower grade would reach 0.908; 1 of 2 topics have as much" in second


@pytest.mark.parametrize(
    ("what", "columns", "rows"),
    [
        ("topics", "topic judged negative nonrelevant 1+ 2+ ideal_dcg", ["1 3 0 1 2 1 0.9077", "2 2 1 0 1 0 0.2500"]),
        ("sorted", "place 1+ 2+", ["1 2 1", "2 1 0"]),
        ("ideal", "place topic ideal_dcg", ["1 1 0.9077", "2 2 0.2500"]),
    ],
)
def test_show(capsys, what, columns, rows):
    lines = shown(capsys, "--show", what).splitlines()
    assert lines[0].split() == columns.split()
    assert [line.split() for line in lines[2:]] == [row.split() for row in rows]


def test_programs_get_one_value_per_row(capsys):
    assert shown(capsys, "--show", "sorted", "--format", "csv").splitlines() == [
        "place,grade,relevant",
        "1,1.0,2",
        "1,2.0,1",
        "2,1.0,1",
        "2,2.0,0",
    ]
    data = json.loads(shown(capsys, "--show", "ideal", "--gains", "exp", "--max-rel", "4", "--format", "json"))
    assert data["rows"][0]["topic"] == "1"
    assert data["provenance"]["judgments"] == {
        "measure": "IdealDCG(gains=exp, max_rel=4)@20",
        "top": 4.0,
        "thresholds": [1.0, 2.0],
    }


def test_thresholds(capsys):
    assert shown(capsys, "--show", "sorted", "--thresholds", "2,0.5").splitlines()[0].split() == ["place", "0.5+", "2+"]


def test_grades_are_replaced_first(capsys):
    assert shown(capsys, "--show", "sorted", "--grades", "2=1").splitlines()[0].split() == ["place", "1+"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--show", "ideals"], "--show ideals: choose one of summary, topics, sorted, ideal; did you mean ideal?"),
        (["--thresholds", "one"], "--thresholds one: write numbers such as"),
        (["--grades", "7=1"], "has no grade 7"),
        (["--gains", "ex"], "there are no gains ex; choose from"),
        (["--cutoff", "0"], "cutoff must be at least 1, got 0"),
    ],
)
def test_refused(capsys, words, message):
    assert message in shown(capsys, *words, code=2)


def test_lenient(capsys):
    Path("qrels").write_text("1 0 a 2\nbad line\n")
    assert "expected 4 columns" in shown(capsys, code=2)
    assert "1" in shown(capsys, "--lenient")
