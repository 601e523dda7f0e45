"""Tables of reports: all columns for programs, and the columns that people read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assay.errors import printable

if TYPE_CHECKING:
    import polars as pl

DIGITS = 4
Interval = tuple[Sequence[float | None], Sequence[float | None]]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """One table in two shapes.

    Attributes
    ----------
    frame
        All columns at full precision, one number per cell: for programs, and for ``--wide``.
    compact
        The columns that people read.
    heading
        A column of *compact* whose values become headings: rows of one value are a table of their own.
    best, least
        Columns in which the largest, or the smallest, value is emphasised.
    chances
        Columns of probabilities, which are never printed as 0, with the smallest value that is distinguishable from 0.
    marks
        Signs behind the values of a column, one text for each row.
    intervals
        Interval of each value of a column: its lower and its upper ends.
    confidence
        Column name of intervals, such as ``95 % CI``.
    apart
        How many of the first rows are set apart from the others by a rule: baselines.
    terminal
        Columns that only the terminal shows, such as bars.
    unprinted
        Columns that LaTeX leaves out.
    caption
        How to read the table: the meaning of marks and columns.
    summary
        Sentences in place of the summary of the report, for a table that shows something else.
    name
        The name of the table in its report.
    """

    frame: pl.DataFrame
    compact: pl.DataFrame
    heading: str | None = None
    best: tuple[str, ...] = ()
    least: tuple[str, ...] = ()
    chances: Mapping[str, float] = field(default_factory=dict)
    marks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    confidence: str = "95 % CI"
    apart: int = 0
    terminal: tuple[str, ...] = ()
    unprinted: tuple[str, ...] = ()
    caption: str = ""
    summary: str | None = None
    name: str = ""

    def __repr__(self) -> str:
        return f"Table({self.name}: {len(self.frame):,} rows of {', '.join(self.frame.columns)})"

    def head(self, rows: int) -> Table:
        """Return the first rows of the compact table."""
        if len(self.compact) <= rows:
            return self
        return replace(
            self,
            compact=self.compact.head(rows),
            marks={name: signs[:rows] for name, signs in self.marks.items()},
            intervals={name: (low[:rows], high[:rows]) for name, (low, high) in self.intervals.items()},
        )

    def groups(self) -> list[tuple[str, list[int]]]:
        """Return the headings and the rows under each; one group without a heading if there are none."""
        if self.heading is None:
            return [("", list(range(len(self.compact))))]
        rows: dict[str, list[int]] = {}
        for number, value in enumerate(self.compact[self.heading].to_list()):
            rows.setdefault(str(value), []).append(number)
        return list(rows.items())

    def columns(self, *, terminal: bool = False) -> list[str]:
        """Return the names of the columns that a format for people shows."""
        hidden = {self.heading, *(() if terminal else self.terminal)}
        return [name for name in self.compact.columns if name not in hidden]

    def find_best(self, name: str, cells: Sequence[str], rows: Sequence[int]) -> set[int]:
        """Return those of *rows* that hold the best value of a column; what prints the same is emphasised the same."""
        if name not in (*self.best, *self.least) or len(rows) < 2:
            return set()
        values = {row: self.compact[name][row] for row in rows}
        known = {row: value for row, value in values.items() if value is not None and not math.isnan(value)}
        if not known:
            return set()
        top = (max if name in self.best else min)(known, key=lambda row: known[row])
        return {row for row in rows if cells[row] == cells[top]}


def format_column(table: Table, name: str, digits: int | None) -> list[str]:
    """Return the cells of a column of the compact table as texts."""
    places = DIGITS if digits is None else digits
    least = table.chances.get(name)
    values = table.compact[name].to_list()
    return [format_cell(value, places) if least is None else _format_chance(value, places, least) for value in values]


def format_cell(value: object, digits: int = DIGITS) -> str:
    """Return a value as text: numbers rounded, missing ones as a dash, control characters escaped."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, float):
        return f"{value:z.{digits}f}"  # z: a value that rounds to zero has no sign
    if isinstance(value, bool):
        return "yes" if value else "no"
    return printable(str(value))


def _format_chance(value: object, digits: int, least: float) -> str:
    """Return a probability; one that is not distinguishable from 0, or too small to show, as an upper limit."""
    if not (isinstance(value, float) and value < 0.5 * 10.0**-digits):
        return format_cell(value, digits)
    return f"<{format_cell(max(least * (value == 0), 10.0**-digits), digits)}"


def format_intervals(interval: Interval, digits: int | None) -> list[str]:
    """Return intervals as ``[low, high]``; nothing where there is none."""
    places = DIGITS if digits is None else digits
    return [
        "" if low is None or high is None else f"[{format_cell(low, places)}, {format_cell(high, places)}]"
        for low, high in zip(*interval, strict=True)
    ]


def is_numeric(table: Table, name: str) -> bool:
    """Return True if the cells of a column are aligned on the right."""
    return table.compact[name].dtype.is_numeric()


def drop_fractions(frame: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Return the frame with those of the named columns as integers that hold whole numbers only.

    Numbers beyond 2^53 stay as they are: they have no exact integer, and the largest do not fit into 64 bits.
    """
    import polars as pl

    whole = [name for name in names if ((frame[name] == frame[name].round()) & (frame[name].abs() <= 2**53)).all()]
    return frame.with_columns(pl.col(whole).cast(pl.Int64))


def align_texts(texts: pl.Series) -> pl.Series:
    """Return texts padded on the left, so that they stand like numbers under their name."""
    width = max([len(texts.name), *(len(text) for text in texts.to_list())])
    return texts.str.pad_start(width)
