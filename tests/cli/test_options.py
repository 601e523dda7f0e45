"""Options shared by commands: notes, progress, output on a terminal."""

from __future__ import annotations

import argparse
import sys

import polars as pl
import pytest

from assay.cli import _options
from assay.errors import InputError
from assay.views.tables import Table

FRAME = pl.DataFrame({"run": ["a", "b"], "AP": [0.5, 0.25]})


class Terminal:
    """A stream that says it is a terminal."""

    def __init__(self, stream: object) -> None:
        self.stream = stream

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)

    def isatty(self) -> bool:
        return True


def test_progress_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with _options.progress("reading") as report:
        assert report is None
    monkeypatch.setattr(sys, "stderr", Terminal(sys.stderr))
    with _options.progress("reading") as report:
        assert report is not None
        report(1, 2)
    assert capsys.readouterr().out == ""


def test_a_terminal_gets_bold_and_no_parquet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal(sys.stdout))
    args = argparse.Namespace(format=None, output=None, digits=None, spreadsheet=False)
    _options.emit(Table(FRAME, FRAME, best=("AP",)), args)
    assert "\033[1m0.5000\033[0m" in capsys.readouterr().out
    args.format = "parquet"
    with pytest.raises(InputError, match="parquet is not for a terminal; add -o FILE"):
        _options.emit(Table(FRAME, FRAME), args)
