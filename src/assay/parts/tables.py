"""Parquet some rows at a time, each time up to the end of a topic."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io import frames
from assay.parts.chunk import Chunk, Deferred

if TYPE_CHECKING:
    from pathlib import Path

    from assay.parts.budget import Budget

_MAGIC = b"PAR1"
_NO_RUN = "rows without a run skipped"


def is_parquet(path: str | Path) -> bool:
    """Whether a file is plainly Parquet, neither cut off nor misnamed."""
    with open(path, "rb") as file:
        if file.read(4) != _MAGIC:
            return False
        file.seek(-4, 2)
        return file.read(4) == _MAGIC


def chunks(path: str, budget: Budget, rank: bool) -> Iterator[Chunk]:
    """Chunks of about as many rows as the budget allows, each up to the end of a topic (of a run)."""
    held: list[pl.DataFrame] = []
    before = 0
    for frame in _slices(path, budget.rows, rank):
        held.append(frame)
        rows = pl.concat(held)
        cut = _stretch_start(rows)
        if cut:
            yield _chunk(path, rows[:cut], before)
            before += cut
        held = [rows[cut:]]
    if len(held[0]) or not before:
        yield _chunk(path, held[0], before)


def _slices(path: str, size: int, rank: bool) -> Iterator[pl.DataFrame]:
    try:
        names = list(pl.read_parquet_schema(path))
        columns = frames.wanted(names, "run", path, rank)
        lazy = pl.scan_parquet(path, glob=False).select([names[column] for column in columns.values()])
        total = int(lazy.select(pl.len()).collect().item())
        for begin in range(0, max(total, 1), size):
            yield frames.rows(lazy.slice(begin, size).collect(), "run", path)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{path}: the Parquet data is damaged ({reason})") from None


def _stretch_start(rows: pl.DataFrame) -> int:
    """Where the rows with the topic and the run of the last begin."""
    by = [name for name in ("topic", "run") if name in rows.columns]
    if rows.is_empty():
        return 0
    other = rows.select(pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).last()) for name in by)).to_series()
    places = np.flatnonzero(other.to_numpy())
    return int(places[-1]) + 1 if len(places) else 0


def _chunk(path: str, frame: pl.DataFrame, before: int) -> Chunk:
    problems = Deferred(path)
    length = len(frame)
    if "run" in frame.columns:
        named = frame["run"].is_not_null().to_numpy()
        if not named.all():
            chunk = Chunk(frame, _counting(before, length), _placing(path), problems)
            bad = np.flatnonzero(~named)
            problems.meet(chunk.where(int(bad[0])), "the name of the run is missing", _NO_RUN, len(bad))
            numbers = before + 1 + np.flatnonzero(named)
            return Chunk(frame.filter(named), lambda: numbers, _placing(path), problems)
    return Chunk(frame, _counting(before, length), _placing(path), problems)


def _counting(before: int, length: int) -> Callable[[], np.ndarray]:
    return lambda: np.arange(before + 1, before + length + 1, dtype=np.int64)


def _placing(path: str) -> Callable[[int], str]:
    return lambda at: f"{path}, row {at}"


def digest(path: str, told: Callable[[int], None]) -> str:
    """The SHA-256 of a file, telling how many bytes were gone through."""
    hashed = hashlib.sha256()
    with open(path, "rb") as file:
        while data := file.read(1 << 20):
            hashed.update(data)
            told(len(data))
    return hashed.hexdigest()
