"""assay theory axioms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.cli import main
from assay.measures import catalogue
from assay.measures._base import CATALOGUE
from assay.theory import axioms

OWN = "def score(grades, counts):\n    return max(grades) - 0.1 * sum(grades)\n"
NEEDS = """
from assay.measures import Additive
from assay.measures import param

class Steep(Additive):
    name = "OwnSteep"
    power: float = param("of the rank")

    def weight(self, rank):
        return rank ** float(self.power)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    catalogue()  # all of it is loaded before, or the rest would be lost
    before = dict(CATALOGUE)
    yield tmp_path
    CATALOGUE.clear()
    CATALOGUE.update(before)


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main(["theory", "axioms", *words]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.split() for line in shown(capsys, "-m", "AP*", "Q", "P@3")]
    assert lines[0] == ["measure", "swap", "replacement", "before", "after", "value", "falls", "to"]
    assert lines[2] == ["AP*", "holds", "fails", "100", "101", "1.0000", "0.8333"]
    assert lines[3] == ["Q", "fails", "holds", "00021", "00120", "0.5268", "0.5238"]
    assert lines[4][:3] == ["P@3", "holds", "holds"]


@pytest.mark.parametrize("show", ["measures", "findings"])
def test_what_the_function_gives(show: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-m", "AP*", "Q", "--length", "5", "--show", show, "--format", "json"]
    content = json.loads("\n".join(shown(capsys, *words)))
    report = axioms(["AP*", "Q"], length=5)
    assert content["rows"] == report.table(show).frame.to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings


def test_the_whole_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [line.split("\t") for line in shown(capsys, "--format", "tsv")]
    assert rows[0][:3] == ["measure", "axiom", "verdict"]
    assert len(rows) == 1 + 2 * len(catalogue())
    assert {row[2] for row in rows[1:]} == {"holds", "fails"}


def test_options_reach_the_check(capsys: pytest.CaptureFixture[str]) -> None:
    def verdict(*words: str) -> str:
        return shown(capsys, *words, "--format", "csv")[-1].split(",")[2]

    assert verdict("-m", "Q", "--grades", "0,1") == "holds"
    assert verdict("-m", "Q", "--length", "4") == "holds"
    assert verdict("-m", "Q", "--length", "3", "--grades", "0,1,3") == "fails"
    assert verdict("-m", "Q", "--counts", "1:2", "--length", "6") == "holds"
    assert verdict("-m", "Q", "--relevant", "1") == "holds"
    assert verdict("-m", "AP", "--length", "300", "--samples", "50", "--counts", "1:4,2:4") == "no violation found"
    content = json.loads(
        "\n".join(shown(capsys, "-m", "AP", "--length", "60", "--samples", "9", "--seed", "3", "--format", "json"))
    )
    settings = content["provenance"]["settings"]
    assert [settings[name] for name in ("grades", "length", "samples", "seed")] == [[0, 1, 2], 60, 9, 3]
    assert content["notes"][0].endswith("9 random rankings of 60 documents (seed 3)")


def test_the_range_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["theory", "axioms", "-m", "AP"]) == 0
    note = "assay: note: checked: all rankings of 1 to 8 documents with the grades 0, 1, 2, topics with at most 4 rel"
    assert capsys.readouterr().err.startswith(note)


def test_a_measure_of_ones_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "greedy.py").write_text(OWN)
    rows = shown(capsys, "--file", "greedy.py", "--format", "csv", "--digits", "2")[1:]
    assert rows == ["greedy,replacement,fails,1:2,2,0 1,1 1,1,0.9,0.8", "greedy,swap,holds" + "," * 7]
    named = shown(capsys, "--file", "greedy.py", "-m", "AP", "greedy", "--format", "csv")[1:]
    assert [row.split(",")[0] for row in named] == ["AP", "AP", "greedy", "greedy"]


def test_parameters_of_a_measure_of_ones_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "steep.py").write_text(NEEDS)
    assert main(["theory", "axioms", "--file", "steep.py"]) == 2
    assert capsys.readouterr().err == "assay: measure 'OwnSteep': OwnSteep needs power (of the rank)\n"
    rows = shown(capsys, "--file", "steep.py", "-m", "OwnSteep(power=-1)", "OwnSteep(power=1)", "--format", "csv")[1:]
    assert [row.split(",")[2] for row in rows] == ["holds", "holds", "holds", "fails"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--file", "gone.py"], "gone.py: there is no such file"),
        (["--file", "bad.py"], "bad.py, line 2: invalid syntax"),
        (["--file", "none.py"], ("none.py: defines no measure; write a function score(grades, counts), or a class "
                                "Mine(Measure) with a name and the method score(judged)")),
        (["--file", "zero.py"], ("measure 'zero': score([0], {0: 1, 1: 1, 2: 0}) failed: "
                                "ZeroDivisionError: division by zero")),
        (["-m", "ndgc"], "measure 'ndgc': there is no measure ndgc; did you mean nDCG?"),
        (["--grades", "a"], "--grades a: write numbers such as 0,1,2"),
        (["--grades", "2,1"], "--grades must be 0 and larger ones, ascending, such as 0, 1, 2; got 2, 1"),
        (["--counts", "1"], "--counts '1': write grade:documents, such as 1:2,2:1"),
        (["--counts", "7:1"], "counts: 7 is not among the grades"),
        (["--length", "0"], "--length must be at least 1, got 0"),
    ],
)  # fmt: skip
def test_wrong_options_are_one_line(
    folder: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.py").write_text("x = 1\ny = 1 +\n")
    (folder / "none.py").write_text("x = 1\n")
    (folder / "zero.py").write_text("def score(grades, counts):\n    return 1 / grades[0]\n")
    assert main(["theory", "axioms", *words]) == 2
    failed = capsys.readouterr()
    assert (failed.out, failed.err) == ("", f"assay: {message}\n")
