"""Tables for the terminal, no wider than it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import fill

from assay.errors import printable
from assay.results.names import shorten_names
from assay.results.tables import Table, format_column, format_intervals, is_numeric

_GAP = "  "
_NARROWEST = 10  # characters that a shortened name keeps
_BOLD = "\033[1m{}\033[0m"


@dataclass(frozen=True)
class _Column:
    """A column of texts: its header, its cells, and the signs behind them, which stand outside the alignment."""

    header: str
    cells: list[str]
    signs: list[str]
    numeric: bool
    bold: frozenset[int] = frozenset()
    fixed: bool = False  # must stay whole, such as a bar

    @cached_property
    def names(self) -> bool:
        """True if the cells are names, which may lose their middle; ranges and the like may not."""
        return not (self.numeric or self.fixed) and any(c.isalpha() for cell in self.cells for c in cell)

    @cached_property
    def sign_width(self) -> int:
        return max(map(len, self.signs), default=0)

    @cached_property
    def width(self) -> int:
        return max([len(self.header), *(len(cell) + self.sign_width for cell in self.cells)])

    def head(self) -> str:
        # Numbers that are texts, such as ranges, were padded to stand in line and have their header above them.
        numbers = not (self.names or self.fixed) and any("." in cell or cell.startswith(" ") for cell in self.cells)
        right = self.numeric or numbers
        return self.header.rjust(self.width) if right else self.header.ljust(self.width)

    def cell(self, row: int) -> str:
        room = self.width - self.sign_width
        text = self.cells[row].rjust(room) if self.numeric else self.cells[row].ljust(room)
        shown = _BOLD.format(text) if row in self.bold else text
        return shown + self.signs[row].ljust(self.sign_width)


def render_text(table: Table, digits: int | None, width: int | None, bold: bool = False) -> str:
    """Return the table as text.

    A table that is wider than *width* (None: no limit) loses the middle of long names; if that does not suffice, the
    columns that do not fit follow below, beside the names again.
    """
    lines: list[str] = []
    columns = _shorten(_columns(table, digits, bold), width)
    keys = _keys(columns)
    for title, rows in table.groups():
        for panel in _panels(columns, keys, width):
            lines += [*([""] if lines else []), *([title] if title else []), *_lines(panel, rows, table.apart)]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def wrap_text(text: str, width: int | None) -> str:
    """Return sentences in lines of at most *width* characters, each line of the text for itself."""
    if width is None:
        return f"{text}\n"
    return "".join(
        f"{fill(line, width, break_long_words=False, break_on_hyphens=False)}\n" for line in text.split("\n")
    )


def _columns(table: Table, digits: int | None, bold: bool) -> list[_Column]:
    columns = []
    for name in table.columns(terminal=True):
        cells = format_column(table, name, digits)
        strong = frozenset[int]().union(*(table.find_best(name, cells, rows) for _, rows in table.groups()))
        signs = [*table.marks.get(name, [""] * len(cells))]
        bold_rows = strong if bold else frozenset[int]()
        fixed = name in table.terminal
        columns.append(_Column(printable(name), cells, signs, is_numeric(table, name), bold_rows, fixed))
        if name in table.intervals:
            ends = format_intervals(table.intervals[name], digits)
            columns.append(_Column(table.confidence, ends, [""] * len(ends), True))
    return columns


def _keys(columns: Sequence[_Column]) -> int:
    """Return how many columns name the rows: the texts and whole numbers before the first other number."""
    for number, column in enumerate(columns):
        if column.numeric and not all(re.fullmatch(r"\d*", cell) for cell in column.cells):
            return number
    return min(1, len(columns))


def _total(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)


def _shorten(columns: list[_Column], width: int | None) -> list[_Column]:
    """Shorten the names of the widest columns of texts, as far as needed and as names stay different."""
    short = list(columns)
    while width is not None and _total(short) > width:
        texts = [number for number, column in enumerate(short) if column.names and column.width > _NARROWEST]
        if not texts:
            return columns  # panels are needed anyway, and have room for whole names
        widest = max(texts, key=lambda number: short[number].width)
        column = short[widest]
        room = max(_NARROWEST, len(column.header), column.width - (_total(short) - width))
        if room >= column.width:
            return columns
        names = shorten_names(dict.fromkeys(column.cells), room)
        short[widest] = _Column(column.header, [names[cell] for cell in column.cells], column.signs, False, column.bold)
    return short


def _panels(columns: list[_Column], keys: int, width: int | None) -> list[list[_Column]]:
    """Divide columns that do not fit beside each other; each panel begins with the columns that name the rows."""
    if width is None or _total(columns) <= width:
        return [columns]
    heads = _shorten(columns[:keys], width // 2)
    panels = [[*heads]]
    for column in columns[keys:]:
        if len(panels[-1]) > keys and _total([*panels[-1], column]) > width:
            panels.append([*heads])
        panels[-1].append(column)
    return panels


def _lines(columns: Sequence[_Column], rows: Sequence[int], apart: int) -> list[str]:
    rule = _GAP.join("─" * column.width for column in columns)
    lines = [_GAP.join(column.head() for column in columns), rule]
    for row in rows:
        lines += [rule] if apart and row == apart else []
        lines.append(_GAP.join(column.cell(row) for column in columns))
    return lines
