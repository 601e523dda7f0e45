"""Tables of values with named columns: a row for each value (long), or a column for each measure (wide)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io.columns import find_roles
from assay.io.problems import format_value
from assay.io.tabular import Tabular
from assay.model.notes import join_names
from assay.results.aggregation import aggregate_values
from assay.results.external.cells import MISSING, Cells, find_resolution, parse_values, split_summaries, take_rows
from assay.results.external.measures import parse_name
from assay.results.results import ALL

ALIASES = {
    "run": ("run", "system", "model", "run-id", "tag", "name"),
    "topic": ("topic", "query-id", "qid", "topic-id", "query"),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
}
"""Accepted names of the columns, the preferred name first."""
ASSAY_COLUMNS = ["run", "measure", "topic", "value"]
"""Columns of ``assay eval --per-topic``, in order."""
_IR_MEASURES_COLUMNS = {"query_id", "measure", "value"}
_MEANS_ONLY = "contains means only, without values of topics; write them with --per-topic, or ir_measures -q"


def read_tabular(table: Tabular, run: str, *, origin: str | None = None, keep_all: bool = False) -> Cells:
    """Read a table; *run* is the name of the run if no column names it.

    The values of the topic ``all`` are summaries in the output of ``assay eval --per-topic`` and of ir_measures. In
    other tables, this topic is an error unless *keep_all* is True.
    """
    columns = table.frame.columns
    roles = {role: columns[index] for role, index in find_roles(columns, ALIASES).items()}
    if set(columns) == {"measure", "value"}:
        raise InputError(f"{table.source}: {_MEANS_ONLY}")
    if "topic" not in roles:
        raise InputError(
            f"{table.source}: no column for the topic among {join_names(columns, 12)}; name it one of "
            f"{', '.join(ALIASES['topic'])}"
        )
    if table.frame.is_empty():
        raise InputError(f"{table.source}: contains no values")
    frame, locate, notes, resolution = (_read_long if {"measure", "value"} & roles.keys() else _read_wide)(table, roles)
    if "run" not in roles:
        frame = frame.with_columns(pl.lit(run).alias("run"))
    frame = frame.select("run", "topic", "measure", "value")
    if origin is None:
        is_assay, is_ir_measures = columns == ASSAY_COLUMNS, set(columns) == _IR_MEASURES_COLUMNS
        origin = "assay" if is_assay else "ir_measures" if is_ir_measures else "tidy"
    by_topic, summaries = split_summaries(frame)
    if by_topic.is_empty() and not keep_all:
        raise InputError(f"{table.source}: {_MEANS_ONLY}")
    if origin == "assay" and len(summaries) and not _are_aggregates(by_topic, summaries):
        origin = "tidy"
    if origin == "tidy" and not keep_all and len(summaries):
        row = int((frame["topic"] == ALL).arg_true()[0])
        raise InputError(
            f"{locate(row)}: topic 'all' usually is a mean over topics; remove its rows, or keep them as a topic with "
            "keep_all=True"
        )
    if origin == "tidy":
        by_topic, summaries = frame, summaries.clear()
    else:
        _, locate = take_rows(frame, locate, frame["topic"] != ALL)
    return Cells(
        by_topic,
        origin,
        table.source,
        table.digest,
        locate,
        summaries=summaries,
        resolution=resolution,
        notes=(*table.notes, *notes),
        one_run="run" not in roles,
    )


def _read_long(
    table: Tabular, roles: dict[str, str]
) -> tuple[pl.DataFrame, Callable[[int], str], list[str], float | None]:
    """Return the cells of a table with a row for each value."""
    for role in ("measure", "value"):
        if role not in roles:
            raise InputError(
                f"{table.source}: no column for the {role} among {join_names(table.frame.columns, 12)}; name it one of "
                f"{', '.join(ALIASES[role])}"
            )
    columns = [
        parse_values(table.frame[name], table.locate) if role == "value" else _read_ids(table, name, role)
        for role, name in roles.items()
    ]
    others = [name for name in table.frame.columns if name not in roles.values()]
    notes = [f"{table.source}: ignored columns {join_names(others, 12)}"] if others else []
    values = table.frame[roles["value"]]
    resolution = find_resolution(values) if values.dtype == pl.String else None
    return pl.DataFrame(columns), table.locate, notes, resolution


def _read_wide(
    table: Tabular, roles: dict[str, str]
) -> tuple[pl.DataFrame, Callable[[int], str], list[str], float | None]:
    """Return the cells of a table with a column for each measure."""
    names = [name for name in table.frame.columns if name not in roles.values()]
    if not names:
        raise InputError(f"{table.source}: contains no values; add a column for each measure, or measure and value")
    columns, resolutions = [], []
    for name in names:
        column = table.frame[name]
        if column.dtype == pl.String:
            _refuse_text(column, table.source)
            resolutions.append(find_resolution(column))
        columns.append(parse_values(column, table.locate).alias(name))
    ids = [_read_ids(table, name, role) for role, name in roles.items()]
    count = len(table.frame)
    # Columns are gathered by position, because a measure may have the name of another column, such as ``topic``.
    rows, measures = np.tile(np.arange(count), len(names)), np.repeat(np.arange(len(names)), count)
    frame = pl.DataFrame([column.gather(rows) for column in ids]).with_columns(
        pl.Series("measure", names, dtype=pl.String).gather(measures), pl.concat([c.alias("value") for c in columns])
    )
    known = [resolution for resolution in resolutions if resolution is not None]
    return frame, lambda row: table.locate(row % count), [], min(known, default=None)


def _refuse_text(column: pl.Series, source: str) -> None:
    """Refuse a column of texts, such as the category of a topic."""
    texts = column.str.strip_chars().drop_nulls()
    texts = texts.filter(~texts.str.to_lowercase().is_in(MISSING))
    if len(texts) and not texts.str.contains(r"^[+-]?(\.?[0-9]|inf)").any():
        raise InputError(
            f"{source}: column {format_value(column.name)} contains text, such as {format_value(texts[0], 30)}; in a "
            "table with a column for each measure, remove it (attributes of topics belong in a table of their own)"
        )


def _read_ids(table: Tabular, name: str, role: str) -> pl.Series:
    """Return a column of names or ids as text; whole numbers are accepted as their decimal text."""
    column = table.frame[name]
    if role == "measure" and column.dtype == pl.Object:  # measures of ir_measures
        column = pl.Series(list(map(str, column)), dtype=pl.String)
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum, pl.Null) and not column.dtype.is_integer():
        remedy = "write text (001 and 1 are two ids)" if role == "topic" else "write text"
        raise InputError(f"{table.source}: column {format_value(name)} ({role}) is {column.dtype}; {remedy}")
    texts = column.cast(pl.String).alias(role)
    missing = (texts.is_null() | (texts == "")).arg_true()
    if len(missing):
        raise InputError(f"{table.locate(int(missing[0]))}: the {role} is missing")
    return texts


def _are_aggregates(by_topic: pl.DataFrame, summaries: pl.DataFrame) -> bool:
    """Return True if each summary is the value over topics of its run and measure."""
    groups = by_topic.group_by("run", "measure").agg(pl.col("value"))
    joined = summaries.rename({"value": "summary"}).join(groups, on=["run", "measure"], how="left")
    for measure, summary, values in joined.select("measure", "summary", "value").iter_rows():
        parsed = parse_name(measure, "assay")
        numbers = np.array([np.nan if value is None else value for value in values or []])
        expected = aggregate_values(numbers, "mean" if parsed is None else parsed.aggregate)
        if not np.isclose(np.nan if summary is None else summary, expected, rtol=1e-9, atol=1e-12, equal_nan=True):
            return False
    return True
