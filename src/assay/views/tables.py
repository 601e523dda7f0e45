"""Tables for people and for programs: where numbers are rounded, and nowhere before."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, suggestion

if TYPE_CHECKING:
    import polars as pl

DIGITS = 4


@dataclass(frozen=True, eq=False)
class Table:
    """A table in two shapes: *tidy* for programs (one value per row) and *wide* for people.

    *best* names the columns of *wide* in which the largest value is marked; *provenance* and *notes* go with it.
    """

    tidy: pl.DataFrame
    wide: pl.DataFrame
    best: tuple[str, ...] = ()
    provenance: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def render(table: Table, form: str, digits: int | None = None, *, bold: bool = False) -> bytes:
    """The table in one of the formats, as bytes.

    Parameters
    ----------
    form
        ``table``, ``tsv``, ``csv``, ``json``, ``markdown``, ``latex`` or ``parquet``.
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


def _separated(frame: pl.DataFrame, separator: str, digits: int | None) -> bytes:
    return _rounded(frame, digits).write_csv(separator=separator, null_value="nan").encode()


def _json(table: Table, digits: int | None) -> bytes:
    rows = [{name: _infinity(value) for name, value in row.items()} for row in _rounded(table.tidy, digits).to_dicts()]
    content = {"provenance": table.provenance, "notes": list(table.notes), "rows": rows}
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _infinity(value: object) -> object:
    """JSON has no number for what is infinite; a text tells it from what is missing."""
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _parquet(table: Table, digits: int | None) -> bytes:
    import io

    stream = io.BytesIO()
    _rounded(table.tidy, digits).write_parquet(stream, metadata={"assay": json.dumps(table.provenance)})
    return stream.getvalue()


def _cells(table: Table, digits: int) -> list[list[str]]:
    return [[_cell(value, digits) for value in row] for row in table.wide.rows()]


def _cell(value: object, digits: int) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, float):
        return f"{value:.{digits}f}"
    return str(value)


def _numeric(frame: pl.DataFrame) -> list[bool]:
    return [dtype.is_numeric() for dtype in frame.dtypes]


def _marked(table: Table, cells: list[list[str]], mark: Callable[[str], str]) -> list[list[str]]:
    """Mark the largest values of the columns in ``best``; what prints the same is marked the same."""
    if len(cells) < 2:
        return cells
    marked = [list(row) for row in cells]
    for column, name in enumerate(table.wide.columns):
        if name in table.best:
            top = table.wide[name].arg_max()
            for row in marked:
                if top is not None and row[column] == cells[top][column]:
                    row[column] = mark(row[column])
    return marked


def _text(table: Table, digits: int, bold: bool) -> str:
    header, cells, right = list(table.wide.columns), _cells(table, digits), _numeric(table.wide)
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]

    def line(row: Sequence[str]) -> str:
        padded = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True))
        return "  ".join(padded).rstrip()

    padded = [[c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)] for row in cells]
    shown = _marked(table, padded, lambda cell: f"\033[1m{cell}\033[0m") if bold else padded
    body = ["  ".join(row).rstrip() for row in shown]
    return "\n".join([line(header), "  ".join("─" * w for w in widths), *body]) + "\n"


def _markdown(table: Table, digits: int) -> str:
    cells = _marked(table, _cells(table, digits), lambda cell: f"**{cell}**")
    cells = [[cell.replace("|", "\\|") for cell in row] for row in cells]
    header = [name.replace("|", "\\|") for name in table.wide.columns]
    rule = ["---:" if right else "---" for right in _numeric(table.wide)]
    return "".join(f"| {' | '.join(row)} |\n" for row in [header, rule, *cells])


_LATEX = {
    "\\": r"\textbackslash{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def _latex(table: Table, digits: int) -> str:
    escaped = [["".join(_LATEX.get(c, c) for c in cell) for cell in row] for row in _cells(table, digits)]
    cells = _marked(table, escaped, lambda cell: f"\\textbf{{{cell}}}")
    header = ["".join(_LATEX.get(c, c) for c in name) for name in table.wide.columns]
    columns = "".join("r" if right else "l" for right in _numeric(table.wide))
    rows = "".join(f"{' & '.join(row)} \\\\\n" for row in cells)
    return (
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{' & '.join(header)} \\\\\n\\midrule\n"
        f"{rows}\\bottomrule\n\\end{{tabular}}\n"
    )


_WRITERS: dict[str, Callable[[Table, int | None], bytes]] = {
    "tsv": lambda table, digits: _separated(table.tidy, "\t", digits),
    "csv": lambda table, digits: _separated(table.tidy, ",", digits),
    "json": _json,
    "markdown": lambda table, digits: _markdown(table, _shown(digits)).encode(),
    "latex": lambda table, digits: _latex(table, _shown(digits)).encode(),
    "parquet": _parquet,
}
FORMATS = ("table", *_WRITERS)
