"""Parquet files and datasets with the columns of :mod:`assay.io.columns`; an optional column ``run`` names the runs."""

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
from assay.io import frames, parquet_dataset
from assay.io.native import silence_stderr
from assay.io.parquet_sizes import MAGIC, check_file, check_sizes
from assay.io.paths import file_errors

if TYPE_CHECKING:
    from assay.io.columns import ColumnNames
    from assay.io.parquet_dataset import DatasetFile
    from assay.io.problems import Problems
    from assay.io.source import Source

_MAX_REASON = 120  # characters


def matches(source: Source) -> bool:
    """Recognize a Parquet file by its ending or its first bytes."""
    return source.suffix in parquet_dataset.ENDINGS or source.data.startswith(MAGIC)


def is_parquet(path: str | Path) -> bool:
    """Return True for a file that starts and ends with the magic bytes of Parquet."""
    if not os.path.isfile(path) or os.path.getsize(path) <= 2 * len(MAGIC):
        return False
    with file_errors(path), open(path, "rb") as file:
        if file.read(4) != MAGIC:
            return False
        file.seek(-4, 2)
        return file.read(4) == MAGIC


def read_rows(source: Source, names: ColumnNames, _: Problems) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """Return the rows of the file, and a function that maps a row number to its place."""
    check_sizes(source.data, source.path)
    with _report_damage(source.path):
        present = list(pl.read_parquet_schema(BytesIO(source.data)))
    if "doc" not in names.find_roles(present):
        expanded = frames.expand_lists(read_frame(source), names, source.path)
        if expanded is not None:
            return expanded, lambda row: f"{source.path}, topic {expanded['topic'][row]}"
    selected = [present[column] for column in names.find(present, source.path).values()]
    with _report_damage(source.path):
        frame = pl.read_parquet(BytesIO(source.data), columns=selected)
    return frames.convert_rows(frame, names, source.path), frames.locate_rows(source.path)


def read_frame(source: Source) -> pl.DataFrame:
    """Return all columns of the file."""
    check_sizes(source.data, source.path)
    with _report_damage(source.path):
        return pl.read_parquet(BytesIO(source.data))


def read_dataset_rows(path: str, names: ColumnNames) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """Return the rows of a dataset, and a function that maps a row number to its file and the row in that file."""
    place = locate_rows(path)
    return pl.concat(list(read_frames(path, names))), lambda row: place(row + 1)


def read_frames(path: str, names: ColumnNames, max_rows: int | None = None) -> Iterator[pl.DataFrame]:
    """Yield the rows of a file or dataset as ``topic, doc, value`` (and ``rank``, ``run``), *max_rows* at a time."""
    first: list[str] = []
    for file in parquet_dataset.list_files(path):
        for frame in _read_file(file, names, max_rows):
            first = first or frame.columns
            if frame.columns != first:
                raise InputError(f"{file.path}: columns differ from those of the first file of {path}; write it again")
            yield frame


def _read_file(file: DatasetFile, names: ColumnNames, max_rows: int | None) -> Iterator[pl.DataFrame]:
    """Yield the rows of one file, *max_rows* at a time, with the columns that its directories define."""
    with _report_damage(file.path):
        check_file(file.path)
        lazy = _scan(file.path)
        present = lazy.collect_schema().names()
        total = max(_count_rows(file.path), 1)
    # The names of directories may define further columns; columns in the file take precedence.
    directory_columns = {name: value for name, value in file.columns if name not in present}
    lazy = lazy.with_columns(pl.lit(value, pl.String).alias(name) for name, value in directory_columns.items())
    all_names = [*present, *directory_columns]
    lazy = lazy.select([all_names[column] for column in names.find(all_names, file.path).values()])
    for begin in range(0, total, max_rows or total):
        with _report_damage(file.path):
            frame = lazy.slice(begin, max_rows or total).collect()
        yield frames.convert_rows(frame, names, file.path)


@contextmanager
def _report_damage(path: str) -> Iterator[None]:
    """Replace the errors that polars raises for a damaged file by an InputError with a one-line message."""
    try:
        with silence_stderr():
            yield
    except pl.exceptions.PanicException:
        raise InputError(f"{path}: the Parquet data is damaged (a page cannot be decoded); write it again") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = " ".join(str(error).split())
        reason = reason if len(reason) <= _MAX_REASON else f"{reason[:_MAX_REASON]}…"
        raise InputError(f"{path}: the Parquet data is damaged ({reason}); write it again") from None


def locate_rows(path: str) -> Callable[[int], str]:
    """Return a function that maps a row number (from 1, across all files) to its file and the row in that file."""

    @cache  # rows are only counted if a message needs a place
    def count_rows() -> tuple[list[str], np.ndarray]:
        files = [file.path for file in parquet_dataset.list_files(path)]
        return files, np.array([0, *accumulate(_count_rows(file) for file in files)])

    def place(row: int) -> str:
        files, ends = count_rows()
        number = int(np.searchsorted(ends, row)) - 1
        return f"{files[number]}, row {row - int(ends[number])}"

    return place


def _scan(path: str) -> pl.LazyFrame:
    return pl.scan_parquet(path, glob=False, hive_partitioning=False)


def _count_rows(path: str) -> int:
    return int(_scan(path).select(pl.len()).collect().item())
