"""Judgments and results that are Python objects already: mappings and tuples.

Ids must be text and values must be numbers; ``texts`` and ``numbers`` check that for every reader of loose values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io.checks import VALUE, check_rows, only
from assay.io.problems import Problems, shown

if TYPE_CHECKING:
    from assay.io.checks import Kind
    from assay.io.table import RowTable


def qrels(judgments: Mapping[str, Mapping[str, float]], lenient: bool = False) -> RowTable:
    """Take judgments from ``{topic: {document: grade}}``."""
    return _from_mapping(judgments, "qrels", Problems("qrels", lenient))


def qrels_tuples(judgments: Iterable[tuple[str, str, float]], lenient: bool = False) -> RowTable:
    """Take judgments from ``(topic, document, grade)`` tuples."""
    return from_tuples(judgments, "qrels", Problems("qrels", lenient), "qrels, tuple")


def run(results: Mapping[str, Mapping[str, float]], name: str = "run", lenient: bool = False) -> RowTable:
    """Take a run from ``{topic: {document: score}}``; a topic without documents adds nothing."""
    return _from_mapping(results, "run", Problems(name, lenient))


def run_tuples(results: Iterable[tuple[str, str, float]], name: str = "run", lenient: bool = False) -> RowTable:
    """Take a run from ``(topic, document, score)`` tuples."""
    return from_tuples(results, "run", Problems(name, lenient), f"run {name!r}, tuple")


def _from_mapping(mapping: object, kind: Kind, problems: Problems) -> RowTable:
    label = "qrels" if kind == "qrels" else f"run {problems.source!r}"
    rankings = _rankings(mapping, kind, label)
    topics = texts(list(rankings), "topic", lambda _: label)
    lengths = np.array([len(ranking) for ranking in rankings.values()], dtype=np.int64)
    topic = topics.gather(np.repeat(np.arange(len(topics)), lengths))
    docs = [doc for ranking in rankings.values() for doc in ranking]
    values = [value for ranking in rankings.values() for value in ranking.values()]
    doc = texts(docs, "document", lambda row: f"{label}, topic {topic[row]!r}")

    def where(row: int) -> str:
        return f"{label}, topic {topic[row]!r}, document {docs[row]!r}"

    return _table(topic, doc, values, kind, where=where, problems=problems)


def _rankings(mapping: object, kind: Kind, label: str) -> Mapping[Any, Mapping[Any, Any]]:
    """Refuse what is not a mapping of mappings."""
    inner = f"{{document: {VALUE[kind]}}}"
    if not isinstance(mapping, Mapping):
        raise InputError(f"{label}: expected {{topic: {inner}}}, got {described(mapping)}")
    for topic, ranking in mapping.items():
        if not isinstance(ranking, Mapping):
            raise InputError(f"{label}, topic {shown(topic)}: expected {inner}, got {described(ranking)}")
    return mapping


def from_tuples(tuples: object, kind: Kind, problems: Problems, place: str) -> RowTable:
    """Take rows from three-part tuples; messages name them by *place* and their number, from 1."""
    shape = f"(topic, document, {VALUE[kind]})"
    if not isinstance(tuples, Iterable):
        raise InputError(f"{place.removesuffix(', tuple')}: expected {shape} tuples, got {described(tuples)}")
    rows: list[Any] = list(tuples)

    def where(row: int) -> str:
        return f"{place} {row + 1}"

    bad = _first_odd(rows)
    if bad is not None:
        raise InputError(f"{where(bad)}: expected {shape}, got {described(rows[bad])}")
    topic = texts([topic for topic, _, _ in rows], "topic", where)
    doc = texts([doc for _, doc, _ in rows], "document", where)
    return _table(topic, doc, [value for _, _, value in rows], kind, where=where, problems=problems)


def _first_odd(rows: list[Any]) -> int | None:
    """Find the first row that is not a sequence of three (a text of three letters is none either)."""
    types = set(map(type, rows))
    if all(issubclass(kind, Sequence) and not issubclass(kind, str | bytes) for kind in types):
        return next((row for row, part in enumerate(rows) if len(part) != 3), None)
    return next(row for row, part in enumerate(rows) if not isinstance(part, Sequence) or isinstance(part, str | bytes))


def _table(
    topic: pl.Series,
    doc: pl.Series,
    values: Sequence[object],
    kind: Kind,
    *,
    where: Callable[[int], str],
    problems: Problems,
) -> RowTable:
    value, keep = numbers(values, kind, where, problems)
    frame, where = only(pl.DataFrame({"topic": topic, "doc": doc, "value": value}), where, keep)
    return check_rows(frame, kind, where, problems, tag=problems.source if kind == "run" else None)


def described(value: object) -> str:
    """Write a value with its type: ``301 (int)``."""
    return f"{shown(value)} ({type(value).__name__})"


def texts(values: Sequence[object], what: str, where: Callable[[int], str]) -> pl.Series:
    """Make a column of ids; anything but text (or None, which is missing) is refused."""
    if set(map(type, values)) - {str, type(None)}:
        for row, value in enumerate(values):
            if value is not None and not isinstance(value, str):
                instead = f"; write {str(value)!r}" if isinstance(value, int) else ""
                raise InputError(f"{where(row)}: {what} ids must be text, got {described(value)}{instead}")
        values = [value if value is None else str(value) for value in values]
    try:
        return pl.Series(values, dtype=pl.String)
    except UnicodeEncodeError as error:
        row = next(row for row, value in enumerate(values) if value == error.object)
        raise InputError(f"{where(row)}: the {what} id {error.object!r} is not valid Unicode") from None


def numbers(
    values: Sequence[object], kind: Kind, where: Callable[[int], str], problems: Problems
) -> tuple[np.ndarray, np.ndarray]:
    """Make a column of doubles, and a mask of the values that are numbers at all."""
    odd = {found for found in set(map(type, values)) if found is bool or not issubclass(found, Real)}
    keep = np.ones(len(values), dtype=bool)
    if odd:
        keep = np.array([type(value) not in odd for value in values], dtype=bool)
        bad = np.flatnonzero(~keep)
        message = f"the {VALUE[kind]} must be a number, found {described(values[bad[0]])}"
        problems.meet(where(int(bad[0])), message, f"rows whose {VALUE[kind]} is not a number skipped", len(bad))
        values = [value if good else 0 for value, good in zip(values, keep.tolist(), strict=True)]
    try:
        return np.array(values, dtype=np.float64), keep
    except OverflowError:
        return np.array([_double(value) for value in values], dtype=np.float64), keep


def _double(value: Any) -> float:
    """Give infinity for an integer beyond the doubles, so that it is refused where infinities are."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
