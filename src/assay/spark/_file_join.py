"""Join runs in files with the judgments, in the executors that read them.

A task joins a whole file, or a byte range of a large file; ranges end where a topic ends. The chunk function is that of
an evaluation on one machine. Grade codes stay on the cluster; the driver receives names, topics, lengths and problems.
If anything in a byte range is unusual, a single task joins the whole file again with the careful reader.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator
from contextlib import chdir
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from uuid import uuid4

import numpy as np
import polars as pl

from assay.engine.budget import Budget
from assay.engine.chunk import Join, join_fast
from assay.engine.source_join import ReadAgainError, SourceJoin, merge_runs
from assay.engine.sources import RunSource, SourceOptions, find_sources
from assay.errors import AssayError, InputError, escape_surrogates
from assay.io.chunks import ChunkSize, TextChunk, split_file, split_text
from assay.io.parquet_dataset import compute_digest
from assay.io.paths import file_errors
from assay.io.source import STDIN
from assay.model.grade_codes import mask_ungraded
from assay.model.joined import JoinedRun
from assay.model.qrels import Qrels
from assay.spark._buckets import build_qrels
from assay.spark._frames import collect
from assay.spark._session import one_line_errors, parallelism, wrap_errors

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

RANGE = 32 << 20
"""Bytes of plain text that one task reads."""
_CHUNK = 8 << 20
_WHOLE = -1  # begin and end of a range that is a whole file
_RANGE_SCHEMA = "file int, folder string, path string, begin long, end long"
_RECORD_SCHEMA = "file int, number int, begin long, record binary, code binary"


# The judgments of a job by its key, on the driver and in each Python worker, which runs many tasks in sequence.
_CACHE: dict[str, Qrels] = {}


class SharedQrels:
    """Judgments that are sent to each executor once; ``get`` returns them on the driver and in tasks.

    The judgments are broadcast if the session has a context. With Spark Connect they are sent with each task. Leaving
    the ``with`` block frees all copies.
    """

    def __init__(self, spark: SparkSession, qrels: Qrels) -> None:
        from pyspark.errors import PySparkException

        self._key = uuid4().hex
        _CACHE[self._key] = qrels
        self._levels = qrels.levels
        buffer = BytesIO()
        qrels.frame().write_ipc_stream(buffer)
        self._payload: Any = buffer.getvalue()
        self._is_broadcast = False
        try:
            self._payload = spark.sparkContext.broadcast(self._payload)
            self._is_broadcast = True
        except (PySparkException, AttributeError):  # a Spark Connect session has no context
            pass

    def get(self) -> Qrels:
        """Return the judgments, on the driver or in a task."""
        if self._key not in _CACHE:
            _CACHE.clear()  # judgments of earlier jobs in this worker
            data = self._payload.value if self._is_broadcast else self._payload
            rows = pl.read_ipc_stream(BytesIO(data)).rename({"grade": "value"})
            _CACHE[self._key] = build_qrels(rows, self._levels)
        return _CACHE[self._key]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _CACHE.pop(self._key, None)
        if self._is_broadcast:
            self._payload.destroy()


class FileRange(NamedTuple):
    """The input of one task: a whole file (both ends are -1) or a byte range of it.

    *file* is the index of the file. *folder* is the working directory that a relative path refers to.
    """

    file: int
    folder: str
    path: str
    begin: int = _WHOLE
    end: int = _WHOLE

    @property
    def is_whole(self) -> bool:
        """True for a whole file."""
        return self.begin == _WHOLE

    def read(self) -> bytes:
        """Return the bytes of the range."""
        with file_errors(self.path), open(self.path, "rb") as file:
            file.seek(self.begin)
            return file.read(self.end - self.begin)


class ChunkRecord(NamedTuple):
    """Description of a chunk on the cluster: its rankings without grade codes.

    *chunk* is None for a range that must be read carefully, and an error if the file cannot be read.
    *condensed_depth* is the maximum depth after removing unjudged documents. *tied* holds the tie flags.
    """

    chunk: JoinedRun | AssayError | None
    condensed_depth: int = 0
    tied: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class JoinedFiles:
    """Runs joined on a cluster.

    *runs* are the runs without grade codes, by the index of their file and their number in the file. *codes* is a
    persisted DataFrame of chunks. *condensed_depth* is the maximum depth after removing unjudged documents.
    """

    ranges: list[FileRange]
    runs: dict[tuple[int, int], JoinedRun]
    codes: DataFrame
    condensed_depth: int


def find_file_sources(paths: Any, options: SourceOptions = SourceOptions()) -> list[RunSource]:
    """Return the sources of files; refuse standard input and names that executors cannot open."""
    sources = find_sources(paths, options)
    for source in sources:
        if source.path is None:
            raise InputError("runs: executors read runs from files; name files")
        if source.path == STDIN:
            raise InputError("-: executors cannot read standard input; name a file")
        if escape_surrogates(source.path) != source.path:
            raise InputError(f"{source.path}: executors cannot open a file whose name is not UTF-8; rename it")
    return sources


def join_files(spark: SparkSession, sources: list[RunSource], qrels: SharedQrels, ties: str) -> JoinedFiles:
    """Join the runs of all files; raise the first problem in the order of the files."""
    topics = qrels.get().topics
    ranges = [range_ for file, source in enumerate(sources) for range_ in _split_source(file, source)]
    codes = _join_ranges(spark, ranges, qrels, ties, sources[0].options)
    records = _collect_records(codes, topics)
    split_files = {range_.file for range_ in ranges if not range_.is_whole}
    unusual_files = sorted(file for file in split_files if _is_unusual(records[file, 0]))
    if unusual_files:
        whole_files = [FileRange(file, os.getcwd(), str(sources[file].path)) for file in unusual_files]
        new_codes = _join_ranges(spark, whole_files, qrels, ties, sources[0].options)
        codes = codes.where(~codes["file"].isin(unusual_files)).unionByName(new_codes)
        valid_records = {key: run_records for key, run_records in records.items() if key[0] not in unusual_files}
        records = valid_records | _collect_records(new_codes, topics)
        ranges = [range_ for range_ in ranges if range_.file not in unusual_files] + whole_files
    runs = _rename({key: _merge_records(records[key]) for key in sorted(records)}, sources)
    all_records = [record for run_records in records.values() for record in run_records]
    condensed_depth = max((record.condensed_depth for record in all_records), default=0)
    return JoinedFiles(sorted(ranges), runs, codes, condensed_depth)


def _rename(runs: dict[tuple[int, int], JoinedRun], sources: list[RunSource]) -> dict[tuple[int, int], JoinedRun]:
    """Return the runs, by the index of their file and their number in it, with the names that the user wants."""
    renamed = {}
    for file, source in enumerate(sources):
        keys = [key for key in runs if key[0] == file]
        for key, name in zip(keys, source.rename([runs[key].name for key in keys]), strict=True):
            renamed[key] = runs[key]._replace(name=name, is_named=source.name is not None)
    return renamed


def _split_source(file: int, source: RunSource) -> list[FileRange]:
    """Return the byte ranges of a large file of plain text, or one range for the whole file."""
    whole_file = FileRange(file, os.getcwd(), str(source.path))
    ranges = split_file(whole_file.path, RANGE) if source.is_plain_text(2 * RANGE) else []
    return [whole_file._replace(begin=begin, end=end) for begin, end in ranges] or [whole_file]


def _join_ranges(
    spark: SparkSession, ranges: list[FileRange], qrels: SharedQrels, ties: str, options: SourceOptions
) -> DataFrame:
    """Join ranges of files in executors, and return a persisted DataFrame with a record for each chunk."""

    def work(batches: Any) -> Iterator[pa.RecordBatch]:
        join = Join(qrels.get, ties)
        for range_ in parse_ranges(batches):
            try:
                with change_folder(range_):
                    yield from _join_whole(range_, join, options) if range_.is_whole else _join_range(range_, join)
            except AssayError as error:
                # The error becomes a record, so that the driver can raise the first error in the order of the files.
                yield _encode_record(range_, 0, ChunkRecord(error))

    with one_line_errors():
        return distribute(spark, ranges).mapInArrow(wrap_errors(work), _RECORD_SCHEMA).persist()


def distribute(spark: SparkSession, ranges: list[FileRange]) -> DataFrame:
    """Return a DataFrame with a few ranges in each partition; large and small ranges are mixed."""
    table = spark.createDataFrame([tuple(range_) for range_ in ranges], _RANGE_SCHEMA)
    return table.repartition(min(len(ranges), max(4 * parallelism(spark), len(ranges) // 4)))


def parse_ranges(batches: Iterable[pa.RecordBatch]) -> Iterator[FileRange]:
    """Yield the ranges that a task reads."""
    for batch in batches:
        for row in batch.to_pylist():
            yield FileRange(**row)


def change_folder(range_: FileRange) -> chdir[str]:
    """Return a context that changes to the working directory of the user, in which relative paths are valid."""
    folder = os.getcwd() if os.path.isabs(range_.path) else range_.folder
    if not os.path.isdir(folder):
        raise InputError(
            f"{range_.path}: executors cannot read {range_.folder}; use a directory that all machines share"
        )
    return chdir(folder)


def _join_range(range_: FileRange, join: Join) -> Iterator[pa.RecordBatch]:
    """Yield the records of the chunks of a byte range; a record without a chunk if the range is unusual."""
    # Only the first task of a file computes the digest of the whole file.
    sha256 = compute_digest(range_.path) if range_.begin == 0 else None
    for text in split_text([range_.read()], ChunkSize(_CHUNK), range_.path):
        joined = join_fast(TextChunk(text, range_.path, join.needs_rank), join)
        if joined is None or len(joined.facts.tags) != 1:
            yield _encode_record(range_, 0, ChunkRecord(None))
            return
        yield _encode_chunk(range_, 0, joined.runs[None]._replace(digest=sha256), join)


def _join_whole(range_: FileRange, join: Join, options: SourceOptions) -> Iterator[pa.RecordBatch]:
    """Yield the records of the chunks of a whole file."""
    [source] = find_sources([Path(range_.path)], options)
    source_join = SourceJoin(source, join, Budget(threads=1))
    chunks = list(source_join.chunks())
    for number, (owner, run) in enumerate(source_join.runs()):
        head, *tail = (chunk for chunk_owner, chunk in chunks if chunk_owner is owner)
        # The first chunk carries the facts about the whole run; the other chunks only add rankings.
        first = run._replace(topic=head.topic, length=head.length, code=head.code, tied=head.tied)
        rest = [
            chunk._replace(unjudged_topics=frozenset(), unjudged_document_count=0, contradicted_topic_count=0)
            for chunk in tail
        ]
        for chunk in (first, *rest):
            yield _encode_chunk(range_, number, chunk, join)


def _encode_chunk(range_: FileRange, number: int, chunk: JoinedRun, join: Join) -> pa.RecordBatch:
    """Return the record of a chunk of the run with this *number* in its file; grade codes are in a separate column."""
    without_codes = chunk._replace(topics=(), code=chunk.code[:0], tied=None)
    record = ChunkRecord(without_codes, _find_condensed_depth(chunk, join), chunk.tied)
    return _encode_record(range_, number, record, chunk.code.tobytes())


def _encode_record(range_: FileRange, number: int, record: ChunkRecord, code: bytes = b"") -> pa.RecordBatch:
    import pyarrow as pa

    types = {"file": pa.int32(), "number": pa.int32(), "begin": pa.int64(), "record": pa.binary(), "code": pa.binary()}
    values = (range_.file, number, range_.begin, pickle.dumps(record), code)
    return pa.RecordBatch.from_pylist([dict(zip(types, values, strict=True))], schema=pa.schema(types))


def _find_condensed_depth(chunk: JoinedRun, join: Join) -> int:
    """Return the length of the longest ranking of a chunk after removing unjudged documents."""
    qrels = join.qrels()
    if qrels is None or not len(chunk.length):
        return 0
    graded = ~mask_ungraded(chunk.code, qrels.levels)
    return int(np.add.reduceat(graded, np.cumsum(chunk.length) - chunk.length, dtype=np.int64).max())


def _collect_records(codes: DataFrame, topics: tuple[str, ...]) -> dict[tuple[int, int], list[ChunkRecord]]:
    """Collect the records to the driver: by file and number of the run, in the order of the file."""
    rows = collect(codes.drop("code")).sort("file", "number", "begin", maintain_order=True)
    records: dict[tuple[int, int], list[ChunkRecord]] = {}
    for file, number, data in rows.select("file", "number", "record").iter_rows():
        record: ChunkRecord = pickle.loads(data)
        if isinstance(record.chunk, JoinedRun):
            record = record._replace(chunk=record.chunk._replace(topics=topics))
        records.setdefault((file, number), []).append(record)
    return records


def _is_unusual(records: list[ChunkRecord]) -> bool:
    """Return True if a byte range must be read carefully, or if the ranges of a file contradict each other."""
    runs = [record.chunk for record in records if isinstance(record.chunk, JoinedRun)]
    try:
        merge_runs(runs)
    except ReadAgainError:
        return True
    return any(record.chunk is None for record in records) or len({run.name for run in runs}) > 1


def _merge_records(records: list[ChunkRecord]) -> JoinedRun:
    """Merge the chunks of a run; raise the first error among them."""
    for record in records:
        if isinstance(record.chunk, AssayError):
            raise record.chunk
    return merge_runs([record.chunk for record in records if isinstance(record.chunk, JoinedRun)])
