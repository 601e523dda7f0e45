"""Judgments and runs from Python mappings and tuples.

Ids are text or integers, and values must be numbers. ``to_text_column`` and ``to_number_column`` check this for all
readers of untyped values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io.checks import VALUE, check_rows, select_rows
from assay.io.problems import Problems, format_value

if TYPE_CHECKING:
    from assay.io.checks import Kind
    from assay.io.table import RowTable


def read_mapping(mapping: object, kind: Kind, name: str = "qrels", lenient: bool = False) -> RowTable:
    """Read judgments from ``{topic: {document: grade}}``, or a run from ``{topic: {document: score}}``.

    *name* is the name of a run. A topic without documents adds no rows.
    """
    label = _label(kind, name)
    rankings = _check_mapping(mapping, kind, label)
    topics = to_text_column(list(rankings), "topic", lambda _: label)
    lengths = np.array([len(ranking) for ranking in rankings.values()], dtype=np.int64)
    topic = topics.gather(np.repeat(np.arange(len(topics)), lengths))
    docs = [doc for ranking in rankings.values() for doc in ranking]
    values = [value for ranking in rankings.values() for value in ranking.values()]
    doc = to_text_column(docs, "document", lambda row: f"{label}, topic {topic[row]!r}")

    def locate(row: int) -> str:
        return f"{label}, topic {topic[row]!r}, document {docs[row]!r}"

    return _build_table(topic, doc, values, kind, locate=locate, problems=Problems(name, lenient))


def _label(kind: Kind, name: str) -> str:
    """Return the name of the judgments or of a run in messages."""
    return "qrels" if kind == "qrels" else f"run {name!r}"


def _check_mapping(mapping: object, kind: Kind, label: str) -> Mapping[Any, Mapping[Any, Any]]:
    """Return *mapping* if it is a mapping of mappings; raise an error otherwise."""
    inner = f"{{document: {VALUE[kind]}}}"
    if not isinstance(mapping, Mapping):
        raise InputError(f"{label}: expected {{topic: {inner}}}, got {describe_value(mapping)}")
    for topic, ranking in mapping.items():
        if not isinstance(ranking, Mapping):
            raise InputError(f"{label}, topic {format_value(topic)}: expected {inner}, got {describe_value(ranking)}")
    return mapping


def read_tuples(
    tuples: object,
    kind: Kind,
    name: str = "qrels",
    lenient: bool = False,
    *,
    label: str | None = None,
    noun: str = "tuple",
) -> RowTable:
    """Read judgments from ``(topic, document, grade)`` tuples, or a run from ``(topic, document, score)`` tuples.

    *name* is the name of a run. Messages name each tuple by *label*, *noun* and its number, from 1.
    """
    label = label or _label(kind, name)
    shape = f"(topic, document, {VALUE[kind]})"
    if not isinstance(tuples, Iterable):
        raise InputError(f"{label}: expected {shape} tuples, got {describe_value(tuples)}")
    rows: list[Any] = list(tuples)

    def locate(row: int) -> str:
        return f"{label}, {noun} {row + 1}"

    bad = _find_first_bad(rows)
    if bad is not None:
        raise InputError(f"{locate(bad)}: expected {shape}, got {describe_value(rows[bad])}")
    topic = to_text_column([topic for topic, _, _ in rows], "topic", locate)
    doc = to_text_column([doc for _, doc, _ in rows], "document", locate)
    values = [value for _, _, value in rows]
    return _build_table(topic, doc, values, kind, locate=locate, problems=Problems(name, lenient))


def _find_first_bad(rows: list[Any]) -> int | None:
    """Return the index of the first row that is not a sequence of length 3; strings do not count as sequences."""
    # Checking the few distinct types is faster than checking every row.
    types = set(map(type, rows))
    if all(issubclass(kind, Sequence) and not issubclass(kind, str | bytes) for kind in types):
        return next((row for row, item in enumerate(rows) if len(item) != 3), None)
    return next(row for row, item in enumerate(rows) if not isinstance(item, Sequence) or isinstance(item, str | bytes))


def _build_table(
    topic: pl.Series,
    doc: pl.Series,
    values: Sequence[object],
    kind: Kind,
    *,
    locate: Callable[[int], str],
    problems: Problems,
) -> RowTable:
    """Build a table from columns; rows whose value is not a number, or that fail a check, are problems."""
    value, keep = to_number_column(values, kind, locate, problems)
    frame, locate = select_rows(pl.DataFrame({"topic": topic, "doc": doc, "value": value}), locate, keep)
    return check_rows(frame, kind, locate, problems, tag=problems.source if kind == "run" else None)


def describe_value(value: object) -> str:
    """Return a value with its type: ``301 (int)``."""
    return f"{format_value(value)} ({type(value).__name__})"


def to_text_column(values: Sequence[object], word: str, locate: Callable[[int], str]) -> pl.Series:
    """Return a column of ids as text; refuse values that are neither text, integers nor None (missing).

    An integer becomes its decimal text. *word* names the kind of id in messages, such as ``topic``.
    """
    types = set(map(type, values)) - {str, type(None)}
    if types:
        wrong_types = {type_ for type_ in types if type_ is bool or not issubclass(type_, str | Integral)}
        if wrong_types:
            row = next(row for row, value in enumerate(values) if type(value) in wrong_types)
            raise InputError(f"{locate(row)}: {word} ids must be text or integers, got {_describe_id(values[row])}")
        values = [value if value is None else str(value) for value in values]
    try:
        return pl.Series(values, dtype=pl.String)
    except UnicodeEncodeError as error:
        row = next(row for row, value in enumerate(values) if value == error.object)
        raise InputError(f"{locate(row)}: the {word} id {error.object!r} is not valid Unicode") from None


def _describe_id(value: object) -> str:
    """Return a value that is not an id, and the remedy for a number that was probably read from text."""
    is_whole = isinstance(value, float) and value.is_integer()
    return f"{describe_value(value)}{f'; write {value:.0f}, or read the ids as text' if is_whole else ''}"


def to_number_column(
    values: Sequence[object], kind: Kind, locate: Callable[[int], str], problems: Problems
) -> tuple[np.ndarray, np.ndarray]:
    """Return a column of doubles, and a mask of the values that are numbers."""
    wrong_types = {type_ for type_ in set(map(type, values)) if type_ is bool or not issubclass(type_, Real)}
    keep = np.ones(len(values), dtype=bool)
    if wrong_types:
        keep = np.array([type(value) not in wrong_types for value in values], dtype=bool)
        bad = np.flatnonzero(~keep)
        message = f"the {VALUE[kind]} must be a number, found {describe_value(values[bad[0]])}"
        problems.report(locate(int(bad[0])), message, f"skipped rows whose {VALUE[kind]} is not a number", len(bad))
        values = [value if valid else 0 for value, valid in zip(values, keep.tolist(), strict=True)]
    try:
        return np.array(values, dtype=np.float64), keep
    except OverflowError:
        return np.array([_to_double(value) for value in values], dtype=np.float64), keep


def _to_double(value: Any) -> float:
    """Return *value* as a double; an integer out of range becomes infinity, which a later check refuses."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
