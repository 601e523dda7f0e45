"""Parquet, a file or a dataset, some rows at a time, each time up to the end of a topic."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.io import parquet
from assay.parts.chunk import Chunk, Deferred

if TYPE_CHECKING:
    from assay.parts.budget import Budget

_NO_RUN = "rows without a run skipped"


def chunks(path: str, budget: Budget, rank: bool, place: Callable[[int], str]) -> Iterator[Chunk]:
    """Chunks of about as many rows as the budget allows, each up to the end of a topic (of a run)."""
    held: list[pl.DataFrame] = []
    before = 0
    for frame in parquet.slices(path, "run", rank, budget.rows):
        held.append(frame)
        rows = pl.concat(held)
        cut = _stretch_start(rows)
        if cut:
            yield _chunk(path, rows[:cut], before, place)
            before += cut
        held = [rows[cut:]]
    if len(held[0]) or not before:
        yield _chunk(path, held[0], before, place)


def _stretch_start(rows: pl.DataFrame) -> int:
    """Where the rows with the topic and the run of the last begin."""
    by = [name for name in ("topic", "run") if name in rows.columns]
    if rows.is_empty():
        return 0
    other = rows.select(pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).last()) for name in by)).to_series()
    places = np.flatnonzero(other.to_numpy())
    return int(places[-1]) + 1 if len(places) else 0


def _chunk(path: str, frame: pl.DataFrame, before: int, place: Callable[[int], str]) -> Chunk:
    problems = Deferred(path)
    length = len(frame)
    if "run" in frame.columns:
        named = frame["run"].is_not_null().to_numpy()
        if not named.all():
            chunk = Chunk(frame, _counting(before, length), place, problems)
            bad = np.flatnonzero(~named)
            problems.meet(chunk.where(int(bad[0])), "the name of the run is missing", _NO_RUN, len(bad))
            numbers = before + 1 + np.flatnonzero(named)
            return Chunk(frame.filter(named), lambda: numbers, place, problems)
    return Chunk(frame, _counting(before, length), place, problems)


def _counting(before: int, length: int) -> Callable[[], np.ndarray]:
    return lambda: np.arange(before + 1, before + length + 1, dtype=np.int64)
