"""Runs in files as a DataFrame, read in executors by the readers of one machine: a bad line has its file and line.

Files are read twice: first to check them and to learn their tags, then for their rows. That costs less than keeping the
rows of all files somewhere in between, and a lost executor loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from assay.engine.sources import find_sources
from assay.errors import InputError
from assay.io.chunks import TextChunk
from assay.io.table import RowTable
from assay.model.joined import JoinedRun
from assay.model.qrels import Qrels
from assay.model.run import assign_run_names
from assay.spark._buckets import to_arrow
from assay.spark._file_join import FileRange, change_folder, find_file_sources, join_files, parse_ranges, spread
from assay.spark._session import one_line_errors, wrap_errors
from assay.spark._shared_qrels import SharedQrels

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

_ROWS = "run string, topic string, doc string, score double"


class FileRows(NamedTuple):
    """Rows of runs in files, as a DataFrame run, topic, doc, score (and rank), and the runs that they belong to.

    *naming* are notes on runs that are not named by their tags.
    """

    rows: DataFrame
    names: tuple[str, ...]
    runs: list[JoinedRun]
    naming: list[tuple[str, ...]]


def read_runs(spark: SparkSession, paths: Any, *, lenient: bool = False, rank: bool = False) -> DataFrame:
    """Read runs in files, directories and globs into a DataFrame: run, topic, doc, score, and rank if asked for.

    Executors read the files, which must be where they can see them under the same names.

    Parameters
    ----------
    spark
        The session.
    paths
        Files, directories and globs, in the formats of :func:`assay.model.read_runs`.
    lenient
        Go on after bad lines (skipped) and duplicates (the first is kept).
    rank
        Keep the column of ranks, for ``ties="rank"``.
    """
    return read_rows(spark, paths, lenient=lenient, rank=rank).rows


def read_rows(
    spark: SparkSession, paths: Any, *, lenient: bool = False, rank: bool = False, line: bool = False
) -> FileRows:
    """Check the files and find out which runs they hold; their rows are read when they are used.

    With *line*, the column of ranks holds the order of the lines instead, which a shuffle does not keep.
    """
    # A topic that no run has stands for judgments, so that all topics of the runs are without.
    nothing = Qrels.from_tuples([("\0", "\0", 0)])
    with SharedQrels(spark, nothing) as shared:
        joined = join_files(spark, find_file_sources(paths, lenient), shared, "rank" if rank else "trec_eval-10")
        joined.codes.unpersist()
    runs = list(joined.runs.values())
    names, naming = assign_run_names([(run.name, run.source) for run in runs])
    name_of = dict(zip(joined.runs, names, strict=True))

    def read(batches: Any) -> Iterator[pa.RecordBatch]:
        for piece in parse_ranges(batches):
            for number, frame in enumerate(_frames(piece, lenient, rank, line)):
                named = frame.select(pl.lit(name_of[piece.file, number]).alias("run"), pl.all())
                yield from to_arrow(named).to_batches(max_chunksize=1 << 16)

    schema = _ROWS + ", rank string" * (rank or line)
    with one_line_errors():
        rows = spread(spark, joined.pieces).mapInArrow(lambda batches: wrap_errors(read, batches), schema)
    return FileRows(rows, tuple(names), runs, naming)


def _frames(piece: FileRange, lenient: bool, rank: bool, line: bool) -> Iterator[pl.DataFrame]:
    """Yield the rows of each run of a piece: topic, doc, score, and perhaps rank."""
    with change_folder(piece):
        if not piece.is_whole:
            frame = TextChunk(piece.read(), piece.path, rank).parse_fast()
            if frame is None:
                raise InputError(f"{piece.path}: has changed since it was checked")
            tables = [RowTable(piece.path, frame.drop("tag"), pl.Series().to_numpy(), str)]
        else:
            [source] = find_sources([piece.path], lenient)
            tables = source.read(rank)
    for table in tables:
        columns = [pl.col("topic"), pl.col("doc"), pl.col("value").alias("score")]
        if line:
            # Numbers that ascend with the lines of the file: a row takes a byte at least, so ranges do not overlap.
            first = max(piece.begin, 0)
            columns.append(pl.int_range(first, first + pl.len()).cast(pl.String).alias("rank"))
        elif rank:
            columns.append(pl.lit(pl.Series("rank", table.rank)).cast(pl.String).alias("rank"))
        yield table.frame.select(columns)
