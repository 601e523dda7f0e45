"""Tables of the page: the content of every cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from assay.views.report.names import Name
from assay.views.report.phrasing import format_cell

Cell = str | Name | Sequence[Name]
Formats = Mapping[str, Callable[[Any], Cell]]
"""Functions that format the values of columns."""


@dataclass(frozen=True)
class DisplayTable:
    """Heads and classes of columns, and cells row by row; the class of numbers is "n", that of others None."""

    heads: list[str]
    classes: list[str | None]
    rows: list[list[Cell]]


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
    numeric = [frame[name].dtype.is_numeric() and name not in texts for name in frame.columns]
    return DisplayTable(
        [heads.get(name, name) for name in frame.columns],
        ["n" if number else None for number in numeric],
        [[format_(value) for format_, value in zip(formats, row, strict=True)] for row in frame.rows()],
    )
