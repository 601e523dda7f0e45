"""The documents of a simulated collection: ids of four sources, of different shapes and lengths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

SHARES = (0.35, 0.25, 0.2, 0.2)
GAPS = (6, 6, 60, 200)


@dataclass(frozen=True, eq=False)
class SimulatedDocuments:
    """SimulatedDocuments by number.

    Attributes
    ----------
    ids
        The id of each document.
    place
        The place of each document in the byte order of the ids, in which tied documents are put.
    breadth
        How readily each document is retrieved for any topic, as long documents are.
    """

    ids: pl.Series
    place: np.ndarray
    breadth: np.ndarray


def draw_documents(count: int, rng: np.random.Generator) -> SimulatedDocuments:
    """Draw *count* documents."""
    source = rng.choice(len(SHARES), size=count, p=SHARES)
    # The numbers of a source have gaps, as in a collection of which only a part is ever retrieved.
    number = _running(source, rng.integers(1, np.array(GAPS)[source]))
    frame = pl.DataFrame({"source": source, "n": number})
    tribune, evening, gazette, web = _tribune(), _evening(), _gazette(), _web()
    shaped = pl.when(pl.col("source") == 0).then(tribune).when(pl.col("source") == 1).then(evening)
    ids = frame.select(shaped.when(pl.col("source") == 2).then(gazette).otherwise(web).alias("doc"))["doc"]
    place = np.empty(count, dtype=np.int64)
    place[ids.arg_sort().to_numpy()] = np.arange(count)
    return SimulatedDocuments(ids, place, rng.standard_normal(count))


def _running(group: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Sum *step* inside each group as it goes."""
    total = np.empty(len(group), dtype=np.int64)
    for one in range(len(SHARES)):
        mine = group == one
        total[mine] = np.cumsum(step[mine])
    return total


def _digits(number: pl.Expr, width: int) -> pl.Expr:
    return number.cast(pl.String).str.zfill(width)


def _tribune() -> pl.Expr:
    """Name issues of a newspaper by day: ``MT910314-0087``."""
    day = pl.date(1991, 1, 1) + pl.duration(days=pl.col("n") // 120)
    return pl.format("MT{}-{}", day.dt.strftime("%y%m%d"), _digits(pl.col("n") % 120 + 1, 4))


def _evening() -> pl.Expr:
    """Name items of a news service by volume, without leading zeros: ``EVN3-20417``."""
    return pl.format("EVN{}-{}", pl.col("n") // 30_000 + 1, pl.col("n") % 30_000)


def _gazette() -> pl.Expr:
    """Name pages of an official gazette by year, quarter and issue: ``GZ94-2-118-00023``."""
    issue = pl.col("n") // 250
    parts = (issue // 400 + 90, issue // 100 % 4 + 1, _digits(issue % 100 + 1, 3), _digits(pl.col("n") % 250, 5))
    return pl.format("GZ{}-{}-{}-{}", *parts)


def _web() -> pl.Expr:
    """Name records of a web crawl by file: ``crawl07-en0042-31-08123``."""
    file = pl.col("n") // 2000
    parts = (
        _digits(file // 500, 2),
        _digits(file // 20 % 25, 4),
        _digits(file % 20, 2),
        _digits(pl.col("n") % 2000, 5),
    )
    return pl.format("crawl{}-en{}-{}-{}", *parts)
