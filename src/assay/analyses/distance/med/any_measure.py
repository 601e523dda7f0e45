"""MED of measures without an algorithm of their own: exact for a few documents, else an interval."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.analyses.distance.med.extreme import Extreme, Family, apart
from assay.analyses.distance.med.search import free_documents, labelings
from assay.analyses.distance.med.standing import blocks, settled_grades
from assay.analyses.grades import possible_grades
from assay.analyses.uncertainty.completions import completed
from assay.measures import Measure
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged
from assay.model.rankings import Lists

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

    def largest(self, lists: Lists, a: Ints, b: Ints) -> Extreme:
        """See ``Family``."""
        found = [self._pair(lists, i, j) for i, j in zip(a.tolist(), b.tolist(), strict=True)]
        low, high = np.array([low for low, _, _ in found]), np.array([high for _, high, _ in found])
        return Extreme(low.reshape(-1), np.maximum(low, high).reshape(-1))

    def labels(self, lists: Lists, a: int, b: int) -> Floats:
        """See ``Family``."""
        if self.beyond is not None and self._many(lists, a, b):
            return self.beyond.labels(lists, a, b)
        return self._pair(lists, a, b)[2]

    def _many(self, lists: Lists, a: int, b: int) -> bool:
        """Return whether there are too many labelings to try them all."""
        if np.array_equal(lists.rank[a], lists.rank[b]):
            return False
        labelings_of_all: int = len(possible_grades(self.measure, lists.levels)) ** len(free_documents(lists, a, b))
        return labelings_of_all > FEW

    def _pair(self, lists: Lists, a: int, b: int) -> tuple[float, float, Floats]:
        if np.array_equal(lists.rank[a], lists.rank[b]):
            return 0.0, 0.0, settled_grades(lists)
        free = free_documents(lists, a, b)
        grades = possible_grades(self.measure, lists.levels)
        every = len(grades) ** len(free)
        if every <= FEW:
            digits = np.arange(every)[:, None] // len(grades) ** np.arange(len(free)) % len(grades)
            best, labels = self._tried(lists, (a, b), free, digits)
            return best, best, labels
        if self.beyond is not None:
            found = self.beyond.largest(lists, np.array([a]), np.array([b]))
            return float(found.low[0]), float(found.high[0]), settled_grades(lists)
        low, labels = self._tried(lists, (a, b), free, _steps(lists, a, b, free) * (len(grades) - 1))
        high = float(apart(np.array(self._most(lists, a, b)), np.array(self._least(lists, b, a))))
        return low, high, labels

    def _tried(self, lists: Lists, runs: tuple[int, int], free: Ints, digits: Ints) -> tuple[float, Floats]:
        """Return the largest difference under some labels (rows of indices of grades), and the first that reach it."""
        grades = possible_grades(self.measure, lists.levels)
        found = np.empty(len(digits))
        for rows in blocks(len(digits), len(lists.code)):
            judged = labelings(lists, runs, free, grades, digits[rows])
            value = np.where(self.measure.defined(judged), self.measure.score(judged), 0.0).reshape(2, -1)
            found[rows] = apart(value[0], value[1])
        best = int(np.argmax(np.where(np.isnan(found), -np.inf, found)))
        labels = settled_grades(lists)
        labels[free] = grades[digits[best]]
        return float(found[best]), labels

    def _most(self, lists: Lists, run: int, other: int) -> float:
        judged, outside = _alone(lists, run, other)
        return float(completed(self.measure, judged, outside=outside, tail=False).high[0])

    def _least(self, lists: Lists, run: int, other: int) -> float:
        judged, outside = _alone(lists, run, other)
        return float(completed(self.measure, judged, outside=outside, tail=False).low[0])


def _steps(lists: Lists, a: int, b: int, free: Ints) -> Ints:
    """Rows of labels: for none, 1, 2, 4, ... and all of the documents, first those that a has furthest ahead of b."""
    rank = np.where(lists.rank[[a, b]] > 0, lists.rank[[a, b]], lists.length.max() + 1)[:, free]
    place = np.empty(len(free), dtype=np.int64)
    place[np.argsort(rank[0] - rank[1], kind="stable")] = np.arange(len(free))
    numbers = np.unique([0, *(2 ** np.arange(len(free).bit_length())), len(free)])
    return (place < numbers[:, None]).astype(np.int64)


def _alone(lists: Lists, run: int, other: int) -> tuple[Judged, int]:
    """Return one ranking, and the number of further unjudged documents of the other."""
    documents = np.flatnonzero(lists.rank[run])
    order = documents[np.argsort(lists.rank[run, documents])]
    judged = Judged(
        levels=lists.levels,
        counts=lists.counts[None],
        topic=np.zeros(1, dtype=np.int64),
        start=np.array([0, len(order)]),
        code=lists.code[order],
        answered=np.ones(1, dtype=bool),
    )
    beside = free_documents(replace(lists, rank=np.where(lists.rank[[run]] > 0, 0, lists.rank)), other, other)
    return judged, len(beside)
