"""Costs of documents and weights of subtopics: text with blanks between columns, or a table with a header."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io import delimited, json, parquet
from assay.io import source as sources
from assay.io.columns import FACET_NAMES, NAMES, find_roles, list_names
from assay.io.paths import path_text
from assay.io.problems import Problems, format_value
from assay.io.tabular import Tabular, read_table
from assay.io.text import Layout, parse_rows, strip_bom

_COST = {"doc": NAMES["run"]["doc"], "value": ("cost", "time", "length")}
_WEIGHT = {
    "topic": NAMES["run"]["topic"],
    "subtopic": FACET_NAMES["subtopic"],
    "value": ("weight", "probability"),
}


def read_costs(costs: Any, lenient: bool = False) -> Tabular:
    """Read costs of documents: a path, a dict ``{document: cost}`` or a frame; the columns are doc and value."""
    if isinstance(costs, Mapping):
        costs = pl.DataFrame({"doc": list(map(str, costs)), "cost": list(costs.values())}, strict=False)
    table = _read(costs, ("doc", "cost"), _COST, "costs", lenient)
    return _check(table, ("doc",), "cost", lenient, allow_zero=False)


def read_weights(weights: Any, lenient: bool = False) -> Tabular:
    """Read weights of subtopics: a path, a dict ``{topic: {subtopic: weight}}`` or a frame.

    The columns are topic, subtopic and value.
    """
    if isinstance(weights, Mapping):
        rows = [(str(topic), str(name), w) for topic, of_topic in weights.items() for name, w in of_topic.items()]
        weights = pl.DataFrame(rows, schema=["topic", "subtopic", "weight"], orient="row", strict=False)
    table = _read(weights, ("topic", "subtopic", "weight"), _WEIGHT, "subtopic weights", lenient)
    return _check(table, ("topic", "subtopic"), "weight", lenient, allow_zero=True)


def _read(
    data: Any, columns: tuple[str, ...], roles: Mapping[str, tuple[str, ...]], label: str, lenient: bool
) -> Tabular:
    """Read text with these *columns*, of which the last is a number, or a table with a column for each role."""
    if isinstance(data, str | Path):
        source = sources.read(path_text(data), lenient)
        is_table = parquet.matches(source) or json.matches(source)
        header = None if is_table else delimited.find_header(source.data)
        if not is_table and (header is None or "value" not in find_roles(header.names, roles)):
            layout = Layout(columns, columns[-1], columns)
            problems = Problems(source.path, lenient)
            frame, locate = _parse_text(strip_bom(source.data, source.path), layout, source.path, problems)
            return Tabular(frame, locate, source.path, source.digest, (*source.notes, *problems.notes()))
        data = source
    table = read_table(data, label=label, lenient=lenient)
    columns_of = find_roles(table.frame.columns, roles)
    for role, names in roles.items():
        if role not in columns_of:
            raise InputError(
                f"{table.source}: no column for the {columns[-1] if role == 'value' else role} among "
                f"{list_names(table.frame.columns)}; name it one of {', '.join(names)}"
            )
    ids = [table.frame.to_series(columns_of[role]).cast(pl.String).alias(role) for role in roles if role != "value"]
    value = table.frame.to_series(columns_of["value"]).cast(pl.Float64, strict=False).alias("value")
    return Tabular(pl.DataFrame([*ids, value]), table.locate, table.source, table.digest, table.notes)


def _parse_text(
    text: bytes, layout: Layout, path: str, problems: Problems
) -> tuple[pl.DataFrame, Callable[[int], str]]:
    # The parser of TREC text expects a column doc; the name matters only for speed.
    renamed = Layout(
        tuple("doc" if name == "subtopic" else name for name in layout.columns),
        layout.number,
        tuple("doc" if name == "subtopic" else name for name in layout.keep),
    )
    frame, locate = parse_rows(text, renamed, path, problems)
    frame.columns = ["value" if name == layout.number else name for name in layout.keep]
    return frame, locate


def _check(table: Tabular, key: tuple[str, ...], word: str, lenient: bool, *, allow_zero: bool) -> Tabular:
    """Refuse, or skip and count, rows without an id, with an invalid value, or with a key that occurred before."""
    problems = Problems(table.source, lenient)
    value = table.frame["value"]
    is_valid = (value >= 0) if allow_zero else (value > 0)
    bad = ~(is_valid & value.is_finite()).fill_null(False).to_numpy()
    for name in key:
        bad |= (table.frame[name].is_null() | (table.frame[name] == "")).to_numpy()
    if bad.any():
        row = int(bad.argmax())
        message = (
            f"the {word} must be a number {'at least' if allow_zero else 'above'} 0, found {format_value(value[row])}"
        )
        problems.report(table.locate(row), message, f"skipped rows with an invalid {word}", int(bad.sum()))
    repeated = ~table.frame.select(pl.struct(key).is_first_distinct()).to_series().to_numpy() & ~bad
    if repeated.any():
        row = int(repeated.argmax())
        names = ", ".join(f"{'document' if name == 'doc' else name} {table.frame[name][row]}" for name in key)
        problems.report(
            table.locate(row), f"{names} already has a {word}; remove one", f"skipped repeated {word}s",
            int(repeated.sum()),
        )  # fmt: skip
    if table.frame.is_empty():
        raise InputError(f"{table.source}: contains no {word}s")
    keep = np.flatnonzero(~(bad | repeated))
    locate = table.locate
    return Tabular(
        table.frame[keep],
        lambda row: locate(int(keep[row])),
        table.source,
        table.digest,
        (*table.notes, *problems.notes()),
    )
