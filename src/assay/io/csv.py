r"""Text with a header and delimiters: CSV, TSV, and the format of BEIR (``query-id\tcorpus-id\tscore``).

The delimiter is a comma, a tab or a semicolon; the first lines show which. The header has the column names of
:mod:`assay.io.columns`. Cells may be quoted. Blank lines are skipped, and there are no comments. If a file contains
several runs, a column such as ``run`` or ``tag`` names the run of each row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io import delimited, json
from assay.io.checks import VALUE, select_rows
from assay.io.columns import ID_WORD
from assay.io.numbers import parse_number
from assay.io.problems import format_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.io.columns import ColumnNames
    from assay.io.problems import Problems
    from assay.io.source import Source

_SUFFIXES = (".csv", ".tsv")


def matches(source: Source) -> bool:
    """Recognize the format by a first line that names columns."""
    return not json.matches(source) and delimited.has_header(
        source.data, min_columns=2 if source.suffix in _SUFFIXES else 3
    )


def read_rows(source: Source, names: ColumnNames, problems: Problems) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """Return the rows of the file, and a function that maps a row number to its place (``file:line``)."""
    header = delimited.find_header(source.data)
    columns = names.find(header.names, f"{source.path}:1")
    frame, locate = delimited.parse(source.data, problems, list(columns.values()))
    if frame.is_empty() and not problems.notes():
        raise InputError(f"{source.path}: nothing follows the header")
    rows = pl.DataFrame([frame[header.names[column]].alias(role) for role, column in columns.items()])
    if header.delimiter != delimited.TAB:
        # Blanks after a comma are common, and an id with a blank would not match any other.
        rows = rows.with_columns(pl.col(*ID_WORD).str.strip_chars(" "))
    value, keep = parse_numbers(rows["value"], VALUE[names.kind], locate, problems)
    return select_rows(rows.with_columns(value=value), locate, keep)


def parse_numbers(
    texts: pl.Series, word: str, locate: Callable[[int], str], problems: Problems
) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of a column of text, and a mask of the finite numbers; other values are problems.

    *word* names the column in messages, such as ``score``.
    """
    texts = texts.str.strip_chars(" ")
    values = texts.cast(pl.Float64, strict=False).to_numpy(writable=True)
    # Some texts are numbers only for polars or only for the readers of other formats; look at unusual texts one by one.
    unusual = np.flatnonzero(~texts.str.contains(r"^-?[0-9]+(\.[0-9]+)?$").fill_null(False).to_numpy())
    parsed = [parse_number(text or "") for text in texts.gather(unusual).to_list()]
    values[unusual] = [np.nan if number is None else number for number in parsed]
    keep = np.isfinite(values)
    if not keep.all():
        bad = np.flatnonzero(~keep)
        message = f"the {word} must be a finite number, found {format_value(texts[int(bad[0])] or '')}"
        problems.report(locate(int(bad[0])), message, f"skipped lines whose {word} is not a finite number", len(bad))
    return values, keep
