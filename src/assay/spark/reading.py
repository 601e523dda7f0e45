"""Files to a DataFrame, read in executors by the strict readers of assay, so that a bad line fails with file and line.

Files are read twice: first to check them and to learn their tags, hashes and topics (little comes back), then for their
rows. That costs less than keeping the rows of all files somewhere in between, and a lost executor loses nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import chdir
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from assay.errors import InputError, encodable
from assay.io import files, pieces, trec
from assay.io.source import STDIN, expand, passed_over
from assay.io.table import RowTable
from assay.model.run import Run, distinct_names
from assay.spark._buckets import as_arrow
from assay.spark._gathering import collected
from assay.spark.session import one_line_errors, parallelism, told

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

_SURVEY = "file int, begin long, run int, tag string, digest string, notes string, topic string, rows long"
_ROWS = "run string, topic string, doc string, score double"
_PIECE = "file int, folder string, path string, begin long, end long"
_WHOLE = -1  # where a piece begins that is the whole file, whatever its format


class FilePiece(NamedTuple):
    """A part of a file that is read by one task: bytes of TREC text, or all of it (both ends -1).

    *folder* is where a path that is not absolute begins.
    """

    file: int
    folder: str
    path: str
    begin: int = _WHOLE
    end: int = _WHOLE


@dataclass(frozen=True, eq=False)
class Files:
    """Runs in files: what is read of them, and what they turned out to be.

    *rows* is a DataFrame run, topic, doc, score (and rank); *sizes* is run, topic, rows. *sources*, *digests*,
    *notes* and *naming* (why a run lost its tag) stand in the order of *names*.
    """

    rows: DataFrame
    sizes: DataFrame
    names: tuple[str, ...]
    sources: tuple[str, ...]
    digests: tuple[str | None, ...]
    notes: tuple[tuple[str, ...], ...]
    naming: tuple[tuple[str, ...], ...]
    before: tuple[str, ...]


def read_runs(spark: SparkSession, paths: Any, *, lenient: bool = False, rank: bool = False) -> DataFrame:
    """Runs in files, directories and globs as a DataFrame: run, topic, doc, score, and rank if it is wanted.

    Executors read the files, which must be where they can see them under the same names.

    Parameters
    ----------
    spark
        The session.
    paths
        Files, directories and globs, in the formats of :func:`assay.read_runs`.
    lenient
        Go on after bad lines (skipped) and duplicates (the first is kept).
    rank
        Keep the column of ranks, for ``ties="rank"``.
    """
    return survey(spark, paths, lenient=lenient, rank=rank).rows


def survey(spark: SparkSession, paths: Any, *, lenient: bool = False, rank: bool = False, line: bool = False) -> Files:
    """Check the files and learn what is in them; their rows are read when they are used.

    With *line*, the column of ranks holds the order of the lines instead, which a shuffle does not keep.
    """
    found = _paths(paths)
    parts, seen = _seen(spark, found, lenient, rank)
    runs = _runs(seen)
    names, naming = distinct_names([(tag, found[file]) for file, _, tag, _, _ in runs])
    by_file: dict[int, dict[int, str]] = {}
    for (file, number, *_), name in zip(runs, names, strict=True):
        by_file.setdefault(file, {})[number] = name
    return Files(
        rows=_rows(spark, parts, by_file, lenient=lenient, rank=rank, line=line),
        sizes=_sizes(spark, seen, by_file),
        names=tuple(names),
        sources=tuple(found[run[0]] for run in runs),
        digests=tuple(run[3] for run in runs),
        notes=tuple(tuple(run[4]) for run in runs),
        naming=tuple(naming),
        before=tuple(passed_over(paths if isinstance(paths, list | tuple) else [paths])),
    )


def _paths(paths: Any) -> list[str]:
    found = expand(paths)
    if STDIN in found:
        raise InputError("-: executors cannot read standard input; name a file")
    for path in found:
        if encodable(path) != path:
            raise InputError(f"{path}: executors cannot open a file whose name is not UTF-8; rename it")
    return found


def _seen(spark: SparkSession, paths: list[str], lenient: bool, rank: bool) -> tuple[list[FilePiece], pl.DataFrame]:
    """The pieces that are to be read, and what the first reading found; odd large files are read as a whole."""
    parts = [piece for file, path in enumerate(paths) for piece in _pieces(file, path, lenient or rank)]
    seen = _looked(spark, parts, lenient, rank)
    odd = _odd(seen)
    if odd:
        again = [FilePiece(file, os.getcwd(), paths[file]) for file in odd]
        seen = pl.concat([seen.filter(~pl.col("file").is_in(odd)), _looked(spark, again, lenient, rank)])
        parts = [piece for piece in parts if piece.file not in odd] + again
    return sorted(parts), seen.sort("file", "run", "begin", maintain_order=True)


def _pieces(file: int, path: str, whole: bool) -> list[FilePiece]:
    large = None if whole else pieces.opened(path)
    here = os.getcwd()
    return (
        [FilePiece(file, here, path)]
        if large is None
        else [FilePiece(file, here, path, b, e) for b, e in large.ranges()]
    )


def _odd(seen: pl.DataFrame) -> list[int]:
    """Files that cannot be read in pieces: odd lines or tags, or a topic in more than one place."""
    cut = seen.filter(pl.col("begin") != _WHOLE)
    topics = cut.filter(pl.col("topic").is_not_null())
    strange = cut.group_by("file").agg(pl.col("tag").n_unique(), pl.col("tag").null_count().alias("none"))
    twice = topics.filter(pl.struct("file", "topic").is_duplicated())["file"]
    odd = strange.filter((pl.col("tag") > 1) | (pl.col("none") > 0))["file"]
    return sorted({*twice.to_list(), *odd.to_list()})


def _looked(spark: SparkSession, parts: list[FilePiece], lenient: bool, rank: bool) -> pl.DataFrame:
    def look(batches: Any) -> Iterator[pa.RecordBatch]:
        for piece in _given(batches):
            yield from as_arrow(_look(piece, lenient, rank)).to_batches()

    with one_line_errors():
        return collected(_spread(spark, parts).mapInArrow(lambda batches: told(look, batches), _SURVEY))


def _look(piece: FilePiece, lenient: bool, rank: bool) -> pl.DataFrame:
    """What a piece holds: a row for each run of it and topic; a run without topics has one row without a topic."""
    found = []
    tables = _tables(piece, lenient, rank)
    digest = pieces.digest(os.path.join(piece.folder, piece.path)) if piece.begin == 0 else None
    for number, table in enumerate(tables or [None]):
        rows = pl.DataFrame({"topic": pl.Series([None], dtype=pl.String), "rows": pl.Series([0], dtype=pl.Int64)})
        if table is not None and len(table.frame):
            rows = table.frame.group_by("topic").agg(pl.len().cast(pl.Int64).alias("rows")).sort("topic")
        name = None if table is None else _named(table, piece)
        found.append(
            rows.select(
                pl.lit(piece.file, pl.Int32).alias("file"),
                pl.lit(piece.begin, pl.Int64).alias("begin"),
                pl.lit(number, pl.Int32).alias("run"),
                pl.lit(name, pl.String).alias("tag"),
                pl.lit(digest if table is None else table.digest or digest, pl.String).alias("digest"),
                pl.lit(json.dumps([] if table is None else table.notes)).alias("notes"),
                "topic",
                "rows",
            )
        )
    return pl.concat(found)


def _named(table: RowTable, piece: FilePiece) -> str:
    return str(Run(table).name) if piece.begin == _WHOLE else table.tag or ""


def _tables(piece: FilePiece, lenient: bool, rank: bool) -> list[RowTable]:
    """The runs in a piece; none if there is anything about it that only the whole file can tell."""
    if not os.path.isabs(piece.path):
        if not os.path.isdir(piece.folder):
            raise InputError(
                f"{piece.path}: executors cannot see {piece.folder}; name files where all machines see them"
            )
        with chdir(piece.folder):  # so that messages name the file as the user does
            return _read(piece, lenient, rank)
    return _read(piece, lenient, rank)


def _read(piece: FilePiece, lenient: bool, rank: bool) -> list[RowTable]:
    if piece.begin == _WHOLE:
        return files.runs(piece.path, lenient, rank)
    large = pieces.opened(piece.path)
    if large is None:
        raise InputError(f"{piece.path}: has changed while it was read")
    table = trec.piece(large.read(piece.begin, piece.end), piece.path)
    return [] if table is None else [table]


def _runs(seen: pl.DataFrame) -> list[tuple[int, int, str, str | None, list[str]]]:
    """Each run: file, number in it, tag, hash, notes."""
    first = seen.group_by("file", "run", maintain_order=True).first()
    rows = first.select("file", "run", "tag", "digest", "notes").iter_rows()
    return [(*row[:4], json.loads(row[4])) for row in rows]


def _sizes(spark: SparkSession, seen: pl.DataFrame, names: dict[int, dict[int, str]]) -> DataFrame:
    pairs = [(file, number, name) for file, own in names.items() for number, name in own.items()]
    table = pl.DataFrame(pairs, schema={"file": pl.Int32, "run": pl.Int32, "name": pl.String}, orient="row")
    sizes = seen.filter(pl.col("topic").is_not_null()).join(table, on=["file", "run"])
    with one_line_errors():
        return spark.createDataFrame(as_arrow(sizes.select(pl.col("name").alias("run"), "topic", "rows")))


def _rows(
    spark: SparkSession,
    parts: list[FilePiece],
    names: dict[int, dict[int, str]],
    *,
    lenient: bool,
    rank: bool,
    line: bool,
) -> DataFrame:
    def read(batches: Any) -> Iterator[pa.RecordBatch]:
        for piece in _given(batches):
            for number, table in enumerate(_tables(piece, lenient, rank)):
                ranks = _lines(table, piece) if line else _ranks(table) if rank else None
                yield from _renamed(table, names[piece.file][number], ranks)

    schema = _ROWS + ", rank string" * (rank or line)
    with one_line_errors():
        return _spread(spark, parts).mapInArrow(lambda batches: told(read, batches), schema)


def _renamed(table: RowTable, name: str, ranks: pl.Series | None) -> Iterator[pa.RecordBatch]:
    frame = table.frame.select(
        pl.lit(name).alias("run"),
        "topic",
        "doc",
        pl.col("value").alias("score"),
        *([] if ranks is None else [ranks]),
    )
    return iter(as_arrow(frame).to_batches(max_chunksize=1 << 16))


def _ranks(table: RowTable) -> pl.Series:
    """Ranks as text that reads back as whole numbers; the run itself says what is wrong with others."""
    return pl.Series("rank", Run(table).rank).cast(pl.String)


def _lines(table: RowTable, piece: FilePiece) -> pl.Series:
    """Numbers that ascend with the lines of the file: a row takes a byte at least, so that pieces do not overlap."""
    first = max(piece.begin, 0)
    return pl.Series("rank", range(first, first + len(table.frame)), dtype=pl.Int64).cast(pl.String)


def _spread(spark: SparkSession, parts: list[FilePiece]) -> DataFrame:
    """A DataFrame of pieces, a few in each partition, large and small ones mixed."""
    table = spark.createDataFrame([tuple(piece) for piece in parts], _PIECE)
    return table.repartition(min(len(parts), max(4 * parallelism(spark), len(parts) // 8)))


def _given(batches: Iterable[pa.RecordBatch]) -> Iterator[FilePiece]:
    for batch in batches:
        for row in batch.to_pylist():
            yield FilePiece(**row)
