"""Tests of ``assay theory axioms``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.cli import main
from assay.measures import catalogue
from assay.measures._base import CATALOGUE
from assay.theory import axioms

SCORE_FUNCTION = "def score(grades, counts):\n    return max(grades) - 0.1 * sum(grades)\n"
CLASS_WITH_REQUIRED_PARAMETER = """
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
    catalogue()  # load all measures first: measures loaded later would be removed by clear()
    saved = dict(CATALOGUE)
    yield tmp_path
    CATALOGUE.clear()
    CATALOGUE.update(saved)


def run_command(capsys: pytest.CaptureFixture[str], *args: str) -> list[str]:
    assert main(["theory", "axioms", *args]) == 0
    return capsys.readouterr().out.splitlines()


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.split() for line in run_command(capsys, "-m", "AP*", "Q", "P@3")]
    assert lines[0] == ["measure", "swap", "replacement", "before", "after", "value", "falls", "to"]
    assert lines[2] == ["AP*", "holds", "fails", "100", "101", "1.0000", "0.8333"]
    assert lines[3] == ["Q", "fails", "holds", "00021", "00120", "0.5268", "0.5238"]
    assert lines[4][:3] == ["P@3", "holds", "holds"]


@pytest.mark.parametrize("show", ["measures", "appending", "findings"])
def test_output_matches_the_function(show: str, capsys: pytest.CaptureFixture[str]) -> None:
    args = ["-m", "AP*", "Q", "--length", "5", "--show", show, "--format", "json"]
    content = json.loads("\n".join(run_command(capsys, *args)))
    report = axioms(["AP*", "Q"], length=5)
    assert content["rows"] == report.table(show).frame.to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings


def test_default_is_the_whole_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [line.split("\t") for line in run_command(capsys, "--format", "tsv")]
    assert rows[0][:3] == ["measure", "axiom", "verdict"]
    assert len(rows) == 1 + 2 * len(catalogue())
    assert {row[2] for row in rows[1:]} == {"holds", "fails"}


def test_options_are_applied(capsys: pytest.CaptureFixture[str]) -> None:
    def read_verdict(*args: str) -> str:
        return run_command(capsys, *args, "--format", "csv")[-1].split(",")[2]

    assert read_verdict("-m", "Q", "--grades", "0,1") == "holds"
    assert read_verdict("-m", "Q", "--length", "4") == "holds"
    assert read_verdict("-m", "Q", "--length", "3", "--grades", "0,1,3") == "fails"
    assert read_verdict("-m", "Q", "--counts", "1:2", "--length", "6") == "holds"
    assert read_verdict("-m", "Q", "--relevant", "1") == "holds"
    assert read_verdict("-m", "AP", "--length", "300", "--samples", "50", "--counts", "1:4,2:4") == "no violation found"
    content = json.loads(
        "\n".join(
            run_command(capsys, "-m", "AP", "--length", "60", "--samples", "9", "--seed", "3", "--format", "json")
        )
    )
    settings = content["provenance"]["settings"]
    assert [settings[name] for name in ("grades", "length", "samples", "seed")] == [[0, 1, 2], 60, 9, 3]
    assert content["notes"][0].endswith("9 random rankings of 60 documents (seed 3)")


def test_range_of_the_check_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["theory", "axioms", "-m", "AP"]) == 0
    note = "assay: note: checked: all rankings of 1 to 8 documents with the grades 0, 1, 2 for topics with at most 4"
    assert capsys.readouterr().err.startswith(note)


def test_user_defined_measure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "greedy.py").write_text(SCORE_FUNCTION)
    rows = run_command(capsys, "--file", "greedy.py", "--format", "csv", "--digits", "2")[1:]
    assert rows == ["greedy,replacement,fails,1:2,2,0 1,1 1,1,0.9,0.8", "greedy,swap,holds" + "," * 7]
    selected_rows = run_command(capsys, "--file", "greedy.py", "-m", "AP", "greedy", "--format", "csv")[1:]
    assert [row.split(",")[0] for row in selected_rows] == ["AP", "AP", "greedy", "greedy"]


def test_parameters_of_a_user_defined_measure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "steep.py").write_text(CLASS_WITH_REQUIRED_PARAMETER)
    assert main(["theory", "axioms", "--file", "steep.py"]) == 2
    assert capsys.readouterr().err == "assay: measure 'OwnSteep': OwnSteep needs power (of the rank)\n"
    rows = run_command(
        capsys, "--file", "steep.py", "-m", "OwnSteep(power=-1)", "OwnSteep(power=1)", "--format", "csv"
    )[1:]
    assert [row.split(",")[2] for row in rows] == ["holds", "holds", "holds", "fails"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--file", "gone.py"], "gone.py: there is no such file"),
        (["--file", "bad.py"], "bad.py, line 2: invalid syntax"),
        (["--file", "none.py"], ("none.py: defines no measure; write a function score(grades, counts), or a class "
                                "Mine(Measure) with a name and the method score(judged)")),
        (["--file", "zero.py"], ("measure 'zero': score([0], {0: 1, 1: 1, 2: 0}) failed: "
                                "ZeroDivisionError: division by zero")),
        (["-m", "ndgc"], "measure 'ndgc': there is no measure ndgc; did you mean nDCG?"),
        (["--grades", "a"], "--grades a: write numbers such as 0,1,2"),
        (["--grades", "2,1"], "--grades must begin with 0 and ascend, such as 0, 1, 2; got 2, 1"),
        (["--counts", "1"], "--counts '1': write grade:documents, such as 1:2,2:1"),
        (["--counts", "7:1"], "--counts: 7 is not among the grades"),
        (["--length", "0"], "--length must be at least 1, got 0"),
    ],
)  # fmt: skip
def test_invalid_options_print_one_line(
    folder: Path, args: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.py").write_text("x = 1\ny = 1 +\n")
    (folder / "none.py").write_text("x = 1\n")
    (folder / "zero.py").write_text("def score(grades, counts):\n    return 1 / grades[0]\n")
    assert main(["theory", "axioms", *args]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", f"assay: {message}\n")
