r"""MED of ERR: exact for any scale of grades, by the best path in a lattice.

Let x_d be the probability that document d satisfies the user. Then :math:`ERR = \sum_i x_i / i \prod_{j<i} (1 - x_j)`.

*Two labels suffice.* In ERR(Y) - ERR(Z) each x_d occurs at most once in every product. So the difference is linear in
each x_d if the other probabilities are fixed, and it is largest at an end of the range of x_d. Every free document
therefore gets the smallest x (grade 0) or the largest x (the grade with the largest gain).

*Dominance* (see ``lattice``). ERR is the expectation of 1/T, where T is the rank at which the user stops, and
P(T > m) = :math:`\prod_{i \le m} (1 - x_i)`. If a label moves to a document that is ranked higher in Y, none of these
products increases, so ERR(Y) does not decrease. If a label moves to a document that is ranked lower in Z, none of the
products decreases, so ERR(Z) does not increase. This holds for all grades of the judged documents.

*The state.* All labelled documents have the same x. So the term of a document depends only on its rank, on the judged
documents above it, which are known, and on the number of labels above it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from assay.distance._med.binary_labels import BinaryGains, binary_gains, label_documents
from assay.distance._med.interface import Maximum
from assay.distance._med.lattice import Profile, build_profile
from assay.distance._med.lattice_weights import TermTable, table_weights
from assay.distance._med.pairs import Pair, PairSide
from assay.model.arrays import Floats, Ints
from assay.model.rankings import TopicRankings

if TYPE_CHECKING:
    from assay.measures.cascade import ERR


@dataclass(frozen=True)
class CascadeMed:
    """MED of ERR."""

    measure: ERR
    cost: ClassVar[str] = "slow"

    def maximize(self, rankings: TopicRankings, a: Ints, b: Ints) -> Maximum:
        """Return the exact maximum of ERR(a) - ERR(b) for each pair, even if it is negative."""
        gains = binary_gains(self.measure, rankings.levels)
        maxima = [_profile(rankings, i, j, gains).best.max() for i, j in zip(a, b, strict=True)]
        values = np.array(maxima, dtype=np.float64)
        return Maximum(values, values)

    def find_labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """Return grades that attain the maximum of ERR(a) - ERR(b)."""
        gains = binary_gains(self.measure, rankings.levels)
        profile = _profile(rankings, a, b, gains, trace=True)
        return label_documents(rankings, profile.find_documents(int(np.argmax(profile.best))), gains.grade)


def _profile(rankings: TopicRankings, a: int, b: int, gains: BinaryGains, *, trace: bool = False) -> Profile:
    pair = Pair.from_rankings(rankings, a, b)
    weights = table_weights(pair, stop_terms(pair.first, gains), stop_terms(pair.second, gains))
    return build_profile(pair, weights, trace=trace)


def stop_terms(side: PairSide, gains: BinaryGains) -> TermTable:
    """Return 1/rank times the probability that the user stops at the rank, by rank and label count down to it."""
    judged_gain = np.where(side.free, 0.0, gains.by_code[side.code])
    # Probability of reaching each rank if only judged documents above it can satisfy the user.
    reach_probability = np.cumprod(np.concatenate([[1.0], 1 - judged_gain]))[:-1]
    # A free document is itself one of the labels down to its rank, so one label fewer is above it.
    labels_above = np.maximum(np.arange(np.sum(side.free) + 1) - side.free[:, None], 0)
    term = np.where(side.free, gains.gain, judged_gain) * reach_probability / side.rank
    return TermTable(term[:, None] * (1 - gains.gain) ** labels_above)
