"""What users may pass as judgments and runs: paths, directories, globs, dicts, tuples, frames, objects."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from assay.engine.budget import Budget
from assay.errors import InputError
from assay.io import files, frames, parquet
from assay.io.chunks import ParquetReader, TextReader
from assay.io.dataset import is_dataset
from assay.io.dataset import size as dataset_size
from assay.io.source import STDIN, Source, expand, is_packed
from assay.io.source import read as read_source
from assay.io.stream import ByteStream, StandardInput
from assay.io.table import RowTable
from assay.io.text import BOM
from assay.model.qrels import Qrels, read_qrels
from assay.model.run import Run

IRDS = "irds:"
_PACKED = 5  # the usual ratio of text to its compressed size
Reader = TextReader | ParquetReader
ReadTables = Callable[[str], list[RowTable]]


class RunSource(NamedTuple):
    """One place that holds runs.

    Attributes
    ----------
    read
        Returns its runs, read as a whole, and is told whether the rank column is needed.
    path
        Its file, if it is one that can be read in chunks.
    name
        The name that the user gave its run.
    lenient
        Whether bad lines and duplicates are skipped.
    special
        Whether *read* treats unusual lines in a way of its own.
    standard_input
        The copy of standard input, if that is the source.
    """

    read: Callable[[bool], list[RowTable]]
    path: str | None = None
    name: str | None = None
    lenient: bool = False
    special: bool = False
    standard_input: StandardInput | None = None

    def open(self, rank: bool, budget: Budget) -> Reader | list[RowTable]:
        """Open the source to be read in chunks; what cannot be read in chunks is read as a whole."""
        path = self.path
        if path is None or not (self.standard_input or is_dataset(path) or os.path.isfile(path)):
            return self.read(rank)
        if self.is_small(budget.chunk):
            source = read_source(path, self.lenient)
            return TextReader(source, rank) if self._is_text(source) else self._tables(source, rank)
        if self.standard_input is None and (is_dataset(path) or parquet.is_parquet(path)):
            return ParquetReader(path, rank)
        copy = self.standard_input.copy(budget.temporary) if self.standard_input else None
        stream = ByteStream(path, lenient=self.lenient, copy=copy)
        if self._is_text(Source(path, stream.head, "")):
            return TextReader(stream, rank)
        return self._tables(read_source(path, self.lenient, stream.raw()), rank)

    def _is_text(self, source: Source) -> bool:
        """Return whether this is TREC text that can be read in chunks."""
        return files.is_trec(source) and not (self.special and source.data.startswith(BOM))

    def _tables(self, source: Source, rank: bool) -> list[RowTable]:
        return self.read(rank) if self.special else files.runs_of(source, self.lenient, rank)

    def is_plain_text(self, size: int) -> bool:
        """Return whether this is a file of TREC text, not compressed, with at least *size* bytes."""
        path = self.path
        if path is None or not os.path.isfile(path) or os.path.getsize(path) < size or parquet.is_parquet(path):
            return False
        stream = ByteStream(path, lenient=self.lenient)
        return (
            stream.packed is None and not stream.head.startswith(BOM) and self._is_text(Source(path, stream.head, ""))
        )

    def size(self) -> int:
        """Return the number of bytes on disk; 0 for what is not a file."""
        if self.path is not None and is_dataset(self.path):
            return dataset_size(self.path)
        return os.path.getsize(self.path) if self.path is not None and os.path.isfile(self.path) else 0

    def is_small(self, chunk: int) -> bool:
        """Return whether this is a file whose text is one chunk; small files are not opened to find out."""
        if self.standard_input is not None or (self.path is not None and is_dataset(self.path)):
            return False
        size = self.size()
        return size * _PACKED <= chunk or (size <= chunk and self.text_size() <= chunk)

    def text_size(self) -> int:
        """Estimate the number of bytes of text."""
        if self.standard_input is not None:
            return self.standard_input.copy().size
        packed = self.path is not None and (is_dataset(self.path) or is_packed(self.path))
        return self.size() * (_PACKED if packed else 1)

    def tables(self, rank: bool) -> list[RowTable]:
        """Read the runs as a whole, under the name that the user gave."""
        tables = self.read(rank)
        if self.name is None:
            return tables
        if len(tables) != 1:
            raise InputError(f"runs: {self.name!r} names {len(tables)} runs; give each a name of its own")
        return [replace(tables[0], tag=self.name)]

    def retain(self) -> RunSource:
        """Return a source that keeps its runs in memory once they are read."""
        tables: list[RowTable] = []

        def read(_: bool) -> list[RowTable]:
            if not tables:
                tables.extend(self.read(True))
            return tables

        # Without a path the file is not read in chunks, which would leave nothing to keep.
        return self._replace(read=read, path=None)


def as_qrels(qrels: Any, *, lenient: bool = False) -> Qrels:
    """Return judgments from a path, a dict of dicts, tuples, a frame, ``irds:…`` or :class:`Qrels`."""
    if isinstance(qrels, Qrels):
        return qrels
    if isinstance(qrels, str) and qrels.startswith(IRDS):
        return Qrels.from_ir_datasets(qrels, lenient=lenient)
    if isinstance(qrels, str | Path):
        return read_qrels(qrels, lenient=lenient)
    if isinstance(qrels, Mapping):
        return Qrels.from_dict(qrels, lenient=lenient)
    if _is_tuples(qrels):
        return Qrels.from_tuples(qrels, lenient=lenient)
    if _is_frame(qrels):
        return Qrels.from_frame(qrels, lenient=lenient)
    raise InputError(f"qrels: expected a path, Qrels, a dict of dicts, tuples or a frame, got {type(qrels).__name__}")


def find_sources(
    runs: Any, lenient: bool = False, read: ReadTables | None = None, name: str | None = None
) -> list[RunSource]:
    """List the sources that *runs* stands for, without reading them; *read* reads a file in a special way."""
    if name is None and isinstance(runs, Mapping) and not _is_run_dict(runs):
        return [_rename(str(name), find_sources(one, lenient, read, str(name))) for name, one in runs.items()]
    if isinstance(runs, str | Path | Run | Mapping) or _is_frame(runs) or _is_tuples(runs):
        runs = [runs]
    if not isinstance(runs, Iterable):
        raise InputError(f"runs: expected paths, runs, dicts or frames, got {type(runs).__name__}")
    listed = list(runs)
    if all(isinstance(one, str | Path) for one in listed):
        listed = expand(listed)
    else:
        listed = [each for one in listed for each in (expand(one) if isinstance(one, str | Path) else [one])]
    if not listed:
        raise InputError("runs: name at least one run")
    return [_source(one, name or f"run{number}", lenient, read) for number, one in enumerate(listed, 1)]


def _rename(name: str, sources: list[RunSource]) -> RunSource:
    """Combine the sources of one run under the name that the user gave it."""
    if len(sources) == 1:
        return sources[0]._replace(name=name)
    return RunSource(lambda rank: [run for source in sources for run in source.read(rank)], name=name)


def _source(one: Any, name: str, lenient: bool, read: ReadTables | None) -> RunSource:
    if isinstance(one, str) and one.startswith(IRDS):
        return RunSource(lambda rank: [Run.from_ir_datasets(one, lenient=lenient).table])
    if isinstance(one, str | Path):
        return _file_source(str(one), lenient, read)
    if isinstance(one, Run):
        return RunSource(lambda rank: [one.table])
    if isinstance(one, Mapping):
        return RunSource(lambda rank: [Run.from_dict(one, name, lenient=lenient).table])
    if _is_tuples(one):
        return RunSource(lambda rank: [Run.from_tuples(one, name, lenient=lenient).table])
    if _is_frame(one):
        return RunSource(lambda rank: frames.runs(one, name, lenient))
    raise InputError(f"runs: expected a path, Run, a dict of dicts, tuples or a frame, got {type(one).__name__}")


def _file_source(path: str, lenient: bool, read: ReadTables | None) -> RunSource:
    if read is not None:
        return RunSource(lambda rank: read(path), path, lenient=lenient, special=True)
    if path != STDIN:
        return RunSource(lambda rank: files.runs(path, lenient, rank), path, lenient=lenient)
    given = StandardInput()

    def read_copy(rank: bool) -> list[RowTable]:
        return files.runs_of(read_source(path, lenient, ByteStream(path, copy=given.copy()).raw()), lenient, rank)

    return RunSource(read_copy, path, lenient=lenient, standard_input=given)


def _is_frame(thing: Any) -> bool:
    """Recognise a frame of any library: by Arrow's interface, or a lazy frame, or an old frame with columns only."""
    kind = type(thing)
    return any(hasattr(kind, name) for name in ("__arrow_c_stream__", "collect_schema", "columns"))


def _is_run_dict(runs: Mapping[Any, Any]) -> bool:
    """Tell ``{topic: {document: score}}`` from ``{name: run}``."""
    rankings = list(runs.values())
    if not all(isinstance(ranking, Mapping) for ranking in rankings):
        return False
    return not any(isinstance(value, Mapping) for ranking in rankings for value in ranking.values())


def _is_tuples(thing: Any) -> bool:
    """Recognise a list of ``(topic, document, value)``."""
    return isinstance(thing, list | tuple) and len(thing) > 0 and all(isinstance(row, tuple) for row in thing)


def refuse_reading_twice(qrels: Any, runs: Any) -> None:
    """Refuse standard input for both the judgments and a run."""
    listed = runs if isinstance(runs, list | tuple) else [runs]
    if isinstance(qrels, str) and qrels == STDIN and STDIN in [one for one in listed if isinstance(one, str)]:
        raise InputError("-: standard input can be read once; name a file for the qrels or for the run")
