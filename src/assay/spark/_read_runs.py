"""Read runs in files into a DataFrame.

Executors use the same readers as on one machine, so errors name the file and the line. Files are read twice: first to
check them and find their tags, then for their rows. This costs less than storing the rows of all files between the two
passes, and no data is lost if an executor fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from assay.engine.sources import SourceOptions, find_sources
from assay.errors import InputError
from assay.io.chunks import TextChunk
from assay.io.table import RowTable
from assay.model.joined import JoinedRun
from assay.model.qrels import Qrels
from assay.model.run import assign_run_names
from assay.spark._file_join import (
    FileRange,
    SharedQrels,
    change_folder,
    distribute,
    find_file_sources,
    join_files,
    parse_ranges,
)
from assay.spark._frames import to_arrow
from assay.spark._session import one_line_errors, wrap_errors

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

_ROWS = "run string, topic string, doc string, score double"


class FileRows(NamedTuple):
    """Rows of the runs in files, as a DataFrame run, topic, doc, score (and rank), and descriptions of these runs."""

    rows: DataFrame
    names: tuple[str, ...]
    runs: list[JoinedRun]


def read_runs(spark: SparkSession, paths: Any, *, lenient: bool = False, rank: bool = False) -> DataFrame:
    """Read runs in files, directories and globs into a DataFrame run, topic, doc, score and optionally rank.

    Executors read the files, which must be accessible to them under the same paths.

    Parameters
    ----------
    spark
        The session.
    paths
        Files, directories and globs, in the formats of :func:`assay.model.read_runs`.
    lenient
        Skip bad lines, and keep only the first of duplicate documents.
    rank
        Include the rank column, for ``ties="rank"``.
    """
    return read_rows(spark, paths, SourceOptions(lenient), rank=rank).rows


def read_rows(
    spark: SparkSession, paths: Any, options: SourceOptions, *, rank: bool = False, by_line: bool = False
) -> FileRows:
    """Check the files and find the runs in them; the rows are read when the DataFrame is used.

    With *by_line*, the rank column holds the order of the lines, because a shuffle does not preserve this order.
    """
    # The only judged topic occurs in no run, so all topics of the runs are unjudged.
    placeholder = Qrels.from_tuples([("\0", "\0", 0)])
    with SharedQrels(spark, placeholder) as shared:
        joined = join_files(spark, find_file_sources(paths, options), shared, "rank" if rank else "trec_eval-10")
        joined.codes.unpersist()
    runs = list(joined.runs.values())
    names, _ = assign_run_names([(run.name, run.source) for run in runs], [run.is_named for run in runs])
    name_of = dict(zip(joined.runs, names, strict=True))

    def read(batches: Any) -> Iterator[pa.RecordBatch]:
        for range_ in parse_ranges(batches):
            for number, frame in enumerate(_read_frames(range_, options, rank, by_line)):
                rows = frame.select(pl.lit(name_of[range_.file, number]).alias("run"), pl.all())
                yield from to_arrow(rows).to_batches(max_chunksize=1 << 16)

    schema = _ROWS + ", rank string" * (rank or by_line)
    with one_line_errors():
        rows = distribute(spark, joined.ranges).mapInArrow(wrap_errors(read), schema)
    return FileRows(rows, tuple(names), runs)


def _read_frames(range_: FileRange, options: SourceOptions, rank: bool, by_line: bool) -> Iterator[pl.DataFrame]:
    """Yield the rows of each run of a range: topic, doc, score and optionally rank."""
    with change_folder(range_):
        if not range_.is_whole:
            frame = TextChunk(range_.read(), range_.path, rank).parse_fast()
            if frame is None:
                raise InputError(f"{range_.path}: has changed since it was checked")
            tables = [RowTable(range_.path, frame.drop("tag"), pl.Series().to_numpy(), str)]
        else:
            [source] = find_sources([Path(range_.path)], options)
            tables = source.read(rank)
    for table in tables:
        columns = [pl.col("topic"), pl.col("doc"), pl.col("value").alias("score")]
        if by_line:
            # Number the lines from the byte offset of the range. Every line has at least one byte, so the numbers of
            # different ranges do not overlap and ascend through the file.
            first = max(range_.begin, 0)
            columns.append(pl.int_range(first, first + pl.len()).cast(pl.String).alias("rank"))
        elif rank:
            columns.append(pl.lit(pl.Series("rank", table.rank)).cast(pl.String).alias("rank"))
        yield table.frame.select(columns)
