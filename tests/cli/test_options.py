"""Tests of the output of commands: notes, progress and terminal output."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import polars as pl
import pytest

from assay.cli import _output
from assay.errors import InputError
from assay.model.notes import Note
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.tables import Table

FRAME = pl.DataFrame({"run": ["a", "b"], "AP": [0.5, 0.25]})


class SmallReport(Report):
    """Minimal report with one table."""

    name = "small"
    notes = ()
    provenance = Provenance()

    def summary(self) -> str:
        return "a is better."

    def _show_table(self) -> Table:
        return Table(FRAME, FRAME, highest_is_best=("AP",))


class Terminal:
    """Stream that claims to be a terminal."""

    def __init__(self, stream: object) -> None:
        self.stream = stream

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)

    def isatty(self) -> bool:
        return True


def build_arguments(**options: object) -> argparse.Namespace:
    names = ("format", "output", "digits", "caption", "label", "show")
    return argparse.Namespace(**{**dict.fromkeys(names), "wide": False, "spreadsheet": False, **options})


def test_progress_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with _output.show_progress("reading") as report:
        assert report is None
    monkeypatch.setattr(sys, "stderr", Terminal(sys.stderr))
    with _output.show_progress("reading") as report:
        assert report is not None
        report(1, 2)
    assert capsys.readouterr().out == ""


def test_terminal_output_is_bold_and_never_parquet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal(sys.stdout))
    _output.emit(SmallReport(), build_arguments())
    assert "\033[1m0.5000\033[0m" in capsys.readouterr().out
    with pytest.raises(InputError, match="--format parquet cannot be shown in a terminal; add -o FILE"):
        _output.emit(SmallReport(), build_arguments(format="parquet"))


def test_summary_is_printed_below_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    _output.emit(SmallReport(), build_arguments())
    assert capsys.readouterr().out.endswith("\n\na is better.\n")


def test_notes_of_one_kind_are_merged(capsys: pytest.CaptureFixture[str]) -> None:
    notes = [
        Note(f"r{i}.run: lacks 2 of the 50 topics", kind="missing topics", source=f"r{i}.run", number=2)
        for i in range(12)
    ]
    _output.print_notes(["first", *notes, "last"])
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "assay: note: first"
    assert lines[1].startswith("assay: note: missing topics: 12 runs (r0.run, r1.run")
    assert lines[2] == "assay: note: last"
    _output.print_notes(notes[:2])
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_many_notes_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    _output.print_notes([f"note {i}" for i in range(30)])
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 21
    assert lines[-1] == "assay: note: and 10 more notes (--format json shows all)"


def test_files_below_the_current_directory_are_named_relative_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    _output.print_notes([f"{tmp_path}/runs/a.run: lacks 2 topics", "/elsewhere/b.run: lacks 1 topic"])
    assert capsys.readouterr().err == (
        "assay: note: runs/a.run: lacks 2 topics\nassay: note: /elsewhere/b.run: lacks 1 topic\n"
    )
