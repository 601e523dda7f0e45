"""Runs: the documents that systems retrieved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io import dicts, files, frames, ir_datasets, trec
from assay.io.columns import parse_columns
from assay.io.source import expand_named, run_name, stem
from assay.io.table import RowTable
from assay.model.arguments import check_arguments


class Run:
    """The documents that a system retrieved for each topic, with their scores. Immutable.

    Create one with :func:`read_run` or ``Run.from_dict``, ``from_tuples``, ``from_frame``, ``from_ir_datasets``.

    >>> Run.from_dict({"q1": {"d1": 0.9, "d2": 0.5}}, name="bm25")
    Run('bm25', 2 documents of 1 topic)
    """

    def __init__(self, table: RowTable, name: str | None = None, notes: Iterable[str] = ()) -> None:
        self.table = replace(table, tag=name or table.name, notes=(*table.notes, *notes))
        """The rows as read."""
        self.name = self.table.name
        self.source = table.source
        self.digest = table.digest
        self.notes = self.table.notes
        self.topic = table.topic
        """The topic of each row."""
        self.doc = table.doc
        """The document of each row."""
        self.score = table.score
        """The retrieval score of each row."""

    @classmethod
    def from_dict(cls, results: Mapping[str, Mapping[str, float]], name: str = "run", *, lenient: bool = False) -> Run:
        """Create a run from ``{topic: {document: score}}``."""
        return cls(dicts.read_mapping(results, "run", name, lenient), name)

    @classmethod
    def from_tuples(cls, results: Iterable[tuple[str, str, float]], name: str = "run", *, lenient: bool = False) -> Run:
        """Create a run from ``(topic, document, score)`` tuples."""
        return cls(dicts.read_tuples(results, "run", name, lenient), name)

    @classmethod
    def from_frame(cls, frame: Any, name: str | None = None, *, lenient: bool = False) -> Run:
        """Create a run from a frame of polars, pandas, pyarrow or any library with the Arrow PyCapsule interface.

        Without *name*, the column ``run`` or ``tag`` of the frame names the run, if there is such a column.
        """
        return cls(frames.read_run(frame, name, lenient), name)

    @classmethod
    def from_ir_datasets(cls, name: str, *, lenient: bool = False) -> Run:
        """Create a run from the scored documents of a dataset of the ``ir_datasets`` package, by its id."""
        return cls(ir_datasets.read(name, "run", lenient), name)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        topics = self.table.topic.n_unique()
        return f"Run({self.name!r}, {len(self)} documents of {topics} topic{'s' * (topics != 1)})"

    @property
    def rank(self) -> np.ndarray:
        """The rank column, for ``ties="rank"``."""
        return self.table.rank

    def with_name(self, name: str, notes: Iterable[str] = ()) -> Run:
        """Return the run with another name; *notes* explain why."""
        return Run(self.table, name, notes)

    def frame(self) -> pl.DataFrame:
        """Return the run as a polars frame: topic, doc, score, in the order of the source."""
        return self.table.frame.select("topic", "doc", pl.col("value").alias("score"))

    def write(self, path: str | Path) -> None:
        """Write the run as TREC text, ranked by score, with the name of the run as tag."""
        rows = self.frame()
        rows = rows.with_columns(rank=pl.col("score").rank("ordinal", descending=True).over("topic"))
        rows = rows.sort("topic", "rank", maintain_order=True)
        rank, score = rows["rank"].to_numpy(), rows["score"].to_numpy()
        trec.write_run(path, rows["topic"], rows["doc"], rank=rank, score=score, tag=self.name)


@check_arguments
def read_run(
    path: str | Path, *, lenient: bool = False, columns: Mapping[str, str | Sequence[str]] | None = None
) -> Run:
    """Read one run from a file; a file with several runs is an error.

    Parameters
    ----------
    path
        The file; ``-`` is standard input. Formats are those of :func:`read_runs`.
    lenient
        Skip bad lines and keep only the first of duplicate documents; ``Run.notes`` reports their numbers.
    columns
        As in :func:`read_runs`.
    """
    runs = read_runs(path, lenient=lenient, columns=columns)
    if len(runs) != 1:
        raise InputError(f"{path}: holds {len(runs)} runs; use read_runs")
    return runs[0]


@check_arguments
def read_runs(
    paths: str | Path | Iterable[str | Path],
    *,
    lenient: bool = False,
    columns: Mapping[str, str | Sequence[str]] | None = None,
) -> tuple[Run, ...]:
    """Read runs from files, directories and globs: TREC text, CSV, TSV, JSON, JSON Lines or Parquet.

    A run is named by its tag, or by its file if it has no tag. Runs with the same tag are also named by their files,
    with a note. ``"NAME=FILE"`` names the run of a file. Files may be compressed.

    Parameters
    ----------
    paths
        Files, directories, globs; ``-`` is standard input.
    lenient
        Skip bad lines and keep only the first of duplicate documents; ``Run.notes`` reports their numbers.
    columns
        Names of columns that have none of the usual names, such as ``{"doc": "product_id"}``.
    """
    chosen = parse_columns(columns)
    tables: list[RowTable] = []
    is_named: list[bool] = []
    for name, path in expand_named(paths):
        file_tables = files.read_runs(path, lenient, columns=chosen)
        if name is not None and len(file_tables) != 1:
            raise InputError(f"runs: {name!r} names {len(file_tables)} runs; give each run its own name")
        tables += file_tables if name is None else [replace(file_tables[0], tag=name)]
        is_named += [name is not None] * len(file_tables)
    names, notes = assign_run_names([(table.name, table.source) for table in tables], is_named)
    return tuple(Run(table, name, note) for table, name, note in zip(tables, names, notes, strict=True))


def assign_run_names(
    runs: list[tuple[str, str]], is_named: Sequence[bool] = ()
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return unique names for runs given as (tag, file), and a note for each run not named by its tag.

    *is_named* marks runs that keep the name that the user gave them.

    >>> assign_run_names([("bm25", "a/x.run"), ("bm25", "a/y.run.gz"), ("dense", "z.run")])[0]
    ['x', 'y', 'dense']
    """
    named = [*is_named] or [False] * len(runs)
    tags = Counter(tag for tag, _ in runs)
    is_unique = [given or tags[tag] == 1 for (tag, _), given in zip(runs, named, strict=True)]
    taken = {tag for (tag, _), unique in zip(runs, is_unique, strict=True) if unique}
    ambiguous = {run for run, unique in zip(runs, is_unique, strict=True) if not unique}
    tags_of_file = Counter(source for _, source in ambiguous)
    file_names = _name_files(list(tags_of_file), taken)
    names: list[str] = []
    notes: list[tuple[str, ...]] = []
    for (tag, source), unique in zip(runs, is_unique, strict=True):
        name = tag if unique else file_names[source] + f":{tag}" * (tags_of_file[source] > 1)
        names.append(name)
        notes.append(() if unique else (f"{source}: shares the tag {tag} with another run; named {name}",))
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InputError(f"two runs are both named {repeated[0]}; name them with NAME=FILE")
    return names, notes


def _name_files(sources: list[str], taken: set[str]) -> dict[str, str]:
    """Return a name for each file: the shortest of its base name, its file name and its path that is unique."""
    names = dict(zip(sources, sources, strict=True))
    for shorten in (_strip_path, stem, run_name):  # from long to short
        shortened = Counter(map(shorten, sources))
        for source in sources:
            name = shorten(source)
            if shortened[name] == 1 and name not in taken:
                names[source] = name
    return names


def _strip_path(source: str) -> str:
    """Return a path without the ending of the file."""
    return str(Path(source).with_name(run_name(source)))
