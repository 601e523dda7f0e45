"""Parquet: the columns of :mod:`assay.io.frames`, one run or (by the column ``run``) several in a file or dataset."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io import dataset, frames
from assay.io.checks import check_rows
from assay.io.native import silenced
from assay.io.parquet_sizes import MAGIC, check_file, check_sizes
from assay.io.paths import file_errors
from assay.io.problems import Problems

if TYPE_CHECKING:
    from assay.io.checks import Kind
    from assay.io.dataset import Member
    from assay.io.source import Source
    from assay.io.table import RowTable

_LONGEST_REASON = 120


def matches(source: Source) -> bool:
    """Know a Parquet file by its ending or its first bytes."""
    return source.suffix in dataset.ENDINGS or source.data.startswith(MAGIC)


def is_parquet(path: str | Path) -> bool:
    """Whether this is a file and plainly Parquet, neither cut off nor misnamed."""
    if not os.path.isfile(path) or os.path.getsize(path) <= 2 * len(MAGIC):
        return False
    with file_errors(path), open(path, "rb") as file:
        if file.read(4) != MAGIC:
            return False
        file.seek(-4, 2)
        return file.read(4) == MAGIC


def runs(source: Source, lenient: bool = False, rank: bool = True) -> list[RowTable]:
    """Read the runs of the file; a rank column is kept when *rank* is set."""
    frame = _read(source, "run", rank)
    return frames.split(frame, frames.places(source.path), Problems(source.path, lenient), source.digest)


def qrels(source: Source, lenient: bool = False) -> RowTable:
    """Read the judgments of the file."""
    frame = _read(source, "qrels", rank=False)
    problems = Problems(source.path, lenient)
    return check_rows(frame, "qrels", frames.places(source.path), problems, digest=source.digest)


def dataset_runs(path: str, lenient: bool = False, rank: bool = True) -> list[RowTable]:
    """Read the runs of a dataset."""
    frame, place = _whole(path, "run", rank)
    return frames.split(frame, place, Problems(path, lenient), dataset.digest(path))


def dataset_qrels(path: str, lenient: bool = False) -> RowTable:
    """Read the judgments of a dataset."""
    frame, place = _whole(path, "qrels", rank=False)
    return check_rows(frame, "qrels", place, Problems(path, lenient), digest=dataset.digest(path))


def _whole(path: str, kind: Kind, rank: bool) -> tuple[pl.DataFrame, Callable[[int], str]]:
    place = placing(path)
    return pl.concat(list(slices(path, kind, rank))), lambda row: place(row + 1)


def slices(path: str, kind: Kind, rank: bool, most: int | None = None) -> Iterator[pl.DataFrame]:
    """The rows of a file or dataset as ``topic, doc, value`` (and ``rank``, ``run``), at most *most* at a time."""
    first: list[str] = []
    for member in dataset.members(path):
        for frame in _of_member(member, kind, rank, most):
            first = first or frame.columns
            if frame.columns != first:
                raise InputError(f"{member.path}: has not the same columns as the first file of {path}; write it again")
            yield frame


def _of_member(member: Member, kind: Kind, rank: bool, most: int | None) -> Iterator[pl.DataFrame]:
    with _reading(member.path):
        check_file(member.path)
        lazy = _scanned(member.path)
        present = lazy.collect_schema().names()
        total = max(_length(member.path), 1)
    added = {name: value for name, value in member.columns if name not in present}
    lazy = lazy.with_columns(pl.lit(value, pl.String).alias(name) for name, value in added.items())
    names = [*present, *added]
    lazy = lazy.select([names[column] for column in frames.wanted(names, kind, member.path, rank).values()])
    for begin in range(0, total, most or total):
        with _reading(member.path):
            frame = lazy.slice(begin, most or total).collect()
        yield frames.rows(frame, kind, member.path)


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Turn what polars raises about a damaged file into one line."""
    try:
        with silenced():
            yield
    except pl.exceptions.PanicException:
        raise InputError(f"{path}: the Parquet data is damaged (a page cannot be decoded); write it again") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = " ".join(str(error).split())
        reason = reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]}…"
        raise InputError(f"{path}: the Parquet data is damaged ({reason}); write it again") from None


def placing(path: str) -> Callable[[int], str]:
    """Words for the place of a row, counted from 1 over the files of a dataset one after the other."""

    @cache
    def ends() -> tuple[list[str], np.ndarray]:
        files = [member.path for member in dataset.members(path)]
        return files, np.array([0, *accumulate(_length(file) for file in files)])

    def place(at: int) -> str:
        files, counted = ends()
        number = int(np.searchsorted(counted, at)) - 1
        return f"{files[number]}, row {at - int(counted[number])}"

    return place


def _scanned(path: str) -> pl.LazyFrame:
    return pl.scan_parquet(path, glob=False, hive_partitioning=False)


def _length(path: str) -> int:
    return int(_scanned(path).select(pl.len()).collect().item())


def _read(source: Source, kind: Kind, rank: bool) -> pl.DataFrame:
    check_sizes(source.data, source.path)
    with _reading(source.path):
        names = list(pl.read_parquet_schema(BytesIO(source.data)))
    needed = [names[column] for column in frames.wanted(names, kind, source.path, rank).values()]
    with _reading(source.path):
        frame = pl.read_parquet(BytesIO(source.data), columns=needed)
    return frames.rows(frame, kind, source.path)
