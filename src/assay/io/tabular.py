"""Tables of any kind as a polars frame: CSV, TSV, JSON records, Parquet, and frames of other libraries.

A table has one row for each record; its columns have names. The readers of topic attributes and of external values use
:func:`read_table`; columns are found with :func:`assay.io.columns.find_roles`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from assay.errors import InputError
from assay.io import delimited, frames, json, parquet
from assay.io import source as sources
from assay.io.dicts import describe_value
from assay.io.paths import path_text
from assay.io.problems import Problems, format_value
from assay.io.source import Source

_TYPES: dict[frozenset[type], Any] = {
    frozenset({str}): pl.String,
    frozenset({bool}): pl.Boolean,
    frozenset({int}): pl.Int64,
    frozenset({float}): pl.Float64,
    frozenset({int, float}): pl.Float64,
    frozenset(): pl.Null,
}


@dataclass(frozen=True, eq=False)
class Tabular:
    """A table and its source.

    Attributes
    ----------
    frame
        The rows. Columns of CSV and TSV are text; empty cells are missing.
    locate
        Function that returns the place of a row, given its number from 0, as messages show it (``topics.csv:12``).
    source
        The name of the source in messages.
    digest
        The SHA-256 of the file; None if the table is not a file.
    notes
        Notes on lines that a lenient reader skipped.
    """

    frame: pl.DataFrame
    locate: Callable[[int], str]
    source: str
    digest: str | None = None
    notes: tuple[str, ...] = ()


def read_table(table: Any, *, label: str = "table", lenient: bool = False) -> Tabular:
    """Read a table with named columns.

    Parameters
    ----------
    table
        A path (``-`` is standard input), a :class:`Source`, or a frame of polars, pandas, pyarrow or another library
        with the Arrow interface. Files are CSV, TSV, JSON Lines or a JSON list of flat objects, or Parquet, optionally
        compressed. The content decides on the format.
    label
        The name of a frame in messages.
    lenient
        Skip and count lines that cannot be parsed.
    """
    if not isinstance(table, str | Path | Source):
        return Tabular(frames.to_polars(table, label), frames.locate_rows(label), label)
    source = table if isinstance(table, Source) else sources.read(path_text(table), lenient)
    problems = Problems(source.path, lenient)
    if parquet.matches(source):
        frame: pl.DataFrame = parquet.read_frame(source)
        locate: Callable[[int], str] = frames.locate_rows(source.path)
    elif json.matches(source):
        frame, locate = _read_records(source, problems)
    else:
        frame, locate = delimited.parse(source.data, problems)
    return Tabular(frame, locate, source.path, source.digest, (*source.notes, *problems.notes()))


def _read_records(source: Source, problems: Problems) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """Return the columns of flat JSON objects; a key that an object lacks is a missing value."""
    places: list[str] = []
    columns: dict[str, list[Any]] = {}
    for item, place in json.parse_items(source, problems):
        if not isinstance(item, json.Object):
            raise InputError(f"{place}: expected an object with a key for each column, found {describe_value(item)}")
        for key, value in item:
            if isinstance(value, json.Object):
                message = (
                    f"{format_value(key)} is an object; tables need text, numbers or lists; write one key for each"
                )
                raise InputError(f"{place}: {message} of its values")
            column = columns.setdefault(key, [])
            if len(column) > len(places):
                raise InputError(f"{place}: the key {format_value(key)} occurs twice; remove one")
            column.extend([None] * (len(places) - len(column)))
            column.append(value)
        places.append(place)
    series = [
        _build_column(name, values + [None] * (len(places) - len(values)), places) for name, values in columns.items()
    ]
    return pl.DataFrame(series), lambda row: places[row]


def _build_column(name: str, values: list[Any], places: list[str]) -> pl.Series:
    """Return a column of values of one type; whole numbers among text become text, as ids may be either."""
    types = frozenset(map(type, values)) - {type(None)}
    if types == {str, int}:
        values = [str(value) if type(value) is int else value for value in values]
        types = frozenset({str})
    if types and types <= {list}:
        items = [item for value in values if value is not None for item in value]
        item_type = _TYPES.get(frozenset(map(type, items)) - {type(None)})
        dtype = None if item_type is None else pl.List(item_type)
    else:
        dtype = _TYPES.get(types)
    first = next((row for row, value in enumerate(values) if value is not None), 0)
    if dtype is None:
        other = next(
            (row for row, value in enumerate(values) if type(value) not in (type(None), type(values[first]))), first
        )
        kinds = " and ".join(sorted({type(values[row]).__name__ for row in (first, other)}))
        raise InputError(
            f"{places[other]}: {format_value(name)} has values of different types ({kinds}, first at {places[first]}); "
            "write all of them as text or all as numbers"
        )
    try:
        return pl.Series(name, values, dtype=dtype)
    except (OverflowError, UnicodeEncodeError, pl.exceptions.PolarsError, TypeError) as error:
        raise InputError(
            f"{places[first]}: {format_value(name)} cannot be stored ({error}); write it as text"
        ) from None
