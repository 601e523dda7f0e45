"""Checks of rows from a DataFrame, as strict as for files; messages name the run, topic and document, not the line."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io.document_hash import has_duplicates

_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio, as in Fibonacci hashing


def check_judgments(rows: pl.DataFrame) -> None:
    """Refuse judgments (topic, doc, value) with missing ids, grades that are not finite, or repeated documents."""
    _check_ids(rows, lambda row: "qrels")
    _check_finite(rows, "grade", lambda row: f"qrels, topic {rows['topic'][row]}, document {rows['doc'][row]}")
    pair = _find_duplicate(rows, ["topic", "doc"])
    if pair is not None:
        first, second = (rows.row(row, named=True) for row in pair)
        low, high = sorted((first["value"], second["value"]))
        grades = "the same grade" if low == high else f"grades {low:g} and {high:g}"
        raise InputError(f"qrels: document {second['doc']} of topic {second['topic']} is judged twice ({grades})")


def check_results(rows: pl.DataFrame, run: np.ndarray, key: np.ndarray) -> None:
    """Refuse rows of runs (run, topic, doc, value) with missing ids, non-finite scores, or repeated documents.

    *run* has the index of the run of each row, ascending. *key* has the hash of topic and document.
    """
    _check_ids(rows, lambda row: f"run {rows['run'][row]!r}")
    _check_finite(rows, "score", lambda row: describe_place(rows["run"][row], rows, row))
    # The index of the run is mixed into the keys, so that a document has different keys in different runs.
    if has_duplicates(key ^ (run.astype(np.uint64) * _MIX)):
        pair = _find_duplicate(rows, ["run", "topic", "doc"])
        if pair is not None:
            name, topic, doc = rows.select("run", "topic", "doc").row(pair[1])
            raise InputError(f"run {name!r}: document {doc} was retrieved twice for topic {topic}")
    if "rank" in rows.columns:
        _check_ranks(rows)


def _check_ranks(rows: pl.DataFrame) -> None:
    """Refuse repeated ranks: without an order of lines, it is unknown which of the rows comes first."""
    pair = _find_duplicate(rows, ["run", "topic", "rank"])
    if pair is not None:
        name, topic, rank = rows.select("run", "topic", "rank").row(pair[1])
        raise InputError(
            f"run {name!r}: rank {rank} occurs twice for topic {topic}, and Spark does not preserve the order of "
            "lines; choose another tie policy"
        )


def describe_place(name: str, rows: pl.DataFrame, row: int) -> str:
    """Return the place of a row of a run for messages."""
    return f"run {name!r}, topic {rows['topic'][row]}, document {rows['doc'][row]}"


def _check_ids(rows: pl.DataFrame, locate: Callable[[int], str]) -> None:
    for column, word in (("topic", "topic"), ("doc", "document")):
        ids = rows[column]
        if ids.null_count() or (ids == "").any():
            row = int((ids.is_null() | (ids == "")).arg_max() or 0)
            topic = f" of topic {rows['topic'][row]}" if column == "doc" else ""
            raise InputError(f"{locate(row)}: the {word} id{topic} is missing")


def _check_finite(rows: pl.DataFrame, word: str, locate: Callable[[int], str]) -> None:
    bad = ~rows["value"].is_finite().fill_null(False)
    if bad.any():
        row = int(bad.arg_max() or 0)
        value = rows["value"][row]
        text = "missing" if value is None else f"{value}"
        raise InputError(f"{locate(row)}: the {word} must be a finite number, found {text}")


def _find_duplicate(rows: pl.DataFrame, columns: list[str]) -> tuple[int, int] | None:
    """Return the indices of two rows with equal values in *columns*; None if there are none."""
    is_duplicated = rows.select(pl.struct(columns).is_duplicated()).to_series()
    if not is_duplicated.any():
        return None
    duplicates = rows.select(columns).with_row_index("row").filter(is_duplicated).sort(*columns, "row")
    return int(duplicates["row"][0]), int(duplicates["row"][1])
