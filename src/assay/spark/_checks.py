"""The checks of rows that come from a DataFrame: as strict as for files, by run, topic and document instead of line."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io.keys import repeated

_MIX = np.uint64(0x9E3779B97F4A7C15)


def judgments(rows: pl.DataFrame) -> None:
    """Refuse judgments (topic, doc, value) without ids, with odd grades, or of one document twice."""
    _identified(rows, lambda row: "qrels")
    _finite(rows, "grade", lambda row: f"qrels, topic {rows['topic'][row]}, document {rows['doc'][row]}")
    pair = _twice(rows, ["topic", "doc"])
    if pair is not None:
        first, again = (rows.row(row, named=True) for row in pair)
        same = first["value"] == again["value"]
        grades = "the same grade" if same else f"grades {min(first['value'], again['value']):g} and "
        grades += "" if same else f"{max(first['value'], again['value']):g}"
        raise InputError(f"qrels: document {again['doc']} of topic {again['topic']} is judged twice ({grades})")


def results(rows: pl.DataFrame, run: np.ndarray, key: np.ndarray) -> None:
    """Refuse rows of runs (run, topic, doc, value) without ids, with odd scores, or of one document twice.

    *run* is the number of the run of each row, ascending, *key* the hash of topic and document.
    """
    _identified(rows, lambda row: f"run {rows['run'][row]!r}")
    _finite(rows, "score", lambda row: place(rows["run"][row], rows, row))
    if repeated(key ^ (run.astype(np.uint64) * _MIX)):
        pair = _twice(rows, ["run", "topic", "doc"])
        if pair is not None:
            name, topic, doc = rows.select("run", "topic", "doc").row(pair[1])
            raise InputError(f"run {name!r}: document {doc} was retrieved twice for topic {topic}")
    if "rank" in rows.columns:
        _one_order(rows)


def _one_order(rows: pl.DataFrame) -> None:
    """Refuse a rank that comes twice: which row stands first is not known without the order of lines."""
    pair = _twice(rows, ["run", "topic", "rank"])
    if pair is not None:
        name, topic, rank = rows.select("run", "topic", "rank").row(pair[1])
        raise InputError(
            f"run {name!r}: rank {rank} comes twice for topic {topic}, and Spark keeps no order of lines; "
            "choose another tie policy"
        )


def place(name: str, rows: pl.DataFrame, row: int) -> str:
    """A row of a run, in words."""
    return f"run {name!r}, topic {rows['topic'][row]}, document {rows['doc'][row]}"


def _identified(rows: pl.DataFrame, where: Any) -> None:
    for column, word in (("topic", "topic"), ("doc", "document")):
        ids = rows[column]
        if ids.null_count() or (ids == "").any():
            row = int((ids.is_null() | (ids == "")).arg_max() or 0)
            of = f" of topic {rows['topic'][row]}" if column == "doc" else ""
            raise InputError(f"{where(row)}: the {word} id{of} is missing")


def _finite(rows: pl.DataFrame, what: str, where: Any) -> None:
    odd = ~rows["value"].is_finite().fill_null(False)
    if odd.any():
        row = int(odd.arg_max() or 0)
        found = rows["value"][row]
        shown = "missing" if found is None else f"{found}"
        raise InputError(f"{where(row)}: the {what} must be a finite number, found {shown}")


def _twice(rows: pl.DataFrame, by: list[str]) -> tuple[int, int] | None:
    """The rows of something that comes twice, if anything does."""
    again = rows.select(pl.struct(by).is_duplicated()).to_series()
    if not again.any():
        return None
    found = rows.select(by).with_row_index("row").filter(again).sort(*by, "row")
    return int(found["row"][0]), int(found["row"][1])
