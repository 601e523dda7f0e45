"""The checks that rows from any source pass before they become qrels or a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from assay.errors import encodable
from assay.io.fork import refuse_fork
from assay.io.keys import keys, repeated
from assay.io.problems import Problems
from assay.io.table import RowTable

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind = Literal["run", "qrels"]
Among = Callable[[pl.DataFrame], np.ndarray]
VALUE = {"run": "score", "qrels": "grade"}


def check_rows(
    frame: pl.DataFrame,
    kind: Kind,
    where: Callable[[int], str],
    problems: Problems,
    *,
    tag: str | None = None,
    digest: str | None = None,
    notes: Iterable[str] = (),
    complete: bool = False,
    among: Among | None = None,
) -> RowTable:
    """Rows without empty ids, non-finite values or duplicates, as a :class:`RowTable`.

    *frame* has the columns ``topic, doc, value`` and perhaps ``rank``. A reader that has seen to ids and values itself
    says that the rows are *complete*. With *among*, which returns a mask of the rows that are evaluated, a duplicate is
    a problem only among these; all rows are kept, and a note counts duplicates elsewhere.
    """
    refuse_fork()
    if not complete:
        keep = _identified(frame, where, problems) & _finite(frame, kind, where, problems)
        frame, where = only(frame, where, keep)
    if frame.is_empty():
        problems.refuse_empty("judgments" if kind == "qrels" else "results")
    key = keys(frame["topic"], frame["doc"])
    table = RowTable(encodable(problems.source), frame, key, where, tag, digest)
    if repeated(key, table.segments):
        if among is not None:
            notes = (*notes, _check_among(frame, among(frame), kind, where, problems))
        else:
            unique = _first_of_duplicates(frame, kind, where, problems)
            frame, where = only(frame, where, unique)
            table = replace(table, frame=frame, key=key[unique], where=where)
    # Names of files are bytes; tables and JSON need text.
    told = tuple(map(encodable, (*notes, *problems.notes())))
    return replace(table, notes=told) if told else table


def _check_among(
    frame: pl.DataFrame, evaluated: np.ndarray, kind: Kind, where: Callable[[int], str], problems: Problems
) -> str:
    """Refuse duplicates among the rows that are evaluated; return a note on the others."""
    rows, places = only(frame, where, evaluated)
    _first_of_duplicates(rows, kind, places, problems)
    number = len(frame) - frame.select("topic", "doc").n_unique()
    return f"{problems.source}: duplicate documents in rows that are not evaluated: {number}; ignored"


def only(
    frame: pl.DataFrame, where: Callable[[int], str], keep: np.ndarray
) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """Keep the rows of a mask, and their places with them."""
    if keep.all():
        return frame, where
    rows = np.flatnonzero(keep)
    return frame[rows], lambda row: where(int(rows[row]))


def _identified(frame: pl.DataFrame, where: Callable[[int], str], problems: Problems) -> np.ndarray:
    """Rows whose topic and document are there."""
    keep = np.ones(len(frame), dtype=bool)
    for column, what in (("topic", "topic"), ("doc", "document")):
        series = frame[column]
        if series.null_count() or (series == "").any():
            bad = (series.is_null() | (series == "")).to_numpy()
            row = int(np.flatnonzero(bad)[0])
            problems.meet(where(row), f"the {what} id is missing", f"rows without a {what} skipped", bad.sum())
            keep &= ~bad
    return keep


def _finite(frame: pl.DataFrame, kind: Kind, where: Callable[[int], str], problems: Problems) -> np.ndarray:
    values = frame["value"]
    keep = (
        np.isfinite(values.to_numpy()) if values.null_count() == 0 else (values.is_finite().fill_null(False).to_numpy())
    )
    if not keep.all():
        bad = np.flatnonzero(~keep)
        found = values[int(bad[0])]
        shown = "missing" if found is None else f"{found}"
        message = f"the {VALUE[kind]} must be a finite number, found {shown}"
        done = f"rows whose {VALUE[kind]} is not a finite number skipped"
        problems.meet(where(int(bad[0])), message, done, len(bad))
    return keep


def _first_of_duplicates(
    frame: pl.DataFrame, kind: Kind, where: Callable[[int], str], problems: Problems
) -> np.ndarray:
    """Report documents that come twice in a topic; return a mask of the rows to keep."""
    pairs = frame.select("topic", "doc", "value").with_row_index("row")
    first = pairs.select(pl.col("row").min().over("topic", "doc"), pl.col("value").first().over("topic", "doc"))
    first_row, first_value = first["row"].to_numpy(), first["value"].to_numpy()
    is_first = first_row == np.arange(len(frame))
    again = np.flatnonzero(~is_first)
    same = frame["value"].to_numpy()[again] == first_value[again]
    groups = [again] if kind == "run" else [again[same], again[~same]]
    for rows in sorted((group for group in groups if len(group)), key=lambda group: int(group[0])):
        row = int(rows[0])
        before = _place(where(int(first_row[row])), problems.source)
        message, done = _duplicate(frame.row(row, named=True), float(first_value[row]), kind, before)
        problems.meet(where(row), message, done, len(rows))
    return np.asarray(is_first)


def _place(where: str, source: str) -> str:
    """Shorten a place to what follows the source, which the message has named already."""
    place = where.removeprefix(f"run {source!r}").removeprefix(source).lstrip(":,/ ")
    return f"line {place}" if place.isdecimal() else place


def _duplicate(row: dict[str, Any], first_value: float, kind: Kind, before: str) -> tuple[str, str]:
    """Word the message, and what a lenient reader does, for a row whose document came before."""
    topic, doc, value = row["topic"], row["doc"], row["value"]
    if kind == "run":
        message = f"document {doc} was already retrieved for topic {topic} (first: {before})"
        return message, "duplicate documents, first kept"
    if value == first_value:
        message = f"document {doc} was already judged for topic {topic} (first: {before}, the same grade)"
        return message, "duplicate judgments, first kept"
    grades = f"{_plain(value)} here and {_plain(first_value)} before"
    message = f"document {doc} of topic {topic} has grade {grades} (first: {before})"
    return message, "contradictory judgments, first kept"


def _plain(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
