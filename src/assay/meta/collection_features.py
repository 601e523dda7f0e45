"""Features of a test collection: runs, topics, lengths of rankings, judgments by grade, pool depth, unjudged documents.

The pool depth is observed: the largest depth to which all retrieved documents are judged. It can differ from the depth
that the organisers of a campaign report, because runs that did not contribute to the pool also count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.engine.campaign import BLOCK, Campaign
from assay.model.arrays import Floats, Ints
from assay.model.checks import check_integer
from assay.results.tidy_frame import tidy_frame

DEPTHS = (10, 100, 1000)
"""Depths at which the share of unjudged documents is reported."""
STATISTICS = ("total", "min", "mean", "max")


@dataclass(frozen=True, eq=False)
class CollectionFeatures:
    """Features of judgments and runs.

    Attributes
    ----------
    runs, topics
        The runs (empty if only judgments were read) and the topics.
    grades
        The grades of the judgments, ascending.
    judged
        Topics x grades: the number of judged documents with this grade.
    length
        Runs x topics: the number of retrieved documents; 0 for a topic that the run lacks.
    judged_depth
        Runs x topics: the number of judged documents above the first unjudged document; infinite if there is none.
    depths, unjudged
        Depths, and depths x runs x topics: the number of unjudged documents among the first documents.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    grades: tuple[float, ...]
    judged: Ints
    length: Ints
    judged_depth: Floats
    depths: tuple[int, ...]
    unjudged: Ints

    def pool_depths(self) -> Floats:
        """Return the pool depth of each run: the largest depth to which its documents are judged on all topics.

        If all documents of a run are judged, the pool depth is the length of its longest ranking.
        """
        longest = self.length.max(axis=1, initial=0)
        return np.asarray(np.minimum(self.judged_depth.min(axis=1, initial=math.inf), longest))

    def pool_depth(self) -> float:
        """Return the largest depth to which the documents of all runs are judged on all topics."""
        return float(min(self.judged_depth.min(initial=math.inf), self.length.max(initial=0)))

    def unjudged_shares(self) -> Floats:
        """Return depths x runs: the share of unjudged documents among the documents that a run retrieved to a depth.

        NaN for a run without documents.
        """
        retrieved = self._count_retrieved()
        shares = np.full(retrieved.shape, math.nan)
        return np.asarray(np.divide(self.unjudged.sum(axis=2), retrieved, out=shares, where=retrieved > 0))

    def _count_retrieved(self) -> Ints:
        """Return depths x runs: the number of documents to each depth, over all topics."""
        return np.asarray(np.minimum(self.length, np.array(self.depths)[:, None, None]).sum(axis=2))

    def frame(self) -> pl.DataFrame:
        """Return a row for each feature: feature, per, total, min, mean, max.

        *per* is the unit over which *min*, *mean* and *max* are taken: ``run``, ``topic``, or ``ranking`` (one run for
        one topic). *total* counts over the whole collection. The *total* of the pool depth is the depth
        to which the documents of all runs are judged. Unjudged documents are shares of the retrieved documents. Only
        topics that a run contains count as its rankings.
        """
        rows: list[tuple[str, str, Any, float]] = [
            ("grades", "", [], len(self.grades)),
            _count("judged documents", "topic", self.judged.sum(axis=1)),
        ]
        for column, grade in enumerate(self.grades):
            rows.append(_count(f"grade {grade:g}", "topic", self.judged[:, column]))
        if self.runs:
            present = self.length > 0
            rows.insert(0, ("runs", "", [], len(self.runs)))
            rows.insert(1, ("topics", "run", present.sum(axis=1), len(self.topics)))
            rows.insert(2, _count("retrieved documents", "ranking", self.length[present]))
            rows.append(("pool depth", "run", self.pool_depths(), self.pool_depth()))
            total = self.unjudged.sum(axis=(1, 2)) / np.maximum(self._count_retrieved().sum(axis=1), 1)
            for depth, share, by_run in zip(self.depths, total, self.unjudged_shares(), strict=True):
                rows.append((f"unjudged in the first {depth}", "run", by_run, share))
        else:
            rows.insert(0, ("topics", "", [], len(self.topics)))
        return pl.DataFrame(
            [(feature, per, float(total), *_summarise(values)) for feature, per, values, total in rows],
            schema={"feature": pl.String, "per": pl.String, **dict.fromkeys(STATISTICS, pl.Float64)},
            orient="row",
        )

    def by_run(self) -> pl.DataFrame:
        """Return a row for each run and depth.

        The columns are run, topics, documents, shortest, mean, longest, pool_depth, depth, unjudged. *shortest*, *mean*
        and *longest* are lengths of the rankings of the run. *unjudged* is the share of unjudged documents among the
        documents that the run retrieved to the depth.
        """
        return tidy_frame({"run": self.run_frame(), "depth": self.depths}, {"unjudged": self.unjudged_shares().T})

    def run_frame(self) -> pl.DataFrame:
        """Return a row for each run: the columns of :meth:`by_run` without depth and unjudged."""
        lengths = [row[row > 0] for row in self.length]
        return pl.DataFrame(
            {
                "run": self.runs,
                "topics": [len(row) for row in lengths],
                "documents": self.length.sum(axis=1),
                "shortest": [int(row.min()) if len(row) else 0 for row in lengths],
                "mean": [float(row.mean()) if len(row) else 0.0 for row in lengths],
                "longest": self.length.max(axis=1, initial=0),
                "pool_depth": self.pool_depths().astype(np.int64),
            },
            schema_overrides={"run": pl.String, "topics": pl.Int64, "shortest": pl.Int64, "mean": pl.Float64},
        )


def _count(feature: str, per: str, values: Ints) -> tuple[str, str, Ints, int]:
    """Return a row of counts; the total is their sum."""
    return feature, per, values, int(values.sum())


def _summarise(values: Iterable[float]) -> list[float | None]:
    """Return the minimum, mean and maximum of the values that are not NaN; None if there are none."""
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[~np.isnan(numbers)]
    if not len(numbers):
        return [None] * 3
    return [float(numbers.min()), float(numbers.mean()), float(numbers.max())]


def count_features(campaign: Campaign, depths: Iterable[int] = DEPTHS) -> CollectionFeatures:
    """Count the features of a campaign; policies on unjudged documents have no effect."""
    chosen = tuple(sorted({check_integer("depths", depth, 1) for depth in depths}))
    whole, shape = campaign.whole, campaign.shape
    used = whole.counts.sum(axis=0) > 0
    length = np.zeros(shape, dtype=np.int64)
    judged_depth = np.full(shape, math.inf)
    unjudged = np.zeros((len(chosen), *shape), dtype=np.int64)
    for rows, block in whole.blocks(*BLOCK) if campaign.runs else ():
        missing = np.flatnonzero(block.code == 0)
        rank, ranking = block.rank()[missing], block.ranking()[missing]
        length.reshape(-1)[rows] = block.length
        np.minimum.at(judged_depth.reshape(-1)[rows], ranking, rank - 1.0)
        for index, depth in enumerate(chosen):
            counts = np.bincount(ranking[rank <= depth], minlength=len(block))
            unjudged[index].reshape(-1)[rows] = counts
    return CollectionFeatures(
        runs=campaign.runs,
        topics=campaign.topics,
        grades=tuple(whole.levels[used].tolist()),
        judged=whole.counts[:, used],
        length=length,
        judged_depth=judged_depth,
        depths=chosen,
        unjudged=unjudged,
    )
