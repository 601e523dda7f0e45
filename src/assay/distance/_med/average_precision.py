"""MED of AP with each of its three divisors, of SSP and of SP: exact, by the best path in a lattice.

References
----------
Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, eqs. 8-10, gives no fast exact
method. ``lattice`` describes the method used here and proves that it is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from assay.distance._med.binary_labels import label_documents
from assay.distance._med.interface import Maximum
from assay.distance._med.lattice import Profile, build_profile
from assay.distance._med.lattice_weights import LinearTerms, linear_weights
from assay.distance._med.pairs import Pair, PairSide
from assay.measures._possible_grades import possible_grades
from assay.model.arrays import Bools, Floats, Ints
from assay.model.rankings import TopicRankings

if TYPE_CHECKING:
    from assay.measures.average_precision import PrecisionSum


@dataclass(frozen=True)
class AveragePrecisionMed:
    """MED of a measure that is the sum of the precisions at the relevant documents, divided by a function of R.

    The precision at rank i is C_i / i, a lattice term that is linear in the number of labels. The divisor depends only
    on the number of relevant documents, so it is applied to the profile.
    """

    measure: PrecisionSum
    cost: ClassVar[str] = "quadratic"

    def maximize(self, rankings: TopicRankings, a: Ints, b: Ints) -> Maximum:
        """Return the exact maximum of M(a) - M(b) for each pair, even if it is negative."""
        maxima = [self._normalise(rankings, self._profile(rankings, i, j)).max() for i, j in zip(a, b, strict=True)]
        values = np.array(maxima, dtype=np.float64)
        return Maximum(values, values)

    def find_labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """Return grades that attain the maximum of M(a) - M(b); a free document gets grade 0 or the top grade."""
        profile = self._profile(rankings, a, b, trace=True)
        best = int(np.argmax(self._normalise(rankings, profile)))
        grade = float(possible_grades(self.measure, rankings.levels)[-1])
        return label_documents(rankings, profile.find_documents(best), grade)

    def _profile(self, rankings: TopicRankings, a: int, b: int, *, trace: bool = False) -> Profile:
        pair = Pair.from_rankings(rankings, a, b)
        relevant = np.concatenate([[False], rankings.levels >= self.measure.rel])
        weights = linear_weights(pair, precision_terms(pair.first, relevant), precision_terms(pair.second, relevant))
        return build_profile(pair, weights, trace=trace)

    def _normalise(self, rankings: TopicRankings, profile: Profile) -> Floats:
        """Divide each entry of the profile by the divisor for its number of relevant documents."""
        recall_base = int(rankings.counts[rankings.levels >= self.measure.rel].sum())
        return self.measure.normalise(profile.best, recall_base + np.arange(len(profile.best)))


def precision_terms(side: PairSide, relevant: Bools) -> LinearTerms:
    """Return the precision at each document that is or may be relevant.

    With J judged relevant documents and s labels in the top i, the precision at rank i is J / i + s / i. *relevant* is
    a mask by grade code.
    """
    judged = relevant[side.code] & ~side.free
    inverse_rank = (judged | side.free) / side.rank
    return LinearTerms(np.cumsum(judged) * inverse_rank, inverse_rank)
