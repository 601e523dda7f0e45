"""Read the judgments of several judges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.engine.sources import SourceOptions, as_qrels
from assay.errors import InputError, check_choice
from assay.io import files, frames
from assay.io.parquet_dataset import is_dataset
from assay.io.paths import path_text
from assay.io.source import read as read_source
from assay.io.source import stem
from assay.model.qrels import Qrels


def read_judges(sources: Any, *, lenient: bool = False, qrels_format: str = "qrels") -> dict[str, Qrels]:
    """Read the judgments of several judges.

    Parameters
    ----------
    sources
        A list of files, each with the judgments of one judge: ``NAME=FILE``, or a file, whose name without extension is
        the name of the judge. A single table with a column judge (or assessor, annotator) has the judgments of several
        judges. Alternatively, a dict from names of judges to judgments in any form that :func:`assay.read` accepts.
    lenient
        Skip bad lines and keep only the first of duplicate judgments.
    qrels_format
        ``judges`` if column 2 of the only file, in TREC text, is the judge; otherwise ``qrels``.
    """
    check_choice(f"qrels_format {qrels_format!r}", qrels_format, ("qrels", "judges"))
    options = SourceOptions(lenient, qrels_format=qrels_format)
    if isinstance(sources, Mapping):
        return {str(name): as_qrels(qrels, SourceOptions(lenient)) for name, qrels in sources.items()}
    items = [sources] if isinstance(sources, str | Path) or not isinstance(sources, Iterable) else list(sources)
    judges: dict[str, Qrels] = {}
    for item in items:
        for name, qrels in _read_item(item, options, alone=len(items) == 1).items():
            if name in judges:
                raise InputError(f"{item}: a judge {name} is already named; write another name, such as {name}2=FILE")
            judges[name] = qrels
    return judges


def _read_item(item: Any, options: SourceOptions, *, alone: bool) -> dict[str, Qrels]:
    """Return the judgments of one item; a table *alone* may hold several judges."""
    if isinstance(item, str) and "=" in item and not Path(item).exists():
        name, _, path = item.partition("=")
        return {name: as_qrels(path, SourceOptions(options.lenient))}
    if alone:
        return _split_judges(item, options)
    return {Path(stem(str(item))).stem: as_qrels(item, SourceOptions(options.lenient))}


def _split_judges(source: Any, options: SourceOptions) -> dict[str, Qrels]:
    """Return the judgments of each judge in a source that names the judge of each judgment."""
    if not isinstance(source, str | Path):
        table = frames.read_qrels(source, options.lenient, layout="judges")
    else:
        path = path_text(source)
        loaded = None if is_dataset(path) else read_source(path, options.lenient)
        if loaded is not None and options.qrels_format != "judges" and files.is_trec(loaded):
            raise InputError(
                f"{path}: names no judges; name a file for each judge, such as human=qrels.txt llm=judged.jsonl, or "
                "say --qrels-format judges if column 2 is the judge"
            )
        if loaded is None:
            table = files.read_qrels(path, options.lenient, layout="judges")
        else:
            table = files.read_source_qrels(loaded, options.lenient, layout="judges")
    judges = {}
    for name in table.frame["judge"].unique(maintain_order=True).to_list():
        rows = np.flatnonzero((table.frame["judge"] == name).to_numpy())
        part = table.frame[rows].drop("judge")
        judges[str(name)] = Qrels(replace(table, frame=part, key=table.key[rows], locate=_Places(table.locate, rows)))
    return judges


class _Places:
    """Maps a row of one judge to its place in the source."""

    def __init__(self, locate: Callable[[int], str], rows: np.ndarray) -> None:
        self._locate, self._rows = locate, rows

    def __call__(self, row: int) -> str:
        return self._locate(int(self._rows[row]))
