"""The formats in which reports are written: for people rounded, for programs at full precision."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.errors import InputError, suggestion
from assay.results import markup
from assay.results.tables import Table
from assay.results.text_table import render_text, wrap_text

if TYPE_CHECKING:
    import polars as pl

    from assay.results.report import Report


LATEX_DIGITS = 3
"""Decimal places of tables for papers."""


@dataclass(frozen=True)
class TableLayout:
    """Options for writing a report.

    Attributes
    ----------
    digits
        Digits after the decimal point. By default 4 in the formats for people, 3 in LaTeX, and all of them in those for
        programs.
    width
        Width of the terminal; None: no limit.
    wide
        Print all columns instead of the compact table.
    bold
        Emphasise the best values with terminal codes.
    caption, label
        Of a LaTeX table; by default the caption explains marks, test and topics.
    spreadsheet
        Put an apostrophe before texts of CSV and TSV that a spreadsheet would execute.
    """

    digits: int | None = None
    width: int | None = None
    wide: bool = False
    bold: bool = False
    caption: str | None = None
    label: str = ""
    spreadsheet: bool = False


def render(report: Report, form: str = "table", show: str | None = None, layout: TableLayout = TableLayout()) -> bytes:
    """Return one table of a report in one of the ``FORMATS``, as bytes."""
    if form not in FORMATS:
        raise InputError(f"format {form!r}: choose one of {', '.join(FORMATS)}{suggestion(form, FORMATS)}")
    table = report.table(show)
    whole = Table(table.frame, table.frame, summary=table.summary, name=table.name)
    return FORMATS[form](report, whole if layout.wide else table, layout)


def _sentences(report: Report, table: Table) -> list[str]:
    return [text for text in (report.summary_of(table), table.caption) if text]


def _text(report: Report, table: Table, layout: TableLayout) -> bytes:
    width = None if layout.wide else layout.width
    below = "\n".join(wrap_text(text, layout.width) for text in _sentences(report, table))
    return (render_text(table, layout.digits, width, layout.bold) + (f"\n{below}" if below else "")).encode()


def _markdown(report: Report, table: Table, layout: TableLayout) -> bytes:
    return markup.render_markdown(table, layout.digits, _sentences(report, table)).encode()


def _latex(report: Report, table: Table, layout: TableLayout) -> bytes:
    default = (table.caption or _without_hints(report.summary_of(table))).replace("\n", "; ")
    caption = default if layout.caption is None else layout.caption
    digits = LATEX_DIGITS if layout.digits is None else layout.digits
    return markup.render_latex(table, digits, caption, layout.label).encode()


def _without_hints(text: str) -> str:
    """Return a summary without the sentences that name a command to go on with."""
    return " ".join(sentence for sentence in re.split(r"(?<=\.) ", text) if not sentence.startswith("assay "))


def _html(report: Report, table: Table, layout: TableLayout) -> bytes:
    fragment = markup.render_fragment(table, layout.digits, _sentences(report, table), report.notes)
    return markup.render_page(f"assay {report.name}", fragment).encode()


# Formats for programs -------------------------------------------------------------------------------------------


def _round(frame: pl.DataFrame, digits: int | None) -> pl.DataFrame:
    import polars as pl

    return frame if digits is None else frame.with_columns(pl.col(pl.Float64).round(digits))


def _write_separated(separator: str) -> Callable[[Report, Table, TableLayout], bytes]:
    def write(_report: Report, table: Table, layout: TableLayout) -> bytes:
        frame = _round(table.frame, layout.digits)
        shown = _disarm_formulas(frame) if layout.spreadsheet else frame
        return shown.write_csv(separator=separator).encode()

    return write


def _disarm_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Put an apostrophe before texts that a spreadsheet would execute."""
    import polars as pl

    text = pl.col(pl.String)
    return frame.with_columns(pl.when(text.str.contains(r"^[=+\-@\t\r]")).then("'" + text).otherwise(text).name.keep())


def _json(report: Report, table: Table, layout: TableLayout) -> bytes:
    rows = [
        {name: _infinity(value) for name, value in row.items()} for row in _round(table.frame, layout.digits).to_dicts()
    ]
    content = {
        "schema": report.schema(table.name),
        "provenance": report.provenance.as_dict(),
        "notes": list(report.notes),
        "summary": report.summary_of(table),
        "rows": rows,
    }
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _infinity(value: object) -> object:
    """Return infinity as text: JSON has no such number, and null means a missing value."""
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _parquet(report: Report, table: Table, layout: TableLayout) -> bytes:
    stream = io.BytesIO()
    metadata = {"assay": json.dumps(report.provenance.as_dict())}
    _round(table.frame, layout.digits).write_parquet(stream, metadata=metadata)
    return stream.getvalue()


def partition(report: Report, show: str | None, column: str, layout: TableLayout) -> Iterator[tuple[object, bytes]]:
    """Yield the values of *column*, and for each of them the Parquet file of its rows without the column."""
    table = report.table(show)
    for (value,), rows in table.frame.partition_by(column, as_dict=True, include_key=False).items():
        yield value, _parquet(report, Table(rows, rows), layout)


FORMATS: dict[str, Callable[[Report, Table, TableLayout], bytes]] = {
    "table": _text,
    "tsv": _write_separated("\t"),
    "csv": _write_separated(","),
    "json": _json,
    "markdown": _markdown,
    "latex": _latex,
    "parquet": _parquet,
    "html": _html,
}
ENDINGS = {
    ".tsv": "tsv",
    ".csv": "csv",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
    ".parquet": "parquet",
    ".html": "html",
}
"""The format that a file name tells by its ending."""
