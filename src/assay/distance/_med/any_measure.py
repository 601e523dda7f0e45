"""MED of measures without an algorithm of their own: exact for a few documents, else an interval."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.distance._med.interface import Extreme, Family, apart
from assay.distance._med.rank_table import blocks, settled_grades
from assay.distance._med.search import free_documents, labelings
from assay.measures import Measure
from assay.measures._possible_grades import possible_grades
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged
from assay.model.rankings import TopicRankings
from assay.uncertainty.completions import completed

FEW = 1 << 12
"""Up to how many labelings are all tried."""


@dataclass(frozen=True)
class AnyMeasure:
    """MED of any measure.

    With few labelings all are tried; two runs with the same ranking are at no distance. Otherwise M(a) - M(b) is at
    most the largest value that completions allow a, less the smallest that they allow b, where the unjudged documents
    of the other ranking may be relevant as well; and at least what is reached by labelling documents that *a* has
    earlier than *b*, the more so first, in steps that double.

    Values may be infinite (two that are equal differ by 0). Labels for which one is not a number say nothing; where it
    never is one, neither is the difference.
    """

    measure: Measure
    beyond: Family | None = None
    """The algorithm to use where there are many labelings."""

    @property
    def cost(self) -> str:
        """See ``Family``."""
        return self.measure.med_cost if self.beyond is None else self.beyond.cost

    def largest(self, rankings: TopicRankings, a: Ints, b: Ints) -> Extreme:
        """See ``Family``."""
        found = [self._pair(rankings, i, j) for i, j in zip(a.tolist(), b.tolist(), strict=True)]
        low, high = np.array([low for low, _, _ in found]), np.array([high for _, high, _ in found])
        return Extreme(low.reshape(-1), np.maximum(low, high).reshape(-1))

    def labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """See ``Family``."""
        if self.beyond is not None and self._many(rankings, a, b):
            return self.beyond.labels(rankings, a, b)
        return self._pair(rankings, a, b)[2]

    def _many(self, rankings: TopicRankings, a: int, b: int) -> bool:
        """Return whether there are too many labelings to try them all."""
        if np.array_equal(rankings.rank[a], rankings.rank[b]):
            return False
        labelings_of_all: int = len(possible_grades(self.measure, rankings.levels)) ** len(
            free_documents(rankings, a, b)
        )
        return labelings_of_all > FEW

    def _pair(self, rankings: TopicRankings, a: int, b: int) -> tuple[float, float, Floats]:
        if np.array_equal(rankings.rank[a], rankings.rank[b]):
            return 0.0, 0.0, settled_grades(rankings)
        free = free_documents(rankings, a, b)
        grades = possible_grades(self.measure, rankings.levels)
        every = len(grades) ** len(free)
        if every <= FEW:
            digits = np.arange(every)[:, None] // len(grades) ** np.arange(len(free)) % len(grades)
            best, labels = self._tried(rankings, (a, b), free, digits)
            return best, best, labels
        if self.beyond is not None:
            found = self.beyond.largest(rankings, np.array([a]), np.array([b]))
            return float(found.low[0]), float(found.high[0]), settled_grades(rankings)
        low, labels = self._tried(rankings, (a, b), free, _steps(rankings, a, b, free) * (len(grades) - 1))
        high = float(apart(np.array(self._most(rankings, a, b)), np.array(self._least(rankings, b, a))))
        return low, high, labels

    def _tried(self, rankings: TopicRankings, runs: tuple[int, int], free: Ints, digits: Ints) -> tuple[float, Floats]:
        """Return the largest difference under some labels (rows of indices of grades), and the first that reach it."""
        grades = possible_grades(self.measure, rankings.levels)
        found = np.empty(len(digits))
        for rows in blocks(len(digits), len(rankings.code)):
            judged = labelings(rankings, runs, free, grades, digits[rows])
            value = np.where(self.measure.defined(judged), self.measure.score(judged), 0.0).reshape(2, -1)
            found[rows] = apart(value[0], value[1])
        best = int(np.argmax(np.where(np.isnan(found), -np.inf, found)))
        labels = settled_grades(rankings)
        labels[free] = grades[digits[best]]
        return float(found[best]), labels

    def _most(self, rankings: TopicRankings, run: int, other: int) -> float:
        judged, outside = _alone(rankings, run, other)
        return float(completed(self.measure, judged, outside=outside, tail=False).high[0])

    def _least(self, rankings: TopicRankings, run: int, other: int) -> float:
        judged, outside = _alone(rankings, run, other)
        return float(completed(self.measure, judged, outside=outside, tail=False).low[0])


def _steps(rankings: TopicRankings, a: int, b: int, free: Ints) -> Ints:
    """Rows of labels: for none, 1, 2, 4, ... and all of the documents, first those that a has furthest ahead of b."""
    rank = np.where(rankings.rank[[a, b]] > 0, rankings.rank[[a, b]], rankings.length.max() + 1)[:, free]
    place = np.empty(len(free), dtype=np.int64)
    place[np.argsort(rank[0] - rank[1], kind="stable")] = np.arange(len(free))
    numbers = np.unique([0, *(2 ** np.arange(len(free).bit_length())), len(free)])
    return (place < numbers[:, None]).astype(np.int64)


def _alone(rankings: TopicRankings, run: int, other: int) -> tuple[Judged, int]:
    """Return one ranking, and the number of further unjudged documents of the other."""
    documents = np.flatnonzero(rankings.rank[run])
    order = documents[np.argsort(rankings.rank[run, documents])]
    judged = Judged(
        levels=rankings.levels,
        counts=rankings.counts[None],
        topic=np.zeros(1, dtype=np.int64),
        start=np.array([0, len(order)]),
        code=rankings.code[order],
        answered=np.ones(1, dtype=bool),
    )
    beside = free_documents(replace(rankings, rank=np.where(rankings.rank[[run]] > 0, 0, rankings.rank)), other, other)
    return judged, len(beside)
