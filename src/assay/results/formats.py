"""Output formats of reports: rounded for people, at full precision for programs."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from assay.errors import check_choice
from assay.results import markup
from assay.results.tables import Table
from assay.results.text_table import render_text, wrap_text

if TYPE_CHECKING:
    import polars as pl

    from assay.results.report import Report


LATEX_DIGITS = 3
"""Default number of decimal places in LaTeX tables."""


@dataclass(frozen=True)
class TableLayout:
    """Options for writing a report.

    Attributes
    ----------
    digits
        Number of digits after the decimal point. The default is 4 in the formats for people, 3 in LaTeX, and full
        precision in the formats for programs.
    width
        Width of the terminal in characters; None: no limit.
    wide
        Print all columns instead of the compact table.
    bold
        Print the best values in bold, with terminal escape codes.
    caption, label
        Caption and label of a LaTeX table; by default the caption explains marks, test and topics.
    spreadsheet
        In CSV and TSV, put an apostrophe before texts that a spreadsheet would execute as formulas.
    """

    digits: int | None = None
    width: int | None = None
    wide: bool = False
    bold: bool = False
    caption: str | None = None
    label: str = ""
    spreadsheet: bool = False


def render(report: Report, form: str = "table", show: str | None = None, layout: TableLayout = TableLayout()) -> bytes:
    """Render one table of a report in one of the ``FORMATS``; return the bytes."""
    check_choice(f"format {form!r}", form, FORMATS)
    table = report.table(show)
    all_columns = Table(table.frame, table.frame, summary=table.summary, name=table.name)
    return FORMATS[form](report, all_columns if layout.wide else table, layout)


def _list_sentences(report: Report, table: Table) -> list[str]:
    """Return the texts below a table: the summary and the caption, without empty texts."""
    return [text for text in (report.summary_of(table), table.caption) if text]


def _render_text(report: Report, table: Table, layout: TableLayout) -> bytes:
    width = None if layout.wide else layout.width
    below = "\n".join(wrap_text(text, layout.width) for text in _list_sentences(report, table))
    above = render_text(table, layout.digits, width, layout.bold)
    return "\n".join(filter(None, [above, below])).encode()


def _render_markdown(report: Report, table: Table, layout: TableLayout) -> bytes:
    return markup.render_markdown(table, layout.digits, _list_sentences(report, table)).encode()


def _render_latex(report: Report, table: Table, layout: TableLayout) -> bytes:
    default = (table.caption or _drop_hints(report.summary_of(table))).replace("\n", "; ")
    caption = default if layout.caption is None else layout.caption
    digits = LATEX_DIGITS if layout.digits is None else layout.digits
    return markup.render_latex(table, digits, caption, layout.label).encode()


def _drop_hints(text: str) -> str:
    """Drop the sentences of a summary that suggest a command, such as "assay compare tests …"."""
    return " ".join(sentence for sentence in re.split(r"(?<=\.) ", text) if not sentence.startswith("assay "))


def _render_html(report: Report, table: Table, layout: TableLayout) -> bytes:
    fragment = markup.render_fragment(table, layout.digits, _list_sentences(report, table), report.notes)
    return markup.render_page(f"assay {report.name}", fragment).encode()


# Formats for programs -------------------------------------------------------------------------------------------


def _round(frame: pl.DataFrame, digits: int | None) -> pl.DataFrame:
    import polars as pl

    return frame if digits is None else frame.with_columns(pl.col(pl.Float64).round(digits))


def _render_csv(_report: Report, table: Table, layout: TableLayout, separator: str = ",") -> bytes:
    frame = _round(table.frame, layout.digits)
    frame = _escape_formulas(frame) if layout.spreadsheet else frame
    return frame.write_csv(separator=separator).encode()


def _escape_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Put an apostrophe before texts that a spreadsheet would execute as formulas."""
    import polars as pl

    text = pl.col(pl.String)
    return frame.with_columns(pl.when(text.str.contains(r"^[=+\-@\t\r]")).then("'" + text).otherwise(text).name.keep())


def _render_json(report: Report, table: Table, layout: TableLayout) -> bytes:
    """Render the rows with the schema, the provenance, the notes and the summary of the report."""
    frame = _round(table.frame, layout.digits)
    rows = [{name: _encode_infinity(value) for name, value in row.items()} for row in frame.to_dicts()]
    content = {
        "schema": report.schema(table.name),
        "provenance": report.provenance.as_dict(),
        "notes": list(report.notes),
        "summary": report.summary_of(table),
        "rows": rows,
    }
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _encode_infinity(value: object) -> object:
    """Return infinity as text: JSON has no infinity, and null means a missing value."""
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _render_parquet(report: Report, table: Table, layout: TableLayout) -> bytes:
    stream = io.BytesIO()
    metadata = {"assay": json.dumps(report.provenance.as_dict())}
    _round(table.frame, layout.digits).write_parquet(stream, metadata=metadata)
    return stream.getvalue()


def render_partitions(
    report: Report, show: str | None, column: str, layout: TableLayout
) -> Iterator[tuple[object, bytes]]:
    """Yield each value of *column* with a Parquet file of its rows; the files do not contain the column."""
    table = report.table(show)
    for (value,), rows in table.frame.partition_by(column, as_dict=True, include_key=False).items():
        yield value, _render_parquet(report, Table(rows, rows), layout)


FORMATS: dict[str, Callable[[Report, Table, TableLayout], bytes]] = {
    "table": _render_text,
    "tsv": partial(_render_csv, separator="\t"),
    "csv": _render_csv,
    "json": _render_json,
    "markdown": _render_markdown,
    "latex": _render_latex,
    "parquet": _render_parquet,
    "html": _render_html,
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
"""Output format for each file name extension."""
