"""Tests of ``assay uncertainty estimate``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli import main

ARGUMENTS = ["-m", "P@2", "AP", "--samples", "40"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c 0\n2 0 e 1\n2 0 f 0\n")
    Path("x.run").write_text("1 Q0 a 1 3 x\n1 Q0 u 2 2 x\n1 Q0 b 3 1 x\n2 Q0 v 1 2 x\n2 Q0 e 2 1 x\n")
    Path("y.run").write_text("1 Q0 u 1 3 y\n1 Q0 c 2 2 y\n2 Q0 e 1 2 y\n2 Q0 f 2 1 y\n")
    Path("groups").write_text("x one\ny two\n")


def run_command(capsys: Any, *args: str, code: int = 0) -> str:
    assert main(["uncertainty", "estimate", "qrels", "x.run", "y.run", *ARGUMENTS, *args]) == code
    captured = capsys.readouterr()
    assert not captured.out or code == 0
    return str(captured.err if code else captured.out)


def test_the_table_shows_all_treatments(capsys: Any) -> None:
    lines = run_command(capsys).splitlines()
    assert lines[0] == "P@2"
    assert lines[1].split()[:4] == ["run", "zero", "condensed", "estimate"]
    assert lines[3].split()[:2] == ["x", "0.5000"]


@pytest.mark.parametrize("show", ["means", "topics", "pairs", "accuracy"])
def test_output_matches_the_function(capsys: Any, show: str) -> None:
    options = ["--groups", "groups", "--pool", "2", "--seed", "4", "--prior", "rank", "--ideal", "judged"]
    content = json.loads(run_command(capsys, *options, "--show", show, "--format", "json"))
    campaign = assay.read("qrels", ["x.run", "y.run"])
    report = assay.uncertainty.estimate(
        campaign, ["P@2", "AP"], groups="groups", pool=2, seed=4, prior="rank", ideal="judged", samples=40
    )
    assert content["rows"] == report.table(show).frame.to_dicts()


def test_the_accuracy_can_be_omitted(capsys: Any) -> None:
    message = run_command(capsys, "--no-leave-out", "--show", "accuracy", code=2)
    assert "accuracy" in message
    assert "mean error" not in run_command(capsys, "--no-leave-out")


def test_problems_of_input_name_file_and_line(capsys: Any) -> None:
    Path("groups").write_text("x one\n")
    assert "no group for run y" in run_command(capsys, "--groups", "groups", code=2)
    Path("groups").write_text("x one two\n")
    assert "groups:1" in run_command(capsys, "--groups", "groups", code=2)
    Path("y.run").write_text("1 Q0 u 1 y\n")
    assert "y.run:1" in run_command(capsys, code=2)
