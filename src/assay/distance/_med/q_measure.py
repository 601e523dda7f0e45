r"""Maximized effectiveness distance of the Q-measure, by the best path in a lattice (see there).

.. math:: Q = \frac{1}{R} \sum_i [g_i > 0] \frac{\beta \, cg_i + c_i}{\beta \, cg^*_i + i}

*Labels 0 and top.* Suppose that the unjudged documents have grade 0 or the grade that is worth most, G. For t labels
the ideal ranking is known, so that the terms are linear in the number of labels above, and a label that goes to a
document which stands earlier moves no relevant document down and lowers no cumulated gain: dominance holds. It remains
to find the best t. cg* never falls when t grows. So the terms of Y with the ideal of t1 labels and those of Z with the
ideal of t2 give one profile that is an upper bound for every t from t1 to t2, and exact if the two ideals are the same.
The t with the largest bound is looked at ever more closely until its bound is exact: then no other t reaches it.

Documents of Z alone matter here: a label for one of them raises cg*, which lowers the terms of all others.

*Other grades.* With more than one gain above 0 dominance fails, and G need not be the best label: of Y = (A, B) and
Z = (B, A) with gains 0, 1 and 3, A = 1 gives 1/3 and A = 3 only 1/5. The value above is attained then, and an upper
bound comes from the terms, for R relevant documents with gains from g to G of which r stand down to rank m,

.. math::

    \frac{r (1 + \beta G)}{m + \beta (r G + (\min(m, R) - r) g)}
    \quad \text{in Y and} \quad
    \frac{r (1 + \beta g)}{m + \beta (x G + (\min(m, R) - x) g)}, \; x = \min(m, R - r), \quad \text{in Z.}

A blended ratio is at most 1, so it only grows when gains down to its rank grow and others fall: they are bounds. Both
fall with m, so that dominance holds for them, and both are monotone in R, so that t is found in the same way.

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

from assay.distance._med.interface import Extreme
from assay.distance._med.labels import Worth, labelled, worth
from assay.distance._med.lattice import LatticeWeights, Profile, profile
from assay.distance._med.pairs import Pair, PairSide
from assay.distance._med.terms import Linear, TermTable, linear_weights, table_weights
from assay.measures._base import ratio
from assay.model.arrays import ROUNDING, Floats, Ints
from assay.model.rankings import TopicRankings

if TYPE_CHECKING:
    from assay.measures.q_measure import Q

MOST_PROFILES = 200
"""Number of profiles computed for one extreme before the best bounds so far are returned."""


@dataclass(frozen=True)
class QMeasure:
    """MED of Q; about *most* profiles are made for each extreme.

    It is exact where only one gain is above 0, or gains do not count, and *most* is enough. Otherwise *low* is exact
    for labels that are 0 or the grade worth most, and *high* is a bound for all labels.
    """

    measure: Q
    most: int = MOST_PROFILES
    cost: ClassVar[str] = "slow"

    def largest(self, rankings: TopicRankings, a: Ints, b: Ints) -> Extreme:
        """The largest Q(a) - Q(b) for each pair, also where it is negative."""
        scale = worth(self.measure, rankings.levels)
        low, high = np.zeros(len(a)), np.zeros(len(a))
        for i, (one, other) in enumerate(zip(a, b, strict=True)):
            problem = _PairProblem.of(self.measure, rankings, one, other, scale)
            low[i], high[i], _ = closing_in(problem.most_labels, problem.values, problem.same, self.most)
            if scale.least < scale.gain and self.measure.beta > 0:
                relaxed = closing_in(problem.most_labels, problem.relaxed, operator.eq, self.most)
                high[i] = max(low[i], relaxed.high)
        return Extreme(low, high)

    def labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """Grades that reach *low*; unjudged documents have grade 0 or the grade worth most."""
        scale = worth(self.measure, rankings.levels)
        problem = _PairProblem.of(self.measure, rankings, a, b, scale)
        best = closing_in(problem.most_labels, problem.values, problem.same, self.most).labels
        traced = profile(problem.pair, problem.weights(best, best), trace=True)
        return labelled(rankings, traced.documents(best), scale.grade)


class Closed(NamedTuple):
    """The value of *labels* labels, which is the largest one if it equals *high*; none is beyond *high*."""

    low: float
    high: float
    labels: int


def closing_in(free: int, bounds: Callable[[int, int], Floats], same: Callable[[int, int], bool], most: int) -> Closed:
    """The largest value over all numbers of labels from 0 to *free*; *bounds* is asked *most* times and twice more.

    *bounds* gives, for a first and a last number of labels, upper bounds for all numbers from the one to the other;
    they are the values themselves if *same* is true of the two.
    """
    high = np.full(free + 1, np.inf)
    first, last = np.zeros(free + 1, dtype=np.int64), np.full(free + 1, free)
    exact = np.zeros(free + 1, dtype=bool)

    def look(begin: int, end: int) -> None:
        found, certain = bounds(begin, end), same(begin, end)
        fresh = begin + np.flatnonzero(~exact[begin : end + 1])
        high[fresh] = found[fresh - begin] if certain else np.minimum(high[fresh], found[fresh - begin])
        closer = fresh[(last - first)[fresh] > end - begin]
        first[closer], last[closer] = begin, end
        exact[fresh] = certain

    def closed() -> Closed:
        best = int(np.argmax(np.where(exact, high, -np.inf)))
        low = float(high[best]) if exact[best] else -np.inf
        return Closed(low, low if high.max() <= low + ROUNDING else float(high.max()), best)

    look(0, free)
    for _ in range(most):
        if closed().low == closed().high:
            break
        top = int(np.argmax(high))
        look(*_closer(top, int(first[top]), int(last[top])))
    if closed().low < closed().high and not exact[top := int(np.argmax(high))]:
        look(top, top)
    return closed()


def _closer(top: int, first: int, last: int) -> tuple[int, int]:
    """At most half of the numbers from *first* to *last*, around *top*."""
    reach = (last - first) // 4
    return max(first, top - reach), min(last, top + reach)


@dataclass(frozen=True, eq=False)
class _PairProblem:
    """A pair under Q: *known* are the gains of all judged documents of the topic that are relevant, descending."""

    measure: Q
    pair: Pair
    scale: Worth
    known: Floats

    @classmethod
    def of(cls, measure: Q, rankings: TopicRankings, a: int, b: int, scale: Worth) -> _PairProblem:
        pair = Pair.of(rankings, a, b)
        counts = np.append(0, rankings.counts)
        for side, own in ((pair.first, pair.first.free), (pair.second, pair.second.alone)):
            np.subtract.at(counts, side.code[own], 1)  # those with a negative grade were counted as judged
        counts[0] = 0
        known = np.repeat(scale.by_code, counts)
        return cls(measure, pair, scale, -np.sort(-known[known > 0]))

    @property
    def most_labels(self) -> int:
        """Number of labels that can matter: none if no grade has a gain."""
        return self.pair.unjudged if self.scale.gain > 0 else 0

    def ideal(self, labels: int) -> Floats:
        """The cumulated gain of the ideal ranking down to each rank."""
        depth = max(len(self.pair.first.doc), len(self.pair.second.doc))
        gains = np.concatenate([np.full(min(labels, depth), self.scale.gain), self.known, np.zeros(depth)])
        return np.cumsum(gains[:depth])

    def same(self, first: int, last: int) -> bool:
        """True if the ideal rankings do not differ."""
        return self.measure.beta == 0 or bool(np.array_equal(self.ideal(first), self.ideal(last)))

    def values(self, first: int, last: int) -> Floats:
        """Bounds of the values with *first* to *last* labels, or the values themselves."""
        return self._divided(profile(self.pair, self.weights(first, last)), first, last)

    def weights(self, first: int, last: int) -> LatticeWeights:
        """The weights with the ideal of *first* labels for Y and of *last* for Z."""
        y, z = self._blended(self.pair.first, self.ideal(first)), self._blended(self.pair.second, self.ideal(last))
        return linear_weights(self.pair, y, z, last)

    def _blended(self, side: PairSide, ideal: Floats) -> Linear:
        beta, gain = self.measure.beta, self.scale.gain
        judged = np.where(side.free, 0.0, self.scale.by_code[side.code])
        each = ((judged > 0) | side.free) / (side.rank + beta * ideal[: len(side.rank)])
        return Linear(each * (np.cumsum(judged > 0) + beta * np.cumsum(judged)), each * (1 + beta * gain))

    def relaxed(self, first: int, last: int) -> Floats:
        """Bounds of the values with *first* to *last* labels of any grade."""
        fewest, most = len(self.known) + first, len(self.known) + last
        y, z = self._above(self.pair.first, fewest), self._below(self.pair.second, most)
        return self._divided(profile(self.pair, table_weights(self.pair, y, z, last)), first, last)

    def _above(self, side: PairSide, relevant: int) -> TermTable:
        beta, top, least = self.measure.beta, self.scale.gain, self.scale.least
        found, rank = self._found(side)
        ideal = np.maximum(np.minimum(rank, relevant), found)  # there are at least as many as were found
        return TermTable(
            self._counting(side, found * (1 + beta * top) / (rank + beta * (found * (top - least) + ideal * least)))
        )

    def _below(self, side: PairSide, relevant: int) -> TermTable:
        beta, top, least = self.measure.beta, self.scale.gain, self.scale.least
        found, rank = self._found(side)
        others = np.minimum(rank, np.maximum(relevant - found, 0))
        ideal = np.minimum(rank, relevant)
        return TermTable(
            self._counting(side, found * (1 + beta * least) / (rank + beta * (others * (top - least) + ideal * least)))
        )

    def _found(self, side: PairSide) -> tuple[Ints, Ints]:
        """Ranks x numbers of labels: the relevant documents down to the rank; and the ranks."""
        judged = np.cumsum(~side.free & (self.scale.by_code[side.code] > 0))
        return judged[:, None] + np.arange(np.sum(side.free) + 1), side.rank[:, None]

    def _counting(self, side: PairSide, term: Floats) -> Floats:
        """The terms of documents that are or may be relevant."""
        return term * (side.free | (self.scale.by_code[side.code] > 0))[:, None]

    def _divided(self, found: Profile, first: int, last: int) -> Floats:
        relevant = len(self.known) + np.arange(first, last + 1)
        if self.measure.norm == "min":
            relevant = np.minimum(relevant, self.measure.cutoff or 0)
        return ratio(found.best[first : last + 1], relevant)
