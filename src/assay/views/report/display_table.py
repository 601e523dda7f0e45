"""Tables of the page: frames with formatted cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from assay.views.report.phrasing import Name, format_cell, topic_cell

Cell = str | Name | Sequence[Name]
Formats = Mapping[str, Callable[[Any], Cell]]
"""Functions that format the values of columns."""


@dataclass(frozen=True)
class DisplayTable:
    """Heads and CSS classes of the columns, and the cells by row; numeric columns have the class "n", others None."""

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
        Values; the first column names the rows.
    heads
        Heads of the columns; by default their names.
    show
        Functions that format the values of columns; by default ``format_cell``, and ``topic_cell`` for topics.
    texts
        Columns of numbers that represent names; they are not aligned as numbers.
    """
    heads, show = heads or {}, {"topic": topic_cell, **(show or {})}
    formats = [show.get(name, format_cell) for name in frame.columns]
    is_number = [frame[name].dtype.is_numeric() and name not in texts for name in frame.columns]
    return DisplayTable(
        [heads.get(name, name) for name in frame.columns],
        ["n" if number else None for number in is_number],
        [[format_(value) for format_, value in zip(formats, row, strict=True)] for row in frame.rows()],
    )
