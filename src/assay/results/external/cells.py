"""Cells: the values of one source as rows of run, topic, measure and value, before names are interpreted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io.numbers import NUMBER
from assay.io.problems import format_value, shorten
from assay.results.results import ALL

MISSING = ("", "na", "nan", "-nan", "null", "none")
"""Texts of a missing value, in lower case."""
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_COMMAS = re.compile(r"[+-]?\d+(,\d+)+(\.\d*)?", re.ASCII)


@dataclass(frozen=True, eq=False)
class Cells:
    """The values of one source.

    Attributes
    ----------
    frame
        A row for each value: run, topic, measure (as the source writes it), value. A null is a missing value.
    origin
        The format, which fixes the meaning of the names of measures; see ``parse_name``.
    source, digest
        The name of the source in messages, and the SHA-256 of its file.
    locate
        Function that returns the place of a row in messages.
    summaries
        The values over topics that the source contains: run, measure, value.
    texts
        Number of values that are texts, which are left out.
    resolution
        The unit of the last decimal of the values; None if the values are not printed decimals.
    notes
        Notes on lines that were skipped.
    one_run
        True if the source contains one run and its format names no run in each row.
    """

    frame: pl.DataFrame
    origin: str
    source: str
    digest: str | None
    locate: Callable[[int], str]
    summaries: pl.DataFrame | None = None
    texts: int = 0
    resolution: float | None = None
    notes: tuple[str, ...] = ()
    one_run: bool = False


def parse_values(column: pl.Series, locate: Callable[[int], str]) -> pl.Series:
    """Return a column of values as doubles; missing values become null, and texts that are no numbers are an error."""
    if column.dtype.is_numeric() or column.dtype == pl.Null:
        values = column.cast(pl.Float64).fill_nan(None)
        _refuse_infinite(values, column, locate)
        return values.alias("value")
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        raise InputError(f"{locate(0)}: values must be numbers, but column {column.name!r} is {column.dtype}")
    texts = column.cast(pl.String).str.strip_chars()
    is_missing = texts.is_null() | texts.str.to_lowercase().is_in(MISSING)
    is_number = texts.str.contains(rf"^(?:{NUMBER.pattern})$".replace(r"\d", "[0-9]"))
    bad = (~(is_missing | is_number)).arg_true()
    if len(bad):
        raise InputError(f"{locate(int(bad[0]))}: {_describe_bad_value(texts[int(bad[0])])}")
    values = texts.set(is_missing, None).cast(pl.Float64)
    _refuse_infinite(values, texts, locate)
    return values.alias("value")


def _refuse_infinite(values: pl.Series, shown: pl.Series, locate: Callable[[int], str]) -> None:
    infinite = (values.is_infinite().fill_null(False)).arg_true()
    if len(infinite):
        row = int(infinite[0])
        raise InputError(f"{locate(row)}: the value must be a finite number, got {shorten(str(shown[row]))}")


def _describe_bad_value(text: str) -> str:
    if _INFINITE.fullmatch(text):
        return f"the value must be a finite number, got {text}; leave it empty if it is missing"
    if _COMMAS.fullmatch(text):
        return (
            f"the value {text} contains a comma; write numbers with a decimal point and without separators of thousands"
        )
    return f"the value {format_value(text)} is not a number; leave it empty if it is missing"


def find_resolution(texts: pl.Series) -> float | None:
    """Return the unit of the last decimal of printed numbers; None if there are no numbers.

    >>> find_resolution(pl.Series(["0.0324", "71", "1e-2"]))
    0.0001
    """
    parts = (
        texts.cast(pl.String)
        .str.strip_chars()
        .str.extract_groups(r"^[+-]?[0-9]*(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$")
    )
    decimals = parts.struct.field("1").str.len_chars().fill_null(0).cast(pl.Int64)
    exponent = parts.struct.field("2").cast(pl.Int64, strict=False).fill_null(0)
    units = (decimals - exponent).filter(texts.str.contains("[0-9]")).to_list()
    return float(f"1e{-max(units)}") if units else None


def split_summaries(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows of topics, and the rows over all topics (run, measure, value)."""
    is_summary = frame["topic"] == ALL
    return frame.filter(~is_summary), frame.filter(is_summary).select("run", "measure", "value")


def take_rows(
    frame: pl.DataFrame, locate: Callable[[int], str], keep: pl.Series
) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """Return the rows to keep, and their places."""
    rows = np.flatnonzero(keep.to_numpy())
    return frame[rows], lambda row: locate(int(rows[row]))
