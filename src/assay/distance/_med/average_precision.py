"""Maximized effectiveness distance of AP in its three forms, of SSP and of SP: exact, by the best path in a lattice.

References
----------
Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, eqs. 8-10, which knows no fast
exact method. See ``lattice`` for this one and for its proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from assay.distance._med.interface import Extreme
from assay.distance._med.labels import labelled
from assay.distance._med.lattice import Profile, profile
from assay.distance._med.pairs import Pair, PairSide
from assay.distance._med.terms import Linear, linear_weights
from assay.measures._possible_grades import possible_grades
from assay.model.arrays import Bools, Floats, Ints
from assay.model.rankings import TopicRankings

if TYPE_CHECKING:
    from assay.measures.average_precision import PrecisionSum


@dataclass(frozen=True)
class AveragePrecision:
    """MED of a measure that is the sum of the precisions at the relevant documents, over a divisor."""

    measure: PrecisionSum
    cost: ClassVar[str] = "quadratic"

    def largest(self, rankings: TopicRankings, a: Ints, b: Ints) -> Extreme:
        """The largest M(a) - M(b) for each pair: exact, also where it is negative."""
        found = [self._values(rankings, self._profile(rankings, i, j)).max() for i, j in zip(a, b, strict=True)]
        values = np.array(found, dtype=np.float64)
        return Extreme(values, values.copy())

    def labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """Grades that reach the largest M(a) - M(b); unjudged documents have grade 0 or the top grade."""
        traced = self._profile(rankings, a, b, trace=True)
        best = int(np.argmax(self._values(rankings, traced)))
        return labelled(rankings, traced.documents(best), float(possible_grades(self.measure, rankings.levels)[-1]))

    def _profile(self, rankings: TopicRankings, a: int, b: int, *, trace: bool = False) -> Profile:
        pair = Pair.of(rankings, a, b)
        relevant = np.concatenate([[False], rankings.levels >= self.measure.rel])
        weights = linear_weights(pair, precisions(pair.first, relevant), precisions(pair.second, relevant))
        return profile(pair, weights, trace=trace)

    def _values(self, rankings: TopicRankings, found: Profile) -> Floats:
        relevant = recall_base(rankings, self.measure.rel) + np.arange(len(found.best))
        return self.measure.normalise(found.best, relevant)


def precisions(side: PairSide, relevant: Bools) -> Linear:
    """Return the precision at each document that is or may be relevant; *relevant* is a truth table by code."""
    judged = relevant[side.code] & ~side.free
    each = (judged | side.free) / side.rank
    return Linear(np.cumsum(judged) * each, each)


def recall_base(rankings: TopicRankings, rel: float) -> int:
    """Count the documents of the topic that were judged relevant, retrieved or not."""
    return int(rankings.counts[rankings.levels >= rel].sum())
