"""MED of measures without a special algorithm: exact for a few free documents, otherwise an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.distance._med.interface import Maximum, MedAlgorithm, subtract_values
from assay.distance._med.rank_table import known_grades
from assay.distance._med.search import exhaustive, find_free_documents, try_labelings
from assay.measures import Measure
from assay.measures._possible_grades import possible_grades
from assay.model.arrays import Floats, Ints
from assay.model.rankings import TopicRankings
from assay.uncertainty.completions import bound_values
from assay.uncertainty.completions.problem import Interval

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
        low, high = (np.array([result[end] for result in results], dtype=np.float64) for end in (0, 1))
        return Maximum(low, np.maximum(low, high))

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
        if self._can_enumerate(rankings, a, b):
            best, labels = exhaustive(self.measure, rankings, a, b)
            return best, best, labels
        if self.fallback is not None:
            interval = self.fallback.maximize(rankings, np.array([a]), np.array([b]))
            return float(interval.low[0]), float(interval.high[0]), known_grades(rankings)
        top_grade = len(possible_grades(self.measure, rankings.levels)) - 1
        low, labels = try_labelings(self.measure, rankings, a, b, [top_grade * _doubling_labelings(rankings, a, b)])
        highest, lowest = self._bound(rankings, a, b).high, self._bound(rankings, b, a).low
        return low, float(subtract_values(highest, lowest)[0]), labels

    def _bound(self, rankings: TopicRankings, run: int, other: int) -> Interval:
        """Bound the value of *run*; the free documents that only *other* retrieved may be relevant as well."""
        only_other = rankings.ungraded_mask() & (rankings.rank[run] == 0) & (rankings.rank[other] > 0)
        judged = rankings.select([run]).to_judged()
        return bound_values(self.measure, judged, outside=int(only_other.sum()), tail=False)


def _doubling_labelings(rankings: TopicRankings, a: int, b: int) -> Ints:
    """Return rows of labels 0 and 1 that label the first 0, 1, 2, 4, … and all of the free documents.

    The documents are in ascending order of rank in a - rank in b: documents that a ranks furthest above b come first.
    """
    free = find_free_documents(rankings, a, b)
    rank = np.where(rankings.rank[[a, b]] > 0, rankings.rank[[a, b]], rankings.length.max() + 1)[:, free]
    order = np.empty(len(free), dtype=np.int64)
    order[np.argsort(rank[0] - rank[1], kind="stable")] = np.arange(len(free))
    label_counts = np.unique([0, *(2 ** np.arange(len(free).bit_length())), len(free)])
    return (order < label_counts[:, None]).astype(np.int64)
