"""Parquet: the columns of :mod:`assay.io.frames`, one run or (by the column ``run``) several in a file."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import polars as pl

from assay.errors import InputError
from assay.io import frames
from assay.io.checks import checked
from assay.io.problems import Problems

if TYPE_CHECKING:
    from assay.io.checks import Kind
    from assay.io.source import Source
    from assay.io.table import Table

_MAGIC = b"PAR1"


def matches(source: Source) -> bool:
    """Know a Parquet file by its ending or its first bytes."""
    return source.suffix in (".parquet", ".pq") or source.data.startswith(_MAGIC)


def runs(source: Source, lenient: bool = False, rank: bool = True) -> list[Table]:
    """Read the runs of the file; a rank column is kept when *rank* is set."""
    frame = _read(source, "run", rank)
    return frames.split(frame, frames.places(source.path), Problems(source.path, lenient), source.digest)


def qrels(source: Source, lenient: bool = False) -> Table:
    """Read the judgments of the file."""
    frame = _read(source, "qrels", rank=False)
    problems = Problems(source.path, lenient)
    return checked(frame, "qrels", frames.places(source.path), problems, digest=source.digest)


def _read(source: Source, kind: Kind, rank: bool) -> pl.DataFrame:
    if not source.data:
        raise InputError(f"{source.path}: the file is empty")
    if not source.data.startswith(_MAGIC):
        raise InputError(f"{source.path}: is named Parquet but is not (it does not start with PAR1); rename it")
    if not source.data.endswith(_MAGIC):
        raise InputError(f"{source.path}: the Parquet data is cut off (it does not end with PAR1)")
    try:
        names = list(pl.read_parquet_schema(BytesIO(source.data)))
        needed = [names[column] for column in frames.wanted(names, kind, source.path, rank).values()]
        frame = pl.read_parquet(BytesIO(source.data), columns=needed)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{source.path}: the Parquet data is damaged ({reason})") from None
    return frames.rows(frame, kind, source.path)
