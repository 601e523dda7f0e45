"""assay depth and assay residual."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.cli import main
from assay.cli._numbers import decimals, whole


def shown(capsys, *words, code=0):
    assert main([*words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def rows(text):
    return [line.split() for line in text.splitlines()[2:]]


def test_by_default(capsys):
    assert rows(shown(capsys, "depth")) == [
        ["0.5", "0.0001", "14", "2.0000"],
        ["0.8", "0.0001", "42", "5.0000"],
        ["0.95", "0.0001", "180", "20.0000"],
    ]


def test_every_direction(capsys):
    assert rows(shown(capsys, "depth", "-p", "0.8", "--accuracy", "1e-4")) == [["0.8", "0.0001", "42", "5.0000"]]
    found = rows(shown(capsys, "depth", "-p", "0.5", "-p", "0.8", "--accuracy", "0.01,0.001"))
    assert [row[2] for row in found] == ["7", "10", "21", "31"]
    assert main(["depth", "--depth", "100", "--accuracy", "1e-4"]) == 0
    captured = capsys.readouterr()
    assert rows(captured.out) == [["0.9120", "0.0001", "100", "11.3650"]]
    assert captured.err == "assay: note: p: the persistence must stay below it\n"
    assert rows(shown(capsys, "depth", "--depth", "100"))[0][:1] == ["0.9120"]
    assert [row[1] for row in rows(shown(capsys, "depth", "-p", "0.8", "--depth", "19..20"))] == ["0.01441", "0.01153"]
    written = json.loads(shown(capsys, "depth", "-p", "0.8", "--format", "json"))
    assert written["rows"] == [{"p": 0.8, "accuracy": 0.0001, "depth": 42, "documents": pytest.approx(5)}]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-p", "1"], "p must be a persistence of at least 0 and below 1, got 1.0"),
        (["-p", "x"], "-p x: write numbers such as 0.8 or 0.5,0.8,0.95"),
        (["-p", "nan"], "-p nan: write numbers such as"),
        (["--accuracy", "2"], "the accuracy must be above 0 and below 1, such as 0.0001, got 2.0"),
        (["--depth", "0"], "--depth 0: numbers go up from 1 to at most 1000000, got 0"),
        (["--depth", "1..x"], "--depth 1..x: write whole numbers such as 10, 1..100 or 10,20,50"),
        (["-p", "0.5", "--depth", "3", "--accuracy", "0.1"], "give two of the three"),
    ],
)
def test_refused(capsys, words, message):
    text = shown(capsys, "depth", *words, code=2)
    assert message in text
    assert text.count("\n") == 1


def test_numbers():
    assert whole("-n", ["3,1..2", "2"]) == [3, 1, 2]
    assert whole("-n", []) == []
    assert decimals("-p", ["0.5, 0.8", "0.5"]) == [0.5, 0.8]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n")
    Path("one").write_text("1 Q0 a 1 3 one\n1 Q0 x 2 2 one\n1 Q0 c 3 1 one\n2 Q0 a 1 1 one\n")
    Path("two").write_text("1 Q0 c 1 3 two\n1 Q0 b 2 2 two\n2 Q0 y 1 1 two\n")


@pytest.mark.usefixtures("files")
def test_against_depth(capsys):
    text = shown(capsys, "residual", "qrels", "one", "two", "--pool-depth", "1")
    lines = text.splitlines()
    assert lines[0].split() == ["run", "p", "depth", "lower@1", "upper@1", "lower", "upper"]
    assert len(lines) == 2 + 2 * 3 * 7
    assert lines[2].split() == ["one", "0.5", "1", "0.5000", "1.0000", "0.5000", "1.0000"]
    few = shown(capsys, "residual", "qrels", "one", "two", "-p", "0.5", "--depths", "2..3", "--only", "two")
    assert rows(few) == [["two", "0.5", "2", "0.2500", "0.8750"], ["two", "0.5", "3", "0.2500", "0.8750"]]


@pytest.mark.usefixtures("files")
def test_against_p(capsys):
    text = shown(capsys, "residual", "qrels", "one", "two", "--against", "p", "--only", "two", "one", "--topic", "1")
    lines = text.splitlines()
    assert lines[0].split() == ["run", "p", "lower", "upper"]
    assert len(lines) == 2 + 2 * 11
    assert lines[6].split() == ["two", "0.5", "0.5000", "0.7500"]
    words = ["residual", "qrels", "one", "--against", "p", "-p", "0.5", "--topic", "1", "--format", "csv"]
    assert shown(capsys, *words, "--gains", "unit").splitlines()[1] == "one,,0.5,,0.375,0.75,0.375"
    assert shown(capsys, *words, "--gains", "unit", "--max-rel", "4").splitlines()[1].endswith("0.1875,0.5625,0.375")
    assert shown(capsys, *words, "--rel", "2", "--ties", "rank").splitlines()[1].endswith("0.125,0.5,0.375")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--against", "depths"], "--against depths: choose depth or p; did you mean depth?"),
        (["--only", "tow"], "there is no run tow; did you mean two?"),
        (["--depths", "0"], "--depths 0: numbers go up from 1"),
        (["-p", "1"], "measure 'RBP': p must be below 1, got 1"),
        (["--ties", "expected"], "ties 'expected': depths cut through tied documents"),
    ],
)
def test_no_residual(capsys, words, message):
    text = shown(capsys, "residual", "qrels", "one", "two", *words, code=2)
    assert message in text
    assert text.count("\n") == 1
