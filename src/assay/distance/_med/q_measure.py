r"""MED of the Q-measure, by the best path in a lattice (see ``lattice``).

.. math:: Q = \frac{1}{R} \sum_i [g_i > 0] \frac{\beta \, cg_i + c_i}{\beta \, cg^*_i + i}

where cg_i is the cumulated gain down to rank i, cg*_i is the cumulated gain of the ideal ranking, and c_i is the number
of relevant documents down to rank i.

**Labels 0 and G.** Suppose that free documents have grade 0 or the grade with the largest gain G. For a fixed number t
of labels the ideal ranking is known, so the terms are linear in the number of labels above. Moving a label to a
document that is ranked higher moves no relevant document down and lowers no cumulated gain, so dominance holds.

It remains to find the best t. Computing a profile for each t would be slow. Instead we use branch and bound: cg* never
decreases with t. So a profile with the ideal ranking of t1 labels in the terms of Y, and the ideal ranking of t2 labels
in the terms of Z, is an upper bound for every t from t1 to t2. The bound is exact if the two ideal rankings agree. The
interval around the t with the largest bound is narrowed until the bound of that t is exact. Then no other t has a
larger value.

Free documents that only Z contains matter here: a label for such a document raises cg*, which lowers all other terms.

**Other grades.** With more than one positive gain, dominance fails and G need not be the best label. For Y = (A, B) and
Z = (B, A) with gains 0, 1 and 3, the label A = 1 gives 1/3, but the label A = 3 gives only 1/5. The value for labels 0
and G is still attained, so it is a lower bound. An upper bound follows from relaxed terms. If r of R relevant
documents, with gains from g to G, are in the top m, use

.. math::

    \frac{r (1 + \beta G)}{m + \beta (r G + (\min(m, R) - r) g)}
    \quad \text{in Y and} \quad
    \frac{r (1 + \beta g)}{m + \beta (x G + (\min(m, R) - x) g)}, \; x = \min(m, R - r), \quad \text{in Z.}

A blended ratio is at most 1. So raising the gains down to its rank, or lowering the gains after it, cannot lower the
ratio. The two terms are therefore bounds. Both terms decrease with m, so dominance holds. Both terms are monotone in R,
so the same branch and bound finds the best t.

References
----------
Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, leaves the Q-measure open.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from assay.distance._med.binary_labels import BinaryGains, binary_gains, label_documents
from assay.distance._med.interface import Maximum
from assay.distance._med.lattice import LatticeWeights, Profile, build_profile
from assay.distance._med.lattice_weights import LinearTerms, TermTable, linear_weights, table_weights
from assay.distance._med.pairs import Pair, PairSide
from assay.measures._base import ratio
from assay.model.arrays import ROUNDING, Floats, Ints
from assay.model.rankings import TopicRankings

if TYPE_CHECKING:
    from assay.measures.q_measure import Q

MAX_PROFILES = 200
"""Maximum number of profiles computed for one maximum; after that, the best bounds so far are returned."""


@dataclass(frozen=True)
class QMeasureMed:
    """MED of Q; computes at most about *max_profiles* profiles for each maximum.

    The maximum is exact if *max_profiles* is large enough and if only one gain is positive or gains do not matter (beta
    is 0). Otherwise *low* is the maximum over labels that are 0 or the grade with the largest gain, and *high* is an
    upper bound for all labels.
    """

    measure: Q
    max_profiles: int = MAX_PROFILES
    cost: ClassVar[str] = "slow"

    def maximize(self, rankings: TopicRankings, a: Ints, b: Ints) -> Maximum:
        """Return an interval for the maximum of Q(a) - Q(b) for each pair, even if it is negative."""
        gains = binary_gains(self.measure, rankings.levels)
        low, high = np.zeros(len(a)), np.zeros(len(a))
        for i, (one, other) in enumerate(zip(a, b, strict=True)):
            problem = _PairProblem.from_rankings(self.measure, rankings, one, other, gains)
            low[i], high[i], _ = self._search(problem)
            if gains.smallest_gain < gains.gain and self.measure.beta > 0:
                # Relaxed terms depend on R, which differs for every number of labels. So the bounds are exact only for
                # an interval of a single number.
                relaxed = search_label_counts(
                    problem.max_labels, problem.relaxed_bounds, operator.eq, self.max_profiles
                )
                high[i] = max(low[i], relaxed.high)
        return Maximum(low, high)

    def find_labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """Return grades that attain *low*; a free document gets grade 0 or the grade with the largest gain."""
        gains = binary_gains(self.measure, rankings.levels)
        problem = _PairProblem.from_rankings(self.measure, rankings, a, b, gains)
        best = self._search(problem).labels
        profile = build_profile(problem.pair, problem.weights(best, best), trace=True)
        return label_documents(rankings, profile.find_documents(best), gains.grade)

    def _search(self, problem: _PairProblem) -> LabelCountMaximum:
        return search_label_counts(problem.max_labels, problem.bounds, problem.have_same_ideal, self.max_profiles)


class LabelCountMaximum(NamedTuple):
    """Result of :func:`search_label_counts`.

    *low* is the exact value for *labels* labels, and *high* is an upper bound for every number of labels. If *low* and
    *high* are equal, *low* is the maximum.
    """

    low: float
    high: float
    labels: int


def search_label_counts(
    free: int, bounds: Callable[[int, int], Floats], is_exact: Callable[[int, int], bool], max_calls: int
) -> LabelCountMaximum:
    """Maximize over all numbers of labels from 0 to *free* by branch and bound.

    Parameters
    ----------
    free
        Number of free documents.
    bounds
        Returns, for a first and a last number of labels, an upper bound for each number from the first to the last.
    is_exact
        Returns True if the bounds for these arguments are exact values. It must return True for equal arguments.
    max_calls
        Maximum number of calls of *bounds*, in addition to one call at the start and one at the end.
    """
    high = np.full(free + 1, np.inf)
    # For each number of labels, the narrowest interval for which a bound has been computed.
    first, last = np.zeros(free + 1, dtype=np.int64), np.full(free + 1, free)
    exact = np.zeros(free + 1, dtype=bool)

    def evaluate(begin: int, end: int) -> None:
        values, values_are_exact = bounds(begin, end), is_exact(begin, end)
        counts = begin + np.flatnonzero(~exact[begin : end + 1])
        new_values = values[counts - begin]
        high[counts] = new_values if values_are_exact else np.minimum(high[counts], new_values)
        narrowed = counts[(last - first)[counts] > end - begin]
        first[narrowed], last[narrowed] = begin, end
        exact[counts] = values_are_exact

    def current() -> LabelCountMaximum:
        best = int(np.argmax(np.where(exact, high, -np.inf)))
        low = float(high[best]) if exact[best] else -np.inf
        return LabelCountMaximum(low, low if high.max() <= low + ROUNDING else float(high.max()), best)

    evaluate(0, free)
    for _ in range(max_calls):
        if current().low == current().high:
            break
        top = int(np.argmax(high))
        evaluate(*_narrow(top, int(first[top]), int(last[top])))
    # No calls are left: make sure that the bound of the most promising number of labels is exact.
    if current().low < current().high and not exact[top := int(np.argmax(high))]:
        evaluate(top, top)
    return current()


def _narrow(top: int, first: int, last: int) -> tuple[int, int]:
    """Return an interval around *top* that contains at most about half of the numbers from *first* to *last*."""
    quarter = (last - first) // 4
    return max(first, top - quarter), min(last, top + quarter)


@dataclass(frozen=True, eq=False)
class _PairProblem:
    """A pair of rankings evaluated by Q.

    *judged_gains* are the gains of the judged relevant documents of the topic, retrieved or not, in descending order.
    """

    measure: Q
    pair: Pair
    gains: BinaryGains
    judged_gains: Floats

    @classmethod
    def from_rankings(cls, measure: Q, rankings: TopicRankings, a: int, b: int, gains: BinaryGains) -> _PairProblem:
        pair = Pair.from_rankings(rankings, a, b)
        counts = np.append(0, rankings.counts)
        # *counts* includes free documents with a negative grade: subtract them.
        for side, free in ((pair.first, pair.first.free), (pair.second, pair.second.unshared)):
            np.subtract.at(counts, side.code[free], 1)
        counts[0] = 0
        judged_gains = np.repeat(gains.by_code, counts)
        return cls(measure, pair, gains, -np.sort(-judged_gains[judged_gains > 0]))

    @property
    def max_labels(self) -> int:
        """Number of labels that can have an effect: 0 if no grade has a gain."""
        return self.pair.free_count if self.gains.gain > 0 else 0

    def ideal(self, labels: int) -> Floats:
        """Return the cumulated gain cg* of the ideal ranking at each rank."""
        depth = max(len(self.pair.first.doc), len(self.pair.second.doc))
        gains = np.concatenate([np.full(min(labels, depth), self.gains.gain), self.judged_gains, np.zeros(depth)])
        return np.cumsum(gains[:depth])

    def have_same_ideal(self, first: int, last: int) -> bool:
        """Return True if *first* and *last* labels give the same ideal ranking, or if it has no effect (beta is 0)."""
        return self.measure.beta == 0 or bool(np.array_equal(self.ideal(first), self.ideal(last)))

    def bounds(self, first: int, last: int) -> Floats:
        """Return upper bounds of the values for *first* to *last* labels; exact if all have the same ideal ranking."""
        return self._divide(build_profile(self.pair, self.weights(first, last)), first, last)

    def weights(self, first: int, last: int) -> LatticeWeights:
        """Return the weights with the ideal ranking of *first* labels in Y and of *last* labels in Z."""
        y = self._blended_ratios(self.pair.first, self.ideal(first))
        z = self._blended_ratios(self.pair.second, self.ideal(last))
        return linear_weights(self.pair, y, z, last)

    def _blended_ratios(self, side: PairSide, ideal: Floats) -> LinearTerms:
        """Return the terms (c + beta cg) / (i + beta cg*); a label adds 1 to c and G to cg."""
        beta, gain = self.measure.beta, self.gains.gain
        judged = np.where(side.free, 0.0, self.gains.by_code[side.code])
        weight = ((judged > 0) | side.free) / (side.rank + beta * ideal[: len(side.rank)])
        return LinearTerms(weight * (np.cumsum(judged > 0) + beta * np.cumsum(judged)), weight * (1 + beta * gain))

    def relaxed_bounds(self, first: int, last: int) -> Floats:
        """Return upper bounds of the values for *first* to *last* labels of any grade."""
        min_relevant, max_relevant = len(self.judged_gains) + first, len(self.judged_gains) + last
        y, z = self._upper_terms(self.pair.first, min_relevant), self._lower_terms(self.pair.second, max_relevant)
        return self._divide(build_profile(self.pair, table_weights(self.pair, y, z, last)), first, last)

    def _upper_terms(self, side: PairSide, relevant: int) -> TermTable:
        """Return upper bounds of the blended ratios (for Y) if at least *relevant* documents are relevant."""
        beta, top, smallest = self.measure.beta, self.gains.gain, self.gains.smallest_gain
        hits, rank = self._count_relevant(side)
        ideal = np.maximum(np.minimum(rank, relevant), hits)  # R is at least the number of hits
        ratio_bound = hits * (1 + beta * top) / (rank + beta * (hits * (top - smallest) + ideal * smallest))
        return TermTable(self._mask_relevant(side, ratio_bound))

    def _lower_terms(self, side: PairSide, relevant: int) -> TermTable:
        """Return lower bounds of the blended ratios (for Z) if at most *relevant* documents are relevant."""
        beta, top, smallest = self.measure.beta, self.gains.gain, self.gains.smallest_gain
        hits, rank = self._count_relevant(side)
        others = np.minimum(rank, np.maximum(relevant - hits, 0))
        ideal = np.minimum(rank, relevant)
        ratio_bound = hits * (1 + beta * smallest) / (rank + beta * (others * (top - smallest) + ideal * smallest))
        return TermTable(self._mask_relevant(side, ratio_bound))

    def _count_relevant(self, side: PairSide) -> tuple[Ints, Ints]:
        """Return the relevant-document count down to each rank (ranks x label counts), and the ranks (a column)."""
        judged = np.cumsum(~side.free & (self.gains.by_code[side.code] > 0))
        return judged[:, None] + np.arange(np.sum(side.free) + 1), side.rank[:, None]

    def _mask_relevant(self, side: PairSide, term: Floats) -> Floats:
        """Set the terms of documents that cannot be relevant to 0."""
        return term * (side.free | (self.gains.by_code[side.code] > 0))[:, None]

    def _divide(self, profile: Profile, first: int, last: int) -> Floats:
        """Divide the profile for *first* to *last* labels by R, or by min(R, cutoff)."""
        relevant = len(self.judged_gains) + np.arange(first, last + 1)
        if self.measure.norm == "min":
            relevant = np.minimum(relevant, self.measure.cutoff or 0)
        return ratio(profile.best[first : last + 1], relevant)
