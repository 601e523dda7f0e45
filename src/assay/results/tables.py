"""Tables of reports: all columns for programs, and a compact selection for people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assay.errors import escape_control_characters

if TYPE_CHECKING:
    import polars as pl

DIGITS = 4
Interval = tuple[Sequence[float | None], Sequence[float | None]]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """One table in two shapes: all columns for programs, and a compact selection for people.

    Attributes
    ----------
    frame
        All columns at full precision, one number per cell: for programs, and for ``--wide``.
    compact
        The columns and rows that people read.
    heading
        A column of *compact* whose values become headings; the rows below each heading form a separate table.
    highest_is_best, lowest_is_best
        Columns whose largest, or smallest, value is emphasised.
    probability_columns
        Columns of probabilities, such as p-values, and the smallest non-zero probability of each. A probability that
        rounds to 0 is printed as an upper limit, such as ``<0.0001``. A bootstrap test with 100 resamples, for
        example, has the smallest probability 0.01, so that a probability of 0 is printed as ``<0.0100``. The value 0.0
        means that no smallest probability is known: only the number of printed decimals determines the upper limit.
    marks
        Signs after the values of a column (such as a dagger), one text for each row.
    intervals
        Lower and upper ends of the interval of each value of a column.
    interval_name
        Column name of the intervals, such as ``95 % CI``.
    rows_above_rule
        Number of rows at the top, such as baselines, that a horizontal rule separates from the other rows; 0: no rule.
    text_columns
        Columns of texts, such as queries. In a narrow terminal they lose their end; names lose their middle.
    terminal_only
        Columns that only the terminal shows, such as bars.
    omitted_in_latex
        Columns that a LaTeX table does not show.
    caption
        Explanation of the marks and columns.
    summary
        Sentences that replace the summary of the report, for a table about another subject.
    name
        The name of the table in its report.
    """

    frame: pl.DataFrame
    compact: pl.DataFrame
    heading: str | None = None
    highest_is_best: tuple[str, ...] = ()
    lowest_is_best: tuple[str, ...] = ()
    probability_columns: Mapping[str, float] = field(default_factory=dict)
    marks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    interval_name: str = "95 % CI"
    rows_above_rule: int = 0
    text_columns: tuple[str, ...] = ()
    terminal_only: tuple[str, ...] = ()
    omitted_in_latex: tuple[str, ...] = ()
    caption: str = ""
    summary: str | None = None
    name: str = ""

    def __repr__(self) -> str:
        return f"Table({self.name}: {len(self.frame):,} rows of {', '.join(self.frame.columns)})"

    def head(self, rows: int) -> Table:
        """Return a copy whose compact table has at most the given number of rows."""
        if len(self.compact) <= rows:
            return self
        return replace(
            self,
            compact=self.compact.head(rows),
            marks={name: signs[:rows] for name, signs in self.marks.items()},
            intervals={name: (low[:rows], high[:rows]) for name, (low, high) in self.intervals.items()},
        )

    def groups(self) -> list[tuple[str, list[int]]]:
        """Return each heading with the indices of its rows; without headings, one group with an empty heading."""
        if self.heading is None:
            return [("", list(range(len(self.compact))))]
        rows: dict[str, list[int]] = {}
        for row, value in enumerate(self.compact[self.heading].to_list()):
            rows.setdefault(str(value), []).append(row)
        return list(rows.items())

    def columns(self, *, terminal: bool = False) -> list[str]:
        """Return the names of the visible columns; *terminal* includes those that only the terminal shows."""
        hidden = {self.heading, *(() if terminal else self.terminal_only)}
        return [name for name in self.compact.columns if name not in hidden]

    def find_best(self, name: str, cells: Sequence[str], rows: Sequence[int]) -> set[int]:
        """Return the indices in *rows* that hold the best value of a column.

        *cells* are the printed values: all rows that print the same as the best value are included.
        """
        if name not in (*self.highest_is_best, *self.lowest_is_best) or len(rows) < 2:
            return set()
        values = {row: self.compact[name][row] for row in rows}
        known = {row: value for row, value in values.items() if value is not None and not math.isnan(value)}
        if not known:
            return set()
        best_row = (max if name in self.highest_is_best else min)(known, key=lambda row: known[row])
        return {row for row in rows if cells[row] == cells[best_row]}


def format_column(table: Table, name: str, digits: int | None) -> list[str]:
    """Return the cells of a column of the compact table as texts."""
    decimals = DIGITS if digits is None else digits
    smallest = table.probability_columns.get(name)
    values = table.compact[name].to_list()
    if smallest is None:
        return [format_cell(value, decimals) for value in values]
    return [_format_probability(value, decimals, smallest) for value in values]


def format_cell(value: object, digits: int = DIGITS) -> str:
    """Return a value as text: numbers are rounded, missing values become a dash, control characters are escaped."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, float):
        return f"{value:z.{digits}f}"  # z: a value that rounds to zero has no sign
    if isinstance(value, bool):
        return "yes" if value else "no"
    return escape_control_characters(str(value))


def _format_probability(value: object, digits: int, smallest: float) -> str:
    """Return a probability as text; if it rounds to 0, return an upper limit, such as ``<0.0001``.

    *smallest* is the smallest non-zero probability of the column: a probability of exactly 0 is known to be below it.
    """
    if not (isinstance(value, float) and value < 0.5 * 10.0**-digits):
        return format_cell(value, digits)
    return f"<{format_cell(max(smallest * (value == 0), 10.0**-digits), digits)}"


def format_intervals(interval: Interval, digits: int | None) -> list[str]:
    """Return intervals as ``[low, high]``, and an empty text for a value without interval."""
    decimals = DIGITS if digits is None else digits
    return [
        "" if low is None or high is None else f"[{format_cell(low, decimals)}, {format_cell(high, decimals)}]"
        for low, high in zip(*interval, strict=True)
    ]


def is_numeric(table: Table, name: str) -> bool:
    """Return True if a column contains numbers. Numbers are aligned on the right."""
    return table.compact[name].dtype.is_numeric()


def floats_to_integers(frame: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Cast each of the named float columns to integers if all of its values are integers.

    For example, a column of grades 0.0, 1.0, 2.0 is then printed as 0, 1, 2. Columns with values above 2^53 stay
    floats: such values may not be exact, and the largest do not fit into 64 bits.
    """
    import polars as pl

    integral = [name for name in names if ((frame[name] == frame[name].round()) & (frame[name].abs() <= 2**53)).all()]
    return frame.with_columns(pl.col(integral).cast(pl.Int64))


def align_texts(texts: pl.Series) -> pl.Series:
    """Pad texts on the left to the same width, so that they are aligned like numbers."""
    width = max([len(texts.name), *(len(text) for text in texts.to_list())])
    return texts.str.pad_start(width)


def percentage_column(name: str, fractions: Iterable[float]) -> pl.Series:
    """Return fractions as a column of percentages with one decimal, such as ``12.5 %``, aligned like numbers."""
    import polars as pl

    return align_texts(pl.Series(name, [format_percentage(fraction) for fraction in fractions], dtype=pl.String))


def format_percentage(fraction: float) -> str:
    """Return a fraction as a percentage with one decimal.

    >>> format_percentage(0.125)
    '12.5 %'
    """
    return f"{100 * fraction:.1f} %"
