"""MED of measures without a special algorithm: exact for a few free documents, otherwise an interval."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.distance._med.interface import Maximum, MedAlgorithm, subtract_values
from assay.distance._med.rank_table import known_grades, split_into_blocks
from assay.distance._med.search import find_free_documents, label_rankings
from assay.measures import Measure
from assay.measures._possible_grades import possible_grades
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged
from assay.model.rankings import TopicRankings
from assay.uncertainty.completions import bound_values

MAX_ENUMERATED = 1 << 12
"""Maximum number of labelings that are enumerated."""


@dataclass(frozen=True)
class AnyMeasureMed:
    """MED of any measure.

    Two runs with the same ranking have distance 0. If there are few labelings, all of them are tried. Otherwise the
    result is an interval for the maximum of M(a) - M(b):

    * upper bound: the largest value of a over all completions of its judgments, minus the smallest value of b. The two
      completions are independent, and the unjudged documents of the other ranking may be relevant as well;
    * lower bound: the best of a few labelings, which label the first 0, 1, 2, 4, … and all free documents. Documents
      that a ranks furthest above b come first.

    Values may be infinite; the difference of two equal infinities is 0. A labeling under which a value is not a number
    is ignored. If all labelings are ignored, the maximum is not a number.
    """

    measure: Measure
    fallback: MedAlgorithm | None = None
    """Algorithm to use if there are too many labelings to try all; None for the interval."""

    @property
    def cost(self) -> str:
        """Growth of the running time with depth; see ``MedAlgorithm``."""
        return self.measure.med_cost if self.fallback is None else self.fallback.cost

    def maximize(self, rankings: TopicRankings, a: Ints, b: Ints) -> Maximum:
        """Return an interval for the maximum of M(a) - M(b) for each pair."""
        results = [self._maximize_pair(rankings, i, j) for i, j in zip(a.tolist(), b.tolist(), strict=True)]
        low, high = np.array([low for low, _, _ in results]), np.array([high for _, high, _ in results])
        return Maximum(low.reshape(-1), np.maximum(low, high).reshape(-1))

    def find_labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """Return grades that attain the lower end of the interval."""
        if self.fallback is not None and not self._can_enumerate(rankings, a, b):
            return self.fallback.find_labels(rankings, a, b)
        return self._maximize_pair(rankings, a, b)[2]

    def _can_enumerate(self, rankings: TopicRankings, a: int, b: int) -> bool:
        """Return True if all labelings can be tried, or if the rankings are equal and no labeling is needed."""
        if np.array_equal(rankings.rank[a], rankings.rank[b]):
            return True
        grades, free = possible_grades(self.measure, rankings.levels), find_free_documents(rankings, a, b)
        labeling_count: int = len(grades) ** len(free)
        return labeling_count <= MAX_ENUMERATED

    def _maximize_pair(self, rankings: TopicRankings, a: int, b: int) -> tuple[float, float, Floats]:
        """Return the interval of a pair, and grades that attain its lower end.

        With ``fallback``, the grades are only the known ones.
        """
        if np.array_equal(rankings.rank[a], rankings.rank[b]):
            return 0.0, 0.0, known_grades(rankings)
        free = find_free_documents(rankings, a, b)
        grades = possible_grades(self.measure, rankings.levels)
        labeling_count = len(grades) ** len(free)
        if labeling_count <= MAX_ENUMERATED:
            # The digits of a labeling's index in base len(grades) are the grades of the free documents.
            digits = np.arange(labeling_count)[:, None] // len(grades) ** np.arange(len(free)) % len(grades)
            best, labels = self._try_labelings(rankings, (a, b), free, digits)
            return best, best, labels
        if self.fallback is not None:
            interval = self.fallback.maximize(rankings, np.array([a]), np.array([b]))
            return float(interval.low[0]), float(interval.high[0]), known_grades(rankings)
        digits = _doubling_labelings(rankings, a, b, free) * (len(grades) - 1)
        low, labels = self._try_labelings(rankings, (a, b), free, digits)
        highest_a, lowest_b = self._highest_value(rankings, a, b), self._lowest_value(rankings, b, a)
        return low, float(subtract_values(np.array(highest_a), np.array(lowest_b))), labels

    def _try_labelings(
        self, rankings: TopicRankings, runs: tuple[int, int], free: Ints, digits: Ints
    ) -> tuple[float, Floats]:
        """Return the largest difference under some labelings, and the grades of the first labeling that attains it.

        *digits* has a row for each labeling: the indices of the grades of the *free* documents.
        """
        grades = possible_grades(self.measure, rankings.levels)
        differences = np.empty(len(digits))
        for rows in split_into_blocks(len(digits), len(rankings.code)):
            judged = label_rankings(rankings, runs, free, grades, digits[rows])
            value = np.where(self.measure.is_defined(judged), self.measure.score(judged), 0.0).reshape(2, -1)
            differences[rows] = subtract_values(value[0], value[1])
        best = int(np.argmax(np.where(np.isnan(differences), -np.inf, differences)))
        labels = known_grades(rankings)
        labels[free] = grades[digits[best]]
        return float(differences[best]), labels

    def _highest_value(self, rankings: TopicRankings, run: int, other: int) -> float:
        judged, outside = _single_ranking(rankings, run, other)
        return float(bound_values(self.measure, judged, outside=outside, tail=False).high[0])

    def _lowest_value(self, rankings: TopicRankings, run: int, other: int) -> float:
        judged, outside = _single_ranking(rankings, run, other)
        return float(bound_values(self.measure, judged, outside=outside, tail=False).low[0])


def _doubling_labelings(rankings: TopicRankings, a: int, b: int, free: Ints) -> Ints:
    """Return rows of labels 0 and 1 that label the first 0, 1, 2, 4, … and all of the free documents.

    The documents are in ascending order of rank in a - rank in b: documents that a ranks furthest above b come first.
    """
    rank = np.where(rankings.rank[[a, b]] > 0, rankings.rank[[a, b]], rankings.length.max() + 1)[:, free]
    order = np.empty(len(free), dtype=np.int64)
    order[np.argsort(rank[0] - rank[1], kind="stable")] = np.arange(len(free))
    label_counts = np.unique([0, *(2 ** np.arange(len(free).bit_length())), len(free)])
    return (order < label_counts[:, None]).astype(np.int64)


def _single_ranking(rankings: TopicRankings, run: int, other: int) -> tuple[Judged, int]:
    """Return the ranking of *run*, and the number of free documents that only *other* retrieved."""
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
    without_run = replace(rankings, rank=np.where(rankings.rank[[run]] > 0, 0, rankings.rank))
    return judged, len(find_free_documents(without_run, other, other))
