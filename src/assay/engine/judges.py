"""Read the judgments of several judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from assay.engine.sources import SourceOptions, as_qrels
from assay.errors import InputError
from assay.io.columns import NAMES, find_roles
from assay.io.csv import parse_numbers
from assay.io.problems import Problems
from assay.io.source import stem
from assay.io.tabular import Tabular, read_table
from assay.model.notes import join_names
from assay.model.qrels import Qrels

_JUDGE = {"judge": ("judge", "assessor", "annotator", "rater", "judge-id", "assessor-id", "annotator-id")}


def read_judges(sources: Any, *, lenient: bool = False) -> dict[str, Qrels]:
    """Read the judgments of several judges.

    Parameters
    ----------
    sources
        A list of files, each with the judgments of one judge: ``NAME=FILE``, or a file, whose name without extension is
        the name of the judge. A single table with a column judge (or assessor, annotator) has the judgments of several
        judges. Alternatively, a dict from names of judges to judgments in any form that :func:`assay.read` accepts.
    lenient
        Skip bad lines and keep only the first of duplicate judgments.
    """
    if isinstance(sources, Mapping):
        return {str(name): as_qrels(qrels, SourceOptions(lenient)) for name, qrels in sources.items()}
    items = [sources] if isinstance(sources, str | Path) or not isinstance(sources, Iterable) else list(sources)
    judges: dict[str, Qrels] = {}
    for item in items:
        for name, qrels in _read_item(item, lenient, alone=len(items) == 1).items():
            if name in judges:
                raise InputError(f"{item}: a judge {name} is already named; write another name, such as {name}2=FILE")
            judges[name] = qrels
    return judges


def _read_item(item: Any, lenient: bool, *, alone: bool) -> dict[str, Qrels]:
    """Return the judgments of one item; a table *alone* may hold several judges."""
    if isinstance(item, str) and "=" in item and not Path(item).exists():
        name, _, path = item.partition("=")
        return {name: as_qrels(path, SourceOptions(lenient))}
    if alone:
        return _split_judges(item, lenient)
    return {Path(stem(str(item))).stem: as_qrels(item, SourceOptions(lenient))}


def _split_judges(source: Any, lenient: bool) -> dict[str, Qrels]:
    """Return the judgments of each judge in a table with a column for the judge."""
    table = read_table(source, label="judges", lenient=lenient)
    index = find_roles(table.frame.columns, _JUDGE).get("judge")
    if index is None:
        raise InputError(
            f"{table.source}: no column for the judge among {join_names(table.frame.columns)}; name it judge, or name "
            "a file for each judge: human=qrels.txt llm=judged.jsonl"
        )
    column = table.frame.columns[index]
    problems = Problems(table.source, lenient)
    frame = _parse_grades(table, problems).with_columns(pl.col(column).cast(pl.String))
    parts = frame.partition_by(column, as_dict=True, include_key=False, maintain_order=True)
    judges = {str(name): Qrels.from_frame(part, lenient=lenient) for (name,), part in parts.items()}
    for qrels in judges.values():
        qrels.notes = (*table.notes, *problems.notes(), *qrels.notes)
    return judges


def _parse_grades(table: Tabular, problems: Problems) -> pl.DataFrame:
    """Return the rows with grades as numbers; the cells of CSV and TSV are text."""
    frame = table.frame
    index = find_roles(frame.columns, {"grade": NAMES["qrels"]["value"]}).get("grade")
    if index is None or frame.dtypes[index] != pl.String:
        return frame
    grade, keep = parse_numbers(frame[:, index], "grade", table.locate, problems)
    return frame.with_columns(pl.Series(frame.columns[index], grade)).filter(keep)
