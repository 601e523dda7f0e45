"""Tables for people and for programs: where numbers are rounded, and nowhere before."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, printable, suggestion

if TYPE_CHECKING:
    import polars as pl

DIGITS = 4


@dataclass(frozen=True, eq=False)
class Table:
    """A table in two shapes: *tidy* for programs (one value per row) and *wide* for people.

    *best* names the columns of *wide* in which the largest value is marked, *least* those in which the smallest is.
    *chances* names the columns of probabilities, which are never 0 however few digits are shown, with the smallest that
    can be told from 0. *marks* are the signs behind the values of a column, such as daggers, one text for each row.
    *caption* says what the table shows. *provenance* and *notes* go with it. With *spreadsheet*, texts of CSV and TSV
    that a spreadsheet would execute are written with an apostrophe before them; else they are written as they are.
    """

    tidy: pl.DataFrame
    wide: pl.DataFrame
    best: tuple[str, ...] = ()
    provenance: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    least: tuple[str, ...] = ()
    chances: Mapping[str, float] = field(default_factory=dict)
    marks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    caption: str = ""
    spreadsheet: bool = False


def drop_fractions(frame: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Return the frame with those of the named columns as integers that hold whole numbers only.

    Numbers beyond 2^53 stay as they are: they have no exact integer, and the largest do not fit into 64 bits.
    """
    import polars as pl

    whole = [name for name in names if ((frame[name] == frame[name].round()) & (frame[name].abs() <= 2**53)).all()]
    return frame.with_columns(pl.col(whole).cast(pl.Int64))


def render(table: Table, form: str, digits: int | None = None, *, bold: bool = False) -> bytes:
    """The table in one of the formats, as bytes.

    Parameters
    ----------
    form
        ``table``, ``tsv``, ``csv``, ``json``, ``markdown``, ``latex``, ``parquet`` or ``html``.
    digits
        Digits behind the point. By default 4 in the formats for people and all of them in those for programs.
    bold
        Mark the best values with terminal codes (``table`` only).
    """
    if form not in FORMATS:
        raise InputError(f"format {form!r}: choose one of {', '.join(FORMATS)}{suggestion(form, FORMATS)}")
    if form == "table":
        return _text(table, _shown(digits), bold).encode()
    return _WRITERS[form](table, digits)


def _shown(digits: int | None) -> int:
    return DIGITS if digits is None else digits


def _rounded(frame: pl.DataFrame, digits: int | None) -> pl.DataFrame:
    import polars as pl

    return frame if digits is None else frame.with_columns(pl.col(pl.Float64).round(digits))


def _separated(table: Table, separator: str, digits: int | None) -> bytes:
    frame = _rounded(table.tidy, digits)
    return (_without_formulas(frame) if table.spreadsheet else frame).write_csv(separator=separator).encode()


def _without_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Put an apostrophe before texts that a spreadsheet would execute."""
    import polars as pl

    text = pl.col(pl.String)
    return frame.with_columns(pl.when(text.str.contains(r"^[=+\-@\t\r]")).then("'" + text).otherwise(text).name.keep())


def _json(table: Table, digits: int | None) -> bytes:
    rows = [{name: _infinity(value) for name, value in row.items()} for row in _rounded(table.tidy, digits).to_dicts()]
    caption = {"caption": table.caption} if table.caption else {}
    content = {"provenance": table.provenance, "notes": list(table.notes), **caption, "rows": rows}
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _infinity(value: object) -> object:
    """JSON has no number for what is infinite; a text tells it from what is missing."""
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _parquet(table: Table, digits: int | None) -> bytes:
    import io

    stream = io.BytesIO()
    _rounded(table.tidy, digits).write_parquet(stream, metadata={"assay": json.dumps(table.provenance)})
    return stream.getvalue()


def partitions(table: Table, column: str, digits: int | None = None) -> Iterator[tuple[object, bytes]]:
    """The values of *column*, and of each the Parquet of its rows without it."""
    for (value,), part in table.tidy.partition_by(column, as_dict=True, include_key=False).items():
        yield value, _parquet(replace(table, tidy=part), digits)


def _cells(table: Table, digits: int) -> list[list[str]]:
    least = [table.chances.get(name) for name in table.wide.columns]
    return [
        [
            _cell(value, digits) if low is None else _chance(value, digits, low)
            for value, low in zip(row, least, strict=True)
        ]
        for row in table.wide.rows()
    ]


def _cell(value: object, digits: int) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, float):
        return f"{value:z.{digits}f}"  # z: what rounds to zero has no sign
    return printable(str(value))


def _chance(value: object, digits: int, least: float) -> str:
    """A probability: one too small to be told from 0, or to be shown, is below the smallest that can be."""
    if not (isinstance(value, float) and value < 0.5 * 10.0**-digits):
        return _cell(value, digits)
    return f"<{_cell(max(least * (value == 0), 10.0**-digits), digits)}"


def _numeric(frame: pl.DataFrame) -> list[bool]:
    return [dtype.is_numeric() for dtype in frame.dtypes]


def _marked(table: Table, cells: list[list[str]], mark: Callable[[str], str]) -> list[list[str]]:
    """Mark the best values of the columns that have one; what prints the same is marked the same."""
    if len(cells) < 2:
        return cells
    marked = [list(row) for row in cells]
    for column, name in enumerate(table.wide.columns):
        if name in (*table.best, *table.least):
            values = table.wide[name].fill_nan(None) if table.wide[name].dtype.is_float() else table.wide[name]
            top = values.arg_max() if name in table.best else values.arg_min()
            for row in marked:
                if top is not None and row[column] == cells[top][column]:
                    row[column] = mark(row[column])
    return marked


def _signed(table: Table, cells: list[list[str]], sign: Callable[[str], str]) -> list[list[str]]:
    """Put the signs of ``marks`` behind the values."""
    signs = [table.marks.get(name) for name in table.wide.columns]
    return [
        [cell + (sign(of[row]) if of is not None and of[row] else "") for cell, of in zip(line, signs, strict=True)]
        for row, line in enumerate(cells)
    ]


def _text(table: Table, digits: int, bold: bool) -> str:
    header, cells, right = _header(table), _cells(table, digits), _numeric(table.wide)
    marks = [table.marks.get(name) for name in table.wide.columns]
    signs = [list(mark or [""] * len(cells)) for mark in marks]
    behind = [max(map(len, of), default=0) for of in signs]
    widths = [
        max([len(name), *(len(cell) + extra for cell in column)])
        for name, extra, *column in zip(header, behind, *cells, strict=True)
    ]

    def padded(row: Sequence[str], less: Sequence[int]) -> list[str]:
        room = [width - taken for width, taken in zip(widths, less, strict=True)]
        return [c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, room, right, strict=True)]

    shown = [padded(row, behind) for row in cells]
    if bold:
        shown = _marked(table, shown, lambda cell: f"\033[1m{cell}\033[0m")
    lines = [
        [cell + of[number].ljust(extra) for cell, of, extra in zip(row, signs, behind, strict=True)]
        for number, row in enumerate(shown)
    ]
    body = [padded(header, [0] * len(header)), ["─" * width for width in widths], *lines]
    return "\n".join("  ".join(row).rstrip() for row in body) + "\n" + (f"{table.caption}\n" if table.caption else "")


def _markdown(table: Table, digits: int) -> str:
    plain = [[_markdown_text(cell) for cell in row] for row in _cells(table, digits)]
    cells = _signed(table, _marked(table, plain, lambda cell: f"**{cell}**"), _markdown_text)
    header = [_markdown_text(name) for name in _header(table)]
    rule = ["---:" if right else "---" for right in _numeric(table.wide)]
    rows = "".join(f"| {' | '.join(row)} |\n" for row in [header, rule, *cells])
    return rows + (f"\n{_markdown_text(table.caption)}\n" if table.caption else "")


def _markdown_text(text: str) -> str:
    """Escape what Markdown would take for markup: of its own, or tags and entities of HTML."""
    return re.sub(r"([\\`*|\[\]]|<(?=[A-Za-z/!?])|&(?=#?\w+;))", r"\\\1", text)


def _header(table: Table) -> list[str]:
    return [printable(name) for name in table.wide.columns]


_LATEX = {
    "\\": r"\textbackslash{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
    **{c: f"${c}$" for c in "<>"},
    **{
        c: f"$^{{{name}}}$"
        for c, name in (("†", r"\dagger"), ("‡", r"\ddagger"), ("§", r"\S"), ("¶", r"\P"), ("↓", r"\downarrow"))
    },
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def _tex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)


def _latex(table: Table, digits: int) -> str:
    escaped = [[_tex(cell) for cell in row] for row in _cells(table, digits)]
    cells = _signed(table, _marked(table, escaped, lambda cell: f"\\textbf{{{cell}}}"), _raised)
    header = [_tex(name) for name in _header(table)]
    columns = "".join("r" if right else "l" for right in _numeric(table.wide))
    rows = "".join(f"{' & '.join(row)} \\\\\n" for row in cells)
    tabular = (
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{' & '.join(header)} \\\\\n\\midrule\n"
        f"{rows}\\bottomrule\n\\end{{tabular}}\n"
    )
    if not table.caption:
        return tabular
    return f"\\begin{{table}}\n\\centering\n\\caption{{{_tex(table.caption)}}}\n{tabular}\\end{{table}}\n"


def _raised(signs: str) -> str:
    """Signs as superscripts; daggers and their like are so by themselves."""
    each = [_tex(c) if _tex(c).startswith("$^") else f"\\textsuperscript{{{_tex(c)}}}" for c in signs]
    return "".join(each).replace("}$$^{", "")  # neighbours stand together


_STYLE = (
    ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:2rem}"
    "table{border-collapse:collapse}caption{caption-side:bottom;padding-top:.5em;text-align:left}"
    "th,td{padding:.2em .8em;text-align:left;white-space:nowrap}thead th{border-bottom:1px solid}"
    ".n{text-align:right;font-variant-numeric:tabular-nums}"
)


def _html(table: Table, digits: int) -> str:
    """A page of its own that loads nothing; its colours are those of the reader, light or dark."""
    plain = [[escape(cell) for cell in row] for row in _cells(table, digits)]
    marked = _marked(table, plain, lambda cell: f"<strong>{cell}</strong>")
    cells = _signed(table, marked, lambda signs: f"<sup>{escape(signs)}</sup>")
    kinds = [' class="n"' if right else "" for right in _numeric(table.wide)]
    head = "".join(f"<th{kind}>{escape(name)}</th>" for name, kind in zip(_header(table), kinds, strict=True))
    rows = "".join(
        f"<tr>{''.join(f'<td{kind}>{cell}</td>' for cell, kind in zip(row, kinds, strict=True))}</tr>\n"
        for row in cells
    )
    caption = f"<caption>{escape(table.caption)}</caption>\n" if table.caption else ""
    title = escape(table.caption or "assay")
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n<style>{_STYLE}</style>\n'
        f"<table>\n{caption}<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    )


_WRITERS: dict[str, Callable[[Table, int | None], bytes]] = {
    "tsv": lambda table, digits: _separated(table, "\t", digits),
    "csv": lambda table, digits: _separated(table, ",", digits),
    "json": _json,
    "markdown": lambda table, digits: _markdown(table, _shown(digits)).encode(),
    "latex": lambda table, digits: _latex(table, _shown(digits)).encode(),
    "parquet": _parquet,
    "html": lambda table, digits: _html(table, _shown(digits)).encode(),
}
FORMATS = ("table", *_WRITERS)
