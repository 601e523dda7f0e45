"""Checks of rows from any source before they become qrels or a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from assay.errors import escape_surrogates
from assay.io.document_hash import has_duplicates, hash_documents
from assay.io.fork import refuse_fork
from assay.io.problems import MAX_PLACES, Problems
from assay.io.table import RowTable

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind = Literal["run", "qrels"]
RowMask = Callable[[pl.DataFrame], np.ndarray]
"""A function that returns a boolean mask of the rows of a frame."""
VALUE = {"run": "score", "qrels": "grade"}
"""The name of the column ``value`` in messages."""
_MISSING_ID = {
    "topic": "skipped rows without a topic",
    "document": "skipped rows without a document",
}
_BAD_VALUE = {kind: f"skipped rows whose {value} is not a finite number" for kind, value in VALUE.items()}
_DUPLICATE_DOCUMENTS = "skipped duplicate documents, keeping the first"
_DUPLICATE_JUDGMENTS = "skipped duplicate judgments, keeping the first"
_CONTRADICTORY_JUDGMENTS = "skipped contradictory judgments, keeping the first"
RUN_ACTIONS = (*_MISSING_ID.values(), _BAD_VALUE["run"], _DUPLICATE_DOCUMENTS)
"""Actions of a lenient reader of runs, in the order of the checks; see ``Problems.report``."""


def check_rows(
    frame: pl.DataFrame,
    kind: Kind,
    locate: Callable[[int], str],
    problems: Problems,
    *,
    tag: str | None = None,
    digest: str | None = None,
    notes: Iterable[str] = (),
    complete: bool = False,
    evaluated: RowMask | None = None,
    explain_duplicate: Callable[[int, int], str] = lambda _row, _first: "",
) -> RowTable:
    """Return rows without empty ids, non-finite values or duplicates as a :class:`RowTable`.

    Parameters
    ----------
    frame
        The columns ``topic, doc, value`` and optionally ``rank``, or facets of judgments. A document may have a
        judgment for each subtopic and judge.
    kind
        ``run`` or ``qrels``.
    locate
        Function that returns the place of a row of *frame*, as messages show it.
    problems
        Collects the problems; a strict reader stops at the first.
    tag, digest, notes
        Attributes of the table. Notes on skipped rows are added.
    complete
        True if the reader has already checked ids and values; then only duplicates are checked.
    evaluated
        Function that returns a mask of the rows that are evaluated. If it is given, only duplicates among these rows
        are problems. All rows are kept, and a note reports the number of duplicates among the other rows.
    explain_duplicate
        Function that returns a remedy for the duplicate judgments in two rows of *frame*, or an empty text.
    """
    refuse_fork()
    if not complete:
        keep = _find_rows_with_ids(frame, locate, problems) & _find_finite_rows(frame, kind, locate, problems)
        frame, locate = select_rows(frame, locate, keep)
    if frame.is_empty():
        problems.refuse_empty("judgments" if kind == "qrels" else "results")
    key = hash_documents(frame["topic"], frame["doc"])
    table = RowTable(escape_surrogates(problems.source), frame, key, locate, tag, digest)
    if has_duplicates(_hash_judgments(frame, key), table.segments):
        if evaluated is not None:
            notes = (*notes, _check_topic_rows(frame, evaluated(frame), kind, locate, problems))
        else:
            unique = _find_first_occurrences(frame, kind, locate, problems, explain_duplicate)
            frame, locate = select_rows(frame, locate, unique)
            table = replace(table, frame=frame, key=key[unique], locate=locate)
    # File names may hold bytes that are not UTF-8, but tables and JSON need valid text.
    all_notes = tuple(map(escape_surrogates, (*notes, *problems.notes())))
    return replace(table, notes=all_notes, problems=problems.kinds) if all_notes else table


def _hash_judgments(frame: pl.DataFrame, key: np.ndarray) -> np.ndarray:
    """Return a hash of topic and document, and of the subtopic and the judge where judgments have them."""
    parts = key_columns(frame)[1:]
    if len(parts) == 1:
        return key
    return hash_documents(frame["topic"], frame.select(pl.concat_str(parts, separator="\0")).to_series())


def key_columns(frame: pl.DataFrame) -> list[str]:
    """Return the columns whose values may occur only once together."""
    return ["topic", "doc", *(name for name in ("subtopic", "judge") if name in frame.columns)]


def _check_topic_rows(
    frame: pl.DataFrame, mask: np.ndarray, kind: Kind, locate: Callable[[int], str], problems: Problems
) -> str:
    """Report duplicates among the evaluated rows of *mask* as problems; return a note on the other duplicates."""
    rows, locate_evaluated = select_rows(frame, locate, mask)
    _find_first_occurrences(rows, kind, locate_evaluated, problems)
    number = len(frame) - frame.select("topic", "doc").n_unique()
    return f"{problems.source}: ignored duplicate documents in rows that are not evaluated: {number}"


def select_rows(
    frame: pl.DataFrame, locate: Callable[[int], str], keep: np.ndarray
) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """Return the rows that the mask *keep* selects, and a function that returns the place of each."""
    if keep.all():
        return frame, locate
    rows = np.flatnonzero(keep)
    return frame[rows], lambda row: locate(int(rows[row]))


def _find_rows_with_ids(frame: pl.DataFrame, locate: Callable[[int], str], problems: Problems) -> np.ndarray:
    """Return a mask of the rows that have a topic and a document."""
    keep = np.ones(len(frame), dtype=bool)
    for column, word in (("topic", "topic"), ("doc", "document")):
        series = frame[column]
        if series.null_count() or (series == "").any():
            bad = (series.is_null() | (series == "")).to_numpy()
            first, *others = _locate_first(np.flatnonzero(bad), locate)
            problems.report(first, f"the {word} id is missing", _MISSING_ID[word], bad.sum(), others)
            keep &= ~bad
    return keep


def _find_finite_rows(frame: pl.DataFrame, kind: Kind, locate: Callable[[int], str], problems: Problems) -> np.ndarray:
    """Return a mask of the rows whose value is a finite number."""
    values = frame["value"]
    keep = (
        np.isfinite(values.to_numpy()) if values.null_count() == 0 else (values.is_finite().fill_null(False).to_numpy())
    )
    if not keep.all():
        bad = np.flatnonzero(~keep)
        value = values[int(bad[0])]
        text = "missing" if value is None else f"{value}"
        message = f"the {VALUE[kind]} must be a finite number, found {text}"
        first, *others = _locate_first(bad, locate)
        problems.report(first, message, _BAD_VALUE[kind], len(bad), others)
    return keep


def _find_first_occurrences(
    frame: pl.DataFrame,
    kind: Kind,
    locate: Callable[[int], str],
    problems: Problems,
    explain: Callable[[int, int], str] = lambda _row, _first: "",
) -> np.ndarray:
    """Report documents that occur more than once in a topic; return a mask of the first occurrences."""
    columns = key_columns(frame)
    pairs = frame.select(*columns, "value").with_row_index("row")
    first = pairs.select(pl.col("row").min().over(columns), pl.col("value").first().over(columns))
    first_row, first_value = first["row"].to_numpy(), first["value"].to_numpy()
    is_first = first_row == np.arange(len(frame))
    repeats = np.flatnonzero(~is_first)
    same_value = frame["value"].to_numpy()[repeats] == first_value[repeats]
    # Repeated judgments with equal and with different grades are separate kinds of problems. A strict reader must stop
    # at the first line of either kind, so the kinds are sorted by their first row.
    groups = [repeats] if kind == "run" else [repeats[same_value], repeats[~same_value]]
    for rows in sorted((group for group in groups if len(group)), key=lambda group: int(group[0])):
        row = int(rows[0])
        first_place = _remove_source(locate(int(first_row[row])), problems.source)
        message, action = _describe_duplicate(frame.row(row, named=True), float(first_value[row]), kind, first_place)
        place, *others = _locate_first(rows, locate)
        problems.report(place, message + explain(row, int(first_row[row])), action, len(rows), others)
    return np.asarray(is_first)


def _locate_first(rows: np.ndarray, locate: Callable[[int], str]) -> list[str]:
    """Return the places of the first of *rows*."""
    return [locate(row) for row in rows[:MAX_PLACES].tolist()]


def _remove_source(place: str, source: str) -> str:
    """Return a place without the name of its source, which the message already contains."""
    rest = place.removeprefix(f"run {source!r}").removeprefix(source).lstrip(":,/ ")
    return f"line {rest}" if rest.isdecimal() else rest


def _describe_duplicate(row: dict[str, Any], first_value: float, kind: Kind, first_place: str) -> tuple[str, str]:
    """Return the message for a repeated document, and the action of a lenient reader."""
    doc, value = row["doc"], row["value"]
    topic = row["topic"] + "".join(f", {name} {row[name]}" for name in ("subtopic", "judge") if name in row)
    if kind == "run":
        message = f"document {doc} was already retrieved for topic {topic} (first: {first_place})"
        return message, _DUPLICATE_DOCUMENTS
    if value == first_value:
        message = f"document {doc} was already judged for topic {topic} (first: {first_place}, with the same grade)"
        return message, _DUPLICATE_JUDGMENTS
    grades = f"{_format_grade(value)} here and {_format_grade(first_value)} before"
    message = f"document {doc} of topic {topic} has grade {grades} (first: {first_place})"
    return message, _CONTRADICTORY_JUDGMENTS


def _format_grade(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
