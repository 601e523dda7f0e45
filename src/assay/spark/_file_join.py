"""Runs in files, joined with the judgments where they are read.

A task joins a whole file, or a byte range of a large one that ends where a topic ends, with the chunk function of one
machine. Its results stay on the cluster as grade codes; the driver gets what they are: tags, topics, lengths, problems.
A file in which a byte range has anything unusual is joined again by one task, which reads it carefully.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import chdir
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay import errors
from assay.engine.budget import Budget
from assay.engine.chunk import Join, join_fast
from assay.engine.source_join import RepeatedTopicError, SourceJoin, merge_runs
from assay.engine.sources import RunSource, find_sources
from assay.errors import AssayError, InputError, encodable
from assay.io.chunks import ChunkSize, TextChunk, split_file, split_text
from assay.io.dataset import digest
from assay.io.paths import file_errors
from assay.io.source import STDIN, expand
from assay.model.grade_codes import ungraded
from assay.model.joined import JoinedRun
from assay.model.qrels import Qrels
from assay.spark._gathering import collected
from assay.spark._shared import SharedQrels
from assay.spark.session import one_line_errors, parallelism, told

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

RANGE = 32 << 20
"""Bytes of plain text that one task reads."""
_CHUNK = 8 << 20
_WHOLE = -1  # both ends of a piece that is a whole file
_PIECE = "file int, folder string, path string, begin long, end long"
_SCHEMA = (
    "file int, begin long, number int, about string, topic binary, length binary, code binary, tied binary, "
    "condensed int"
)


class FilePiece(NamedTuple):
    """What one task reads: a whole file (both ends -1) or a byte range of it.

    *folder* is where a path that is not absolute begins.
    """

    file: int
    folder: str
    path: str
    begin: int = _WHOLE
    end: int = _WHOLE

    @property
    def is_whole(self) -> bool:
        """Whether this is a whole file."""
        return self.begin == _WHOLE


@dataclass(frozen=True, eq=False)
class JoinedFiles:
    """Runs joined on a cluster.

    *runs* has for each run its file, its number in the file and its description without grade codes; *codes* is a
    persisted DataFrame of the grade codes of chunks; *condensed* is the maximum depth without unjudged documents.
    """

    pieces: list[FilePiece]
    runs: list[tuple[int, int, JoinedRun]]
    codes: DataFrame
    condensed: int


def file_sources(paths: Any, lenient: bool) -> list[RunSource]:
    """Return the sources of files; standard input and names that executors cannot open are refused."""
    sources = find_sources(expand(paths), lenient)
    for source in sources:
        if source.path == STDIN:
            raise InputError("-: executors cannot read standard input; name a file")
        if source.path is not None and encodable(source.path) != source.path:
            raise InputError(f"{source.path}: executors cannot open a file whose name is not UTF-8; rename it")
    return sources


def join_files(
    spark: SparkSession,
    sources: list[RunSource],
    qrels: SharedQrels,
    ties: str,
    *,
    lenient: bool = False,
) -> JoinedFiles:
    """Join the runs of all files; the first problem in the order of the files is raised."""
    topics = qrels.get().topics
    pieces = [piece for file, source in enumerate(sources) for piece in _split(file, source)]
    codes = _join(spark, pieces, qrels, ties, lenient)
    rows = _describe(codes)
    unusual = _unusual_files(rows, topics)
    if unusual:
        whole = [FilePiece(file, os.getcwd(), str(sources[file].path)) for file in unusual]
        again = _join(spark, whole, qrels, ties, lenient)
        codes = codes.where(~codes["file"].isin(unusual)).unionByName(again)
        kept = rows.filter(~pl.col("file").is_in(unusual))
        rows = pl.concat([kept, _describe(again)]).sort("file", "number", "begin", maintain_order=True)
        pieces = [piece for piece in pieces if piece.file not in unusual] + whole
    condensed = int(rows["condensed"].to_numpy().max(initial=0))
    return JoinedFiles(sorted(pieces), _describe_runs(rows, topics), codes, condensed)


def _split(file: int, source: RunSource) -> list[FilePiece]:
    whole = FilePiece(file, os.getcwd(), str(source.path))
    ranges = [] if not source.is_plain_text(2 * RANGE) else list(split_file(whole.path, RANGE))
    return [whole._replace(begin=begin, end=end) for begin, end in ranges] or [whole]


def _join(spark: SparkSession, pieces: list[FilePiece], qrels: SharedQrels, ties: str, lenient: bool) -> DataFrame:
    def work(batches: Any) -> Iterator[pa.RecordBatch]:
        join = Join(qrels.get, ties)
        for piece in pieces_of(batches):
            yield from _records(piece, join, lenient)

    with one_line_errors():
        return spread(spark, pieces).mapInArrow(lambda batches: told(work, batches), _SCHEMA).persist()


def spread(spark: SparkSession, pieces: list[FilePiece]) -> DataFrame:
    """Return a DataFrame of pieces, a few in each partition, large and small ones mixed."""
    table = spark.createDataFrame([tuple(piece) for piece in pieces], _PIECE)
    return table.repartition(min(len(pieces), max(4 * parallelism(spark), len(pieces) // 4)))


def pieces_of(batches: Iterable[pa.RecordBatch]) -> Iterator[FilePiece]:
    """Yield the pieces that a task is to read."""
    for batch in batches:
        for row in batch.to_pylist():
            yield FilePiece(**row)


def in_folder(piece: FilePiece) -> Any:
    """Return a context in which a relative path names the file as it does for the user, also in messages."""
    folder = os.getcwd() if os.path.isabs(piece.path) else piece.folder
    if not os.path.isdir(folder):
        raise InputError(f"{piece.path}: executors cannot see {piece.folder}; name files where all machines see them")
    return chdir(folder)


def _records(piece: FilePiece, join: Join, lenient: bool) -> Iterator[pa.RecordBatch]:
    """Join a piece; a problem becomes a record, so that the driver can raise the first in the order of the files."""
    try:
        with in_folder(piece):
            records = list(_join_whole(piece, join, lenient) if piece.is_whole else _join_range(piece, join))
    except AssayError as error:
        records = [_record(piece, 0, {"kind": type(error).__name__, "message": str(error)})]
    yield from records


def read_range(piece: FilePiece) -> bytes:
    """Return the bytes of a piece."""
    with file_errors(piece.path), open(piece.path, "rb") as file:
        file.seek(piece.begin)
        return file.read(piece.end - piece.begin)


def _join_range(piece: FilePiece, join: Join) -> Iterator[pa.RecordBatch]:
    # One task knows the hash of the whole file.
    sha = {"digest": digest(piece.path)} if piece.begin == 0 else {}
    for text in split_text([read_range(piece)], ChunkSize(_CHUNK), piece.path):
        joined = join_fast(TextChunk(text, piece.path, join.rank), join)
        if joined is None or len(joined.read.tags) != 1:
            yield _record(piece, 0, {"unusual": True})
            return
        yield _record(piece, 0, _about(joined.runs[None]) | sha, joined.runs[None], join)


def _join_whole(piece: FilePiece, join: Join, lenient: bool) -> Iterator[pa.RecordBatch]:
    [source] = find_sources([piece.path], lenient)
    joining = SourceJoin(source, join, Budget(threads=1))
    chunks = list(joining.chunks())
    for key, run in joining.runs():
        # The first chunk of a run says everything about it.
        about = _about(run) | {"digest": run.digest, "notes": list(run.notes)}
        for chunk in [chunk for own, chunk in chunks if own == key]:
            yield _record(piece, key.number, about, chunk, join)
            about = {}


def _about(run: JoinedRun) -> dict[str, Any]:
    return {
        "name": run.name,
        "source": run.source,
        "unjudged_topics": sorted(run.unjudged_topics),
        "unjudged_rows": run.unjudged_rows,
        "contradicted": run.contradicted,
    }


def _record(
    piece: FilePiece, number: int, about: dict[str, Any], chunk: JoinedRun | None = None, join: Join | None = None
) -> pa.RecordBatch:
    import pyarrow as pa

    columns: dict[str, Any] = {"topic": b"", "length": b"", "code": b"", "tied": None, "condensed": 0}
    if chunk is not None and join is not None:
        columns["topic"] = chunk.topic.astype(np.int64).tobytes()
        columns["length"] = chunk.length.astype(np.int64).tobytes()
        columns["code"] = chunk.code.tobytes()
        columns["tied"] = None if chunk.tied is None else chunk.tied.tobytes()
        columns["condensed"] = _longest_condensed(chunk, join.qrels())
    types = {"file": pa.int32(), "begin": pa.int64(), "number": pa.int32(), "about": pa.string()}
    types |= dict.fromkeys(("topic", "length", "code", "tied"), pa.binary()) | {"condensed": pa.int32()}
    values = {"file": piece.file, "begin": piece.begin, "number": number, "about": json.dumps(about), **columns}
    return pa.record_batch([pa.array([values[name]], kind) for name, kind in types.items()], names=list(types))


def _longest_condensed(chunk: JoinedRun, qrels: Qrels | None) -> int:
    if qrels is None or not len(chunk.length):
        return 0
    graded = ~ungraded(chunk.code, qrels.levels)
    first = np.cumsum(chunk.length) - chunk.length
    return int(np.add.reduceat(graded, first, dtype=np.int64).max())


def _describe(codes: DataFrame) -> pl.DataFrame:
    """Return what the records of chunks say, in the order of the files, on the driver."""
    # The chunks of one piece arrive in their order.
    return collected(codes.drop("code", "tied")).sort("file", "number", "begin", maintain_order=True)


def _unusual_files(rows: pl.DataFrame, topics: tuple[str, ...]) -> list[int]:
    """Return the files of which a byte range needs a careful look, or whose ranges do not fit together."""
    files = []
    for (file,), chunks in rows.filter(pl.col("begin") != _WHOLE).partition_by("file", as_dict=True).items():
        about = [json.loads(text) for text in chunks["about"]]
        if any("unusual" in one for one in about):
            files.append(int(str(file)))
        elif not any("kind" in one for one in about):
            try:
                several = len({one["name"] for one in about}) > 1
                merge_runs(_chunks(chunks, topics))
            except RepeatedTopicError:
                several = True
            files += [int(str(file))] * several
    return files


def _describe_runs(rows: pl.DataFrame, topics: tuple[str, ...]) -> list[tuple[int, int, JoinedRun]]:
    """Return file, number and description of each run, in the order of the files; the first problem is raised."""
    runs = []
    for (file, number), chunks in rows.partition_by("file", "number", as_dict=True, maintain_order=True).items():
        for about in map(json.loads, chunks["about"]):
            if "kind" in about:
                raise getattr(errors, about["kind"])(about["message"])
        runs.append((int(str(file)), int(str(number)), merge_runs(_chunks(chunks, topics))))
    return runs


def _chunks(rows: pl.DataFrame, topics: tuple[str, ...]) -> list[JoinedRun]:
    """Return the chunks of one run without their grade codes."""
    return [
        JoinedRun(
            name=(about := json.loads(text)).get("name", ""),
            source=about.get("source", ""),
            digest=about.get("digest"),
            notes=tuple(about.get("notes", ())),
            topics=topics,
            topic=np.frombuffer(topic, dtype=np.int64),
            length=np.frombuffer(length, dtype=np.int64),
            code=np.zeros(0, dtype=np.uint8),
            tied=None,
            unjudged_topics=frozenset(about.get("unjudged_topics", ())),
            unjudged_rows=about.get("unjudged_rows", 0),
            contradicted=about.get("contradicted", 0),
        )
        for text, topic, length in rows.select("about", "topic", "length").iter_rows()
    ]
