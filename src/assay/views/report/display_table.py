"""Tables of the page: the text of every cell, as their template shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from assay.views.report.phrasing import format_cell
from assay.views.report.prose import Phrase

Formats = Mapping[str, Callable[[Any], Phrase]]
"""Functions that format the values of columns."""


@dataclass(frozen=True)
class DisplayTable:
    """Heads and cells of a table; *numeric* tells which columns hold numbers. The first column names the rows."""

    heads: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: list[list[Phrase]]


def display(
    frame: pl.DataFrame,
    *,
    heads: Mapping[str, str] | None = None,
    show: Formats | None = None,
    texts: tuple[str, ...] = ("run",),
) -> DisplayTable:
    """Format a frame as a table.

    Parameters
    ----------
    frame
        The values; the first column names the rows.
    heads
        The heads of columns, if not their names.
    show
        How the values of columns are formatted, if not by ``format_cell``.
    texts
        Columns whose numbers stand for names and are not aligned as numbers.
    """
    heads, show = heads or {}, show or {}
    formats = [show.get(name, format_cell) for name in frame.columns]
    return DisplayTable(
        tuple(heads.get(name, name) for name in frame.columns),
        tuple(frame[name].dtype.is_numeric() and name not in texts for name in frame.columns),
        [[format_(value) for format_, value in zip(formats, row, strict=True)] for row in frame.rows()],
    )
