"""Documents of a simulated collection, with ids in the formats of four sources."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

SOURCE_FRACTIONS = (0.35, 0.25, 0.2, 0.2)  # fraction of the documents from each source
MAX_STEPS = (6, 6, 60, 200)  # upper limits of the steps between consecutive document numbers of each source


@dataclass(frozen=True, eq=False)
class SimulatedDocuments:
    """The documents of a collection, by number.

    Attributes
    ----------
    ids
        Id of each document.
    id_rank
        Position of each document in the byte order of the ids, by which tied documents are sorted.
    breadth
        Tendency of each document to be retrieved for any topic; long documents have a high breadth.
    """

    ids: pl.Series
    id_rank: np.ndarray
    breadth: np.ndarray


def draw_documents(count: int, rng: np.random.Generator) -> SimulatedDocuments:
    """Draw *count* documents."""
    source = rng.choice(len(SOURCE_FRACTIONS), size=count, p=SOURCE_FRACTIONS)
    # Document numbers have gaps, because only some documents of a real collection are ever retrieved.
    number = _cumsum_by_group(source, rng.integers(1, np.array(MAX_STEPS)[source]))
    frame = pl.DataFrame({"source": source, "n": number})
    tribune, evening, gazette, web = _tribune(), _evening(), _gazette(), _web()
    by_source = pl.when(pl.col("source") == 0).then(tribune).when(pl.col("source") == 1).then(evening)
    ids = frame.select(by_source.when(pl.col("source") == 2).then(gazette).otherwise(web).alias("doc"))["doc"]
    id_rank = np.empty(count, dtype=np.int64)
    id_rank[ids.arg_sort().to_numpy()] = np.arange(count)
    return SimulatedDocuments(ids, id_rank, rng.standard_normal(count))


def _cumsum_by_group(group: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Return the cumulative sum of *step* within each group."""
    total = np.empty(len(group), dtype=np.int64)
    for number in range(len(SOURCE_FRACTIONS)):
        in_group = group == number
        total[in_group] = np.cumsum(step[in_group])
    return total


def _digits(number: pl.Expr, width: int) -> pl.Expr:
    """Format numbers with leading zeros."""
    return number.cast(pl.String).str.zfill(width)


def _tribune() -> pl.Expr:
    """Return ids of newspaper articles by day: ``MT910314-0087``."""
    day = pl.date(1991, 1, 1) + pl.duration(days=pl.col("n") // 120)
    return pl.format("MT{}-{}", day.dt.strftime("%y%m%d"), _digits(pl.col("n") % 120 + 1, 4))


def _evening() -> pl.Expr:
    """Return ids of news-service items by volume, without leading zeros: ``EVN3-20417``."""
    return pl.format("EVN{}-{}", pl.col("n") // 30_000 + 1, pl.col("n") % 30_000)


def _gazette() -> pl.Expr:
    """Return ids of gazette pages by year, quarter and issue: ``GZ94-2-118-00023``."""
    issue = pl.col("n") // 250
    parts = (issue // 400 + 90, issue // 100 % 4 + 1, _digits(issue % 100 + 1, 3), _digits(pl.col("n") % 250, 5))
    return pl.format("GZ{}-{}-{}-{}", *parts)


def _web() -> pl.Expr:
    """Return ids of web-crawl records by file: ``crawl07-en0042-31-08123``."""
    file = pl.col("n") // 2000
    parts = (
        _digits(file // 500, 2),
        _digits(file // 20 % 25, 4),
        _digits(file % 20, 2),
        _digits(pl.col("n") % 2000, 5),
    )
    return pl.format("crawl{}-en{}-{}-{}", *parts)
