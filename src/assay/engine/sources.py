"""Sources of judgments and runs: paths, directories, globs, dicts, tuples, frames and objects."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from assay.engine.budget import Budget
from assay.errors import InputError, check_choice
from assay.io import files, frames, parquet
from assay.io.chunks import ParquetReader, TextReader
from assay.io.columns import ColumnMap, ColumnNames, parse_columns
from assay.io.parquet_dataset import dataset_size, is_dataset
from assay.io.paths import IRDS, path_text
from assay.io.qrels_formats import FORMATS
from assay.io.source import STDIN, Source, expand, expand_named, is_compressed, run_name, split_name
from assay.io.source import read as read_source
from assay.io.stream import ByteStream, StandardInput
from assay.io.table import RowTable
from assay.io.text import BOM
from assay.model.facets import FacetOptions
from assay.model.qrels import Qrels
from assay.model.run import Run

_COMPRESSION_RATIO = 5  # typical ratio of the size of text to its compressed size
Reader = TextReader | ParquetReader
ReadTables = Callable[[str], list[RowTable]]


@dataclass(frozen=True)
class SourceOptions:
    """Options of reading that apply to all sources of runs.

    Attributes
    ----------
    lenient
        Whether bad lines and duplicates are skipped.
    columns
        Names of columns that the user chose.
    name_by
        Whether a run is named after its ``tag`` or its ``file``.
    qrels_format
        The format of judgments in TREC text; tables need the column of its facet.
    facets
        Treatment of subtopics and judges.
    """

    lenient: bool = False
    columns: ColumnMap = field(default_factory=dict)
    name_by: str = "tag"
    qrels_format: str = "qrels"
    facets: FacetOptions = FacetOptions()


def source_options(
    lenient: bool,
    columns: Mapping[str, str | Sequence[str]] | None,
    name_by: str,
    *,
    qrels_format: str = "qrels",
    collapse: str = "max",
    merge: str | Sequence[str] | None = None,
) -> SourceOptions:
    """Return the options of ``assay.read``; raise an error for invalid ones."""
    check_choice(f"name_by {name_by!r}", name_by, ("tag", "file"))
    check_choice(f"qrels_format {qrels_format!r}", qrels_format, FORMATS)
    facets = FacetOptions.of(collapse, merge)
    return SourceOptions(lenient, parse_columns(columns), name_by, qrels_format, facets)


class RunSource(NamedTuple):
    """One source of runs.

    Attributes
    ----------
    read
        Function that reads the runs as a whole; its argument says whether the rank column is needed.
    path
        The file, if it can be read in chunks; otherwise None.
    name
        The name that the user gave the run.
    options
        Options of reading.
    custom_reader
        Whether *read* is a custom reader, which must read all unusual lines itself.
    standard_input
        The copy of standard input, if the source is standard input.
    """

    read: Callable[[bool], list[RowTable]]
    path: str | None = None
    name: str | None = None
    options: SourceOptions = SourceOptions()
    custom_reader: bool = False
    standard_input: StandardInput | None = None

    @property
    def lenient(self) -> bool:
        """True if bad lines and duplicates are skipped."""
        return self.options.lenient

    def open(self, needs_rank: bool, budget: Budget) -> Reader | list[RowTable]:
        """Open the source for reading in chunks; if this is impossible, read it as a whole and return its runs."""
        path = self.path
        if path is None or not (self.standard_input or is_dataset(path) or os.path.isfile(path)):
            return self.read(needs_rank)
        if self.is_small(budget.chunk):
            source = read_source(path, self.lenient)
            return TextReader(source, needs_rank) if self._is_text(source) else self._tables(source, needs_rank)
        if self.standard_input is None and (is_dataset(path) or parquet.is_parquet(path)):
            return ParquetReader(path, ColumnNames("run", needs_rank, self.options.columns))
        copy = self.standard_input.copy(budget.temporary_directory) if self.standard_input else None
        stream = ByteStream(path, lenient=self.lenient, copy=copy)
        if self._is_text(Source(path, stream.head, "")):
            return TextReader(stream, needs_rank)
        return self._tables(read_source(path, self.lenient, stream.raw()), needs_rank)

    def _is_text(self, source: Source) -> bool:
        """Return whether this is TREC text that can be read in chunks."""
        return files.is_trec(source) and not (self.custom_reader and source.data.startswith(BOM))

    def _tables(self, source: Source, needs_rank: bool) -> list[RowTable]:
        """Read the runs of a source that is already loaded."""
        if self.custom_reader:
            return self.read(needs_rank)
        return files.read_source_runs(source, self.lenient, needs_rank, self.options.columns)

    def is_plain_text(self, size: int) -> bool:
        """Return whether this is an uncompressed file of TREC text with at least *size* bytes."""
        path = self.path
        if path is None or not os.path.isfile(path) or os.path.getsize(path) < size or parquet.is_parquet(path):
            return False
        stream = ByteStream(path, lenient=self.lenient)
        return (
            stream.compression is None
            and not stream.head.startswith(BOM)
            and self._is_text(Source(path, stream.head, ""))
        )

    def size(self) -> int:
        """Return the number of bytes on disk; 0 if the source is not a file."""
        if self.path is not None and is_dataset(self.path):
            return dataset_size(self.path)
        return os.path.getsize(self.path) if self.path is not None and os.path.isfile(self.path) else 0

    def is_small(self, chunk: int) -> bool:
        """Return whether the text fits into one chunk of *chunk* bytes; a small file is not opened for this check."""
        if self.standard_input is not None or (self.path is not None and is_dataset(self.path)):
            return False
        size = self.size()
        return size * _COMPRESSION_RATIO <= chunk or (size <= chunk and self.text_size() <= chunk)

    def text_size(self) -> int:
        """Estimate the number of bytes of text."""
        if self.standard_input is not None:
            return self.standard_input.copy().size
        compressed = self.path is not None and (is_dataset(self.path) or is_compressed(self.path))
        return self.size() * (_COMPRESSION_RATIO if compressed else 1)

    def tables(self, needs_rank: bool) -> list[RowTable]:
        """Read the runs as a whole, renamed as the user wants."""
        tables = self.read(needs_rank)
        names = self.rename([table.name for table in tables])
        return [replace(table, tag=name) for table, name in zip(tables, names, strict=True)]

    def rename(self, names: Sequence[str]) -> list[str]:
        """Return the names of the runs of the source: the name that the user gave, or the name of the file."""
        if self.name is not None:
            if len(names) != 1:
                raise InputError(f"runs: {self.name!r} names {len(names)} runs; give each run its own name")
            return [self.name]
        if self.options.name_by != "file" or self.path is None:
            return list(names)
        name = run_name(self.path)
        return [name] if len(names) == 1 else [f"{name}:{tag}" for tag in names]

    def retain(self) -> RunSource:
        """Return a source that keeps its runs in memory once they are read."""
        tables: list[RowTable] = []

        def read(_: bool) -> list[RowTable]:
            if not tables:
                tables.extend(self.read(True))
            return tables

        # Without a path, the file is read as a whole; reading it in chunks would not return its runs.
        return self._replace(read=read, path=None)


def as_qrels(qrels: Any, options: SourceOptions = SourceOptions()) -> Qrels:
    """Return judgments from a path, a dict of dicts, tuples, a frame, ``irds:…`` or :class:`Qrels`."""
    lenient, columns, layout, facets = options.lenient, options.columns, options.qrels_format, options.facets
    if isinstance(qrels, Qrels):
        return qrels
    is_file = isinstance(qrels, str | Path) and not (isinstance(qrels, str) and qrels.startswith(IRDS))
    if layout != "qrels" and not is_file and not _is_frame(qrels):
        raise InputError(f"qrels_format {layout!r}: applies to files and frames; pass the judgments as a frame")
    if facets.merge is not None and not is_file and not _is_frame(qrels):
        raise InputError("qrels: --merge needs several judges; pass the judgments as a file or a frame")
    if isinstance(qrels, str) and qrels.startswith(IRDS):
        return Qrels.from_ir_datasets(qrels, lenient=lenient)
    if isinstance(qrels, str | Path):
        return Qrels(files.read_qrels(path_text(qrels), lenient, columns, layout), facets)
    if isinstance(qrels, Mapping):
        return Qrels.from_dict(qrels, lenient=lenient)
    if _is_tuples(qrels):
        return Qrels.from_tuples(qrels, lenient=lenient)
    if _is_frame(qrels):
        return Qrels(frames.read_qrels(qrels, lenient, columns, layout), facets)
    raise InputError(f"qrels: expected a path, Qrels, a dict of dicts, tuples or a frame, got {type(qrels).__name__}")


def weigh_subtopics(qrels: Qrels, weights: Any, lenient: bool = False) -> Qrels:
    """Return judgments with the weights of their subtopics, read from a path, a dict of dicts or a frame."""
    from assay.io.document_tables import read_weights

    table = read_weights(weights, lenient)
    by_topic: dict[str, dict[str, float]] = {}
    for topic, subtopic, weight in table.frame.iter_rows():
        by_topic.setdefault(topic, {})[subtopic] = weight
    notes = list(table.notes)
    if "subtopic" in qrels.facets:
        judged = qrels.facet_frame().select("topic", "subtopic").unique()
        missing = judged.join(table.frame, on=["topic", "subtopic"], how="anti")
        if len(missing):
            topic, subtopic = missing.sort("topic", "subtopic").row(0)
            text = f"{table.source}: subtopics without a weight have weight 0: {len(missing)}"
            notes.append(f"{text} (first: topic {topic}, subtopic {subtopic})")
    return qrels.with_subtopic_weights(by_topic, notes)


def find_sources(
    runs: Any, options: SourceOptions = SourceOptions(), read: ReadTables | None = None, name: str | None = None
) -> list[RunSource]:
    """Return the sources that *runs* names, without reading them.

    *read* is a custom reader of files. *name* is given to runs without a name; by default run1, run2 and so on.
    """
    if name is None and isinstance(runs, Mapping) and not _is_run_dict(runs):
        return [_combine(str(name), find_sources(run, options, read, str(name))) for name, run in runs.items()]
    if isinstance(runs, str | Path | Run | Mapping) or _is_frame(runs) or _is_tuples(runs):
        runs = [runs]
    if not isinstance(runs, Iterable):
        raise InputError(f"runs: expected paths, runs, dicts or frames, got {type(runs).__name__}")
    items: list[tuple[str | None, Any]] = [
        named
        for is_path, group in groupby(runs, lambda item: isinstance(item, str | Path))
        for named in (_expand(group, read is None and name is None) if is_path else [(None, item) for item in group])
    ]
    if not items:
        raise InputError("runs: name at least one run")
    _refuse_repeated_names([given for given, _ in items if given is not None])
    sources = (
        (given, _build_source(run, name or f"run{number}", options, read))
        for number, (given, run) in enumerate(items, 1)
    )
    return [source if given is None else source._replace(name=given) for given, source in sources]


def _expand(paths: Iterable[str | Path], named: bool) -> list[tuple[str | None, str]]:
    """Return the files that paths name; with *named*, a path may have the form ``NAME=FILE``."""
    return expand_named(paths) if named else [(None, path) for path in expand(paths)]


def _refuse_repeated_names(names: list[str]) -> None:
    """Raise an error if the user gave two runs the same name."""
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"runs: two runs are named {name!r}; give them different names")


def _combine(name: str, sources: list[RunSource]) -> RunSource:
    """Combine the sources of one run under the name that the user gave it."""
    if len(sources) == 1:
        return sources[0]._replace(name=name)
    return RunSource(lambda needs_rank: [run for source in sources for run in source.read(needs_rank)], name=name)


def _build_source(run: Any, name: str, options: SourceOptions, read: ReadTables | None) -> RunSource:
    """Return the source of one item of *runs*; *name* is used if the object has no name."""
    lenient = options.lenient
    if isinstance(run, str) and run.startswith(IRDS):
        return RunSource(lambda needs_rank: [Run.from_ir_datasets(run, lenient=lenient).table])
    if isinstance(run, str | Path):
        return _file_source(str(run), options, read)
    if isinstance(run, Run):
        return RunSource(lambda needs_rank: [run.table])
    if isinstance(run, Mapping):
        return RunSource(lambda needs_rank: [Run.from_dict(run, name, lenient=lenient).table])
    if _is_tuples(run):
        return RunSource(lambda needs_rank: [Run.from_tuples(run, name, lenient=lenient).table])
    if _is_frame(run):
        return RunSource(lambda needs_rank: frames.read_runs(run, name, lenient, options.columns))
    raise InputError(f"runs: expected a path, Run, a dict of dicts, tuples or a frame, got {type(run).__name__}")


def _file_source(path: str, options: SourceOptions, read: ReadTables | None) -> RunSource:
    """Return the source of one file; standard input is copied, so that it can be read again."""
    lenient, columns = options.lenient, options.columns
    if read is not None:
        return RunSource(lambda needs_rank: read(path), path, options=options, custom_reader=True)
    if path != STDIN:
        return RunSource(lambda needs_rank: files.read_runs(path, lenient, needs_rank, columns), path, options=options)
    standard_input = StandardInput()

    def read_copy(needs_rank: bool) -> list[RowTable]:
        source = read_source(path, lenient, ByteStream(path, copy=standard_input.copy()).raw())
        return files.read_source_runs(source, lenient, needs_rank, columns)

    return RunSource(read_copy, path, options=options, standard_input=standard_input)


def _is_frame(value: Any) -> bool:
    """Return whether *value* is a frame: it has Arrow's interface, is lazy, or at least has columns."""
    return any(hasattr(type(value), name) for name in ("__arrow_c_stream__", "collect_schema", "columns"))


def _is_run_dict(runs: Mapping[Any, Any]) -> bool:
    """Return whether a dict is one run, ``{topic: {document: score}}``, rather than runs by name."""
    rankings = list(runs.values())
    if not all(isinstance(ranking, Mapping) for ranking in rankings):
        return False
    return not any(isinstance(value, Mapping) for ranking in rankings for value in ranking.values())


def _is_tuples(value: Any) -> bool:
    """Return whether *value* is a list of tuples: ``(topic, document, value)``."""
    return isinstance(value, list | tuple) and len(value) > 0 and all(isinstance(row, tuple) for row in value)


def check_standard_input(qrels: Any, runs: Any) -> None:
    """Raise an error if both the judgments and a run are to be read from standard input."""
    items = [item for item in (runs if isinstance(runs, list | tuple) else [runs]) if isinstance(item, str)]
    if isinstance(qrels, str) and qrels == STDIN and any(split_name(item)[1] == STDIN for item in items):
        raise InputError("-: standard input can be read only once; name a file for the qrels or for the run")
