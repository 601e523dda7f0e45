"""Runs in files, joined with the judgments where they are read.

A task joins a whole file, or a byte range of a large one that ends where a topic ends, with the chunk function of one
machine. Grade codes stay on the cluster; the driver gets what is known of them: names, topics, lengths, problems. A
file of which a byte range has anything unusual is joined again by one task, which reads it carefully.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator
from contextlib import chdir
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.engine.budget import Budget
from assay.engine.chunk import Join, join_fast
from assay.engine.source_join import ReadAgainError, SourceJoin, merge_runs
from assay.engine.sources import RunSource, find_sources
from assay.errors import AssayError, InputError, escape_surrogates
from assay.io.chunks import ChunkSize, TextChunk, split_file, split_text
from assay.io.parquet_dataset import compute_digest
from assay.io.paths import file_errors
from assay.io.source import STDIN, expand
from assay.model.grade_codes import mask_ungraded
from assay.model.joined import JoinedRun
from assay.spark._collect import collect
from assay.spark._session import one_line_errors, parallelism, wrap_errors
from assay.spark._shared_qrels import SharedQrels

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

RANGE = 32 << 20
"""Bytes of plain text that one task reads."""
_CHUNK = 8 << 20
_WHOLE = -1  # both ends of a piece that is a whole file
_PIECE = "file int, folder string, path string, begin long, end long"
_SCHEMA = "file int, number int, begin long, about binary, code binary"


class FileRange(NamedTuple):
    """The input of one task: a whole file (both ends -1) or a byte range of it.

    *folder* is where a path that is not absolute begins.
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
    """A chunk on the cluster: its rankings without codes, their maximum depth without unjudged documents, tie flags.

    *chunk* is None for a range that needs a careful look, and an error where a file cannot be read.
    """

    chunk: JoinedRun | AssayError | None
    condensed: int = 0
    tied: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class JoinedFiles:
    """Runs joined on a cluster.

    *runs* has for each run its file, its number in the file and its description without grade codes; *codes* is a
    persisted DataFrame of chunks; *condensed* is the maximum depth without unjudged documents.
    """

    pieces: list[FileRange]
    runs: dict[tuple[int, int], JoinedRun]
    codes: DataFrame
    condensed: int


def find_file_sources(paths: Any, lenient: bool) -> list[RunSource]:
    """Return the sources of files; standard input and names that executors cannot open are refused."""
    sources = find_sources(expand(paths), lenient)
    for source in sources:
        if source.path == STDIN:
            raise InputError("-: executors cannot read standard input; name a file")
        if source.path is not None and escape_surrogates(source.path) != source.path:
            raise InputError(f"{source.path}: executors cannot open a file whose name is not UTF-8; rename it")
    return sources


def join_files(spark: SparkSession, sources: list[RunSource], qrels: SharedQrels, ties: str) -> JoinedFiles:
    """Join the runs of all files; the first problem in the order of the files is raised."""
    topics = qrels.get().topics
    pieces = [piece for file, source in enumerate(sources) for piece in _split(file, source)]
    codes = _join(spark, pieces, qrels, ties, sources[0].lenient)
    chunks = _describe(codes, topics)
    unusual = sorted({piece.file for piece in pieces if not piece.is_whole and _is_unusual(chunks[piece.file, 0])})
    if unusual:
        whole = [FileRange(file, os.getcwd(), str(sources[file].path)) for file in unusual]
        again = _join(spark, whole, qrels, ties, sources[0].lenient)
        codes = codes.where(~codes["file"].isin(unusual)).unionByName(again)
        chunks = {key: own for key, own in chunks.items() if key[0] not in unusual} | _describe(again, topics)
        pieces = [piece for piece in pieces if piece.file not in unusual] + whole
    runs = {key: _merge(chunks[key]) for key in sorted(chunks)}
    condensed = max((record.condensed_depth for own in chunks.values() for record in own), default=0)
    return JoinedFiles(sorted(pieces), runs, codes, condensed)


def _split(file: int, source: RunSource) -> list[FileRange]:
    whole = FileRange(file, os.getcwd(), str(source.path))
    ranges = split_file(whole.path, RANGE) if source.is_plain_text(2 * RANGE) else []
    return [whole._replace(begin=begin, end=end) for begin, end in ranges] or [whole]


def _join(spark: SparkSession, pieces: list[FileRange], qrels: SharedQrels, ties: str, lenient: bool) -> DataFrame:
    def work(batches: Any) -> Iterator[pa.RecordBatch]:
        join = Join(qrels.get, ties)
        for piece in parse_ranges(batches):
            try:
                with change_folder(piece):
                    yield from _join_whole(piece, join, lenient) if piece.is_whole else _join_range(piece, join)
            except AssayError as error:
                # A record, so that the driver can raise the first problem in the order of the files.
                yield _record(piece, 0, ChunkRecord(error))

    with one_line_errors():
        return spread(spark, pieces).mapInArrow(lambda batches: wrap_errors(work, batches), _SCHEMA).persist()


def spread(spark: SparkSession, pieces: list[FileRange]) -> DataFrame:
    """Return a DataFrame of pieces, a few in each partition, large and small ones mixed."""
    table = spark.createDataFrame([tuple(piece) for piece in pieces], _PIECE)
    return table.repartition(min(len(pieces), max(4 * parallelism(spark), len(pieces) // 4)))


def parse_ranges(batches: Iterable[pa.RecordBatch]) -> Iterator[FileRange]:
    """Yield the pieces that a task is to read."""
    for batch in batches:
        for row in batch.to_pylist():
            yield FileRange(**row)


def change_folder(piece: FileRange) -> chdir[str]:
    """Return a context in which a relative path names the file as it does for the user, also in messages."""
    folder = os.getcwd() if os.path.isabs(piece.path) else piece.folder
    if not os.path.isdir(folder):
        raise InputError(f"{piece.path}: executors cannot see {piece.folder}; name files where all machines see them")
    return chdir(folder)


def _join_range(piece: FileRange, join: Join) -> Iterator[pa.RecordBatch]:
    # One task knows the hash of the whole file.
    sha256 = compute_digest(piece.path) if piece.begin == 0 else None
    for text in split_text([piece.read()], ChunkSize(_CHUNK), piece.path):
        joined = join_fast(TextChunk(text, piece.path, join.rank), join)
        if joined is None or len(joined.read.tags) != 1:
            yield _record(piece, 0, ChunkRecord(None))
            return
        yield _chunk_record(piece, 0, joined.runs[None]._replace(digest=sha256), join)


def _join_whole(piece: FileRange, join: Join, lenient: bool) -> Iterator[pa.RecordBatch]:
    [source] = find_sources([piece.path], lenient)
    joining = SourceJoin(source, join, Budget(threads=1))
    chunks = list(joining.chunks())
    for key, run in joining.runs():
        own = [chunk for other, chunk in chunks if other == key]
        # The first chunk says everything about the run, the others only have rankings.
        first = run._replace(topic=own[0].topic, length=own[0].length, code=own[0].code, tied=own[0].tied)
        rest = [chunk._replace(unjudged_topics=frozenset(), unjudged_rows=0, contradicted_topics=0) for chunk in own[1:]]
        for chunk in (first, *rest):
            yield _chunk_record(piece, key.number, chunk, join)


def _chunk_record(piece: FileRange, number: int, chunk: JoinedRun, join: Join) -> pa.RecordBatch:
    about = chunk._replace(topics=(), code=chunk.code[:0], tied=None)
    return _record(piece, number, ChunkRecord(about, _find_condensed_depth(chunk, join), chunk.tied), chunk.code.tobytes())


def _record(piece: FileRange, number: int, about: ChunkRecord, code: bytes = b"") -> pa.RecordBatch:
    import pyarrow as pa

    kinds = {"file": pa.int32(), "number": pa.int32(), "begin": pa.int64(), "about": pa.binary(), "code": pa.binary()}
    values = (piece.file, number, piece.begin, pickle.dumps(about), code)
    arrays = [pa.array([value], kind) for value, kind in zip(values, kinds.values(), strict=True)]
    return pa.record_batch(arrays, names=list(kinds))


def _find_condensed_depth(chunk: JoinedRun, join: Join) -> int:
    qrels = join.qrels()
    if qrels is None or not len(chunk.length):
        return 0
    graded = ~mask_ungraded(chunk.code, qrels.levels)
    return int(np.add.reduceat(graded, np.cumsum(chunk.length) - chunk.length, dtype=np.int64).max())


def _describe(codes: DataFrame, topics: tuple[str, ...]) -> dict[tuple[int, int], list[ChunkRecord]]:
    """Return the chunks of each run by file and number, in the order of the file, on the driver."""
    rows = collect(codes.drop("code")).sort("file", "number", "begin", maintain_order=True)
    chunks: dict[tuple[int, int], list[ChunkRecord]] = {}
    for file, number, about in rows.select("file", "number", "about").iter_rows():
        record: ChunkRecord = pickle.loads(about)
        if isinstance(record.chunk, JoinedRun):
            record = record._replace(chunk=record.chunk._replace(topics=topics))
        chunks.setdefault((file, number), []).append(record)
    return chunks


def _is_unusual(records: list[ChunkRecord]) -> bool:
    """Return whether a byte range of a file needs a careful look, or the ranges do not fit together."""
    runs = [record.chunk for record in records if isinstance(record.chunk, JoinedRun)]
    try:
        merge_runs(runs)
    except ReadAgainError:
        return True
    return any(record.chunk is None for record in records) or len({run.name for run in runs}) > 1


def _merge(records: list[ChunkRecord]) -> JoinedRun:
    """Return the run of these chunks; a problem is raised."""
    for record in records:
        if isinstance(record.chunk, AssayError):
            raise record.chunk
    return merge_runs([record.chunk for record in records if isinstance(record.chunk, JoinedRun)])
