"""Plain-text tables that fit the width of the terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from textwrap import fill

from assay.errors import escape_control_characters
from assay.results.names import shorten_names
from assay.results.snippets import display_width, make_snippet, pad_text
from assay.results.tables import Table, format_column, format_intervals, is_numeric

_GAP = "  "
_NARROWEST = 10  # Names are not shortened below this width.
_BOLD = "\033[1m{}\033[0m"


@dataclass(frozen=True)
class _Column:
    """A column of texts: its header, its cells, and the signs after the cells. Signs do not affect the alignment."""

    header: str
    cells: list[str]
    signs: list[str]
    numeric: bool
    bold: frozenset[int] = frozenset()
    fixed: bool = False  # The cells must not be shortened, such as bars.
    has_texts: bool = False  # The cells are texts, which are cut at the end.

    @cached_property
    def has_names(self) -> bool:
        """True if the cells are names, which may be shortened; numbers, ranges and bars may not."""
        return not (self.numeric or self.fixed) and any(c.isalpha() for cell in self.cells for c in cell)

    @cached_property
    def sign_width(self) -> int:
        return max(map(len, self.signs), default=0)

    @cached_property
    def width(self) -> int:
        return max([display_width(self.header), *(display_width(cell) + self.sign_width for cell in self.cells)])

    def format_header(self) -> str:
        # Texts that contain numbers, such as ranges, were padded on the left. Their header is aligned on the right.
        padded = not (self.has_names or self.fixed) and any("." in cell or cell.startswith(" ") for cell in self.cells)
        right = self.numeric or padded
        return pad_text(self.header, self.width, right=right)

    def format_cell(self, row: int) -> str:
        width = self.width - self.sign_width
        text = pad_text(self.cells[row], width, right=self.numeric)
        text = _BOLD.format(text) if row in self.bold else text
        return text + self.signs[row].ljust(self.sign_width)


def render_text(table: Table, digits: int | None, width: int | None, bold: bool = False) -> str:
    """Render the table as text.

    If the table is wider than *width* (None: no limit), long names are shortened in the middle. If that does not
    suffice, the table is split into panels below each other. Each panel repeats the columns that name the rows. A table
    without columns, which only has a summary, is an empty text.
    """
    if not table.compact.columns:
        return ""
    lines: list[str] = []
    columns = _shorten_columns(_build_columns(table, digits, bold), width)
    key_count = _count_keys(columns)
    for title, rows in table.groups():
        for panel in _split_panels(columns, key_count, width):
            lines += [
                *([""] if lines else []),
                *([title] if title else []),
                *_render_panel(panel, rows, table.rows_above_rule),
            ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def wrap_text(text: str, width: int | None) -> str:
    """Wrap each line of a text at *width* characters (None: no limit)."""
    if width is None:
        return f"{text}\n"
    return "".join(
        f"{fill(line, width, break_long_words=False, break_on_hyphens=False)}\n" for line in text.split("\n")
    )


def _build_columns(table: Table, digits: int | None, bold: bool) -> list[_Column]:
    """Format the columns of a table; the intervals of a column become a separate column after it."""
    columns = []
    for name in table.columns(terminal=True):
        cells = format_column(table, name, digits)
        best_rows = frozenset[int]().union(*(table.find_best(name, cells, rows) for _, rows in table.groups()))
        signs = [*table.marks.get(name, [""] * len(cells))]
        bold_rows = best_rows if bold else frozenset[int]()
        fixed = name in table.terminal_only
        columns.append(
            _Column(
                escape_control_characters(name),
                cells,
                signs,
                is_numeric(table, name),
                bold_rows,
                fixed,
                name in table.text_columns,
            )
        )
        if name in table.intervals:
            ends = format_intervals(table.intervals[name], digits)
            columns.append(_Column(table.interval_name, ends, [""] * len(ends), True))
    return columns


def _count_keys(columns: Sequence[_Column]) -> int:
    """Return the number of columns that name the rows: all before the first numeric column with a non-integer value."""
    for number, column in enumerate(columns):
        if column.numeric and not all(re.fullmatch(r"\d*", cell) for cell in column.cells):
            return number
    return min(1, len(columns))


def _total_width(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)


def _shorten_columns(columns: list[_Column], width: int | None) -> list[_Column]:
    """Shorten the names in the widest columns until the table fits; different names stay different.

    If the table cannot fit, return the columns unchanged: the table will be split into panels, where full names fit.
    """
    shortened = list(columns)
    while width is not None and _total_width(shortened) > width:
        candidates = [i for i, column in enumerate(shortened) if column.has_names and column.width > _NARROWEST]
        if not candidates:
            return columns
        widest = max(candidates, key=lambda i: shortened[i].width)
        column = shortened[widest]
        target = max(_NARROWEST, len(column.header), column.width - (_total_width(shortened) - width))
        if target >= column.width:
            return columns
        if column.has_texts:
            cells = [make_snippet(cell, target) for cell in column.cells]
        else:
            names = shorten_names(dict.fromkeys(column.cells), target)
            cells = [names[cell] for cell in column.cells]
        shortened[widest] = replace(column, cells=cells)
    return shortened


def _split_panels(columns: list[_Column], key_count: int, width: int | None) -> list[list[_Column]]:
    """Split the columns into panels that fit the width; each panel begins with the columns that name the rows."""
    if width is None or _total_width(columns) <= width:
        return [columns]
    key_columns = _shorten_columns(columns[:key_count], width // 2)
    panels = [[*key_columns]]
    for column in columns[key_count:]:
        if len(panels[-1]) > key_count and _total_width([*panels[-1], column]) > width:
            panels.append([*key_columns])
        panels[-1].append(column)
    return panels


def _render_panel(columns: Sequence[_Column], rows: Sequence[int], rows_above_rule: int) -> list[str]:
    rule = _GAP.join("─" * column.width for column in columns)
    lines = [_GAP.join(column.format_header() for column in columns), rule]
    for row in rows:
        lines += [rule] if rows_above_rule and row == rows_above_rule else []
        lines.append(_GAP.join(column.format_cell(row) for column in columns))
    return lines
