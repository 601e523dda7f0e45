"""Exact bounds of nDCG and nCG, for any number of grades.

Let c_l ungraded documents have class l or better, and let these be the first ungraded documents (or the last). The gain
of the ranking is then a sum over the classes: the step in gain from the class below, times the total weight of c_l
ungraded positions. The ideal gain is the same sum with the total weight of the top n_l + c_l ranks, where n_l is the
number of graded documents that have class l or better.

For a given number v, the difference gain - v * ideal gain is therefore a sum of terms that depend on one c_l each.
Running maxima, class by class from the best class down, maximize this sum subject to c_1 >= c_2 >= ... If the maximum
is 0, v is the largest quotient. Otherwise the maximizing profile has a larger quotient, which replaces v. A few rounds
find the largest quotient (Dinkelbach, *On nonlinear fractional programming*, Management Science 13, 1967). The search
for the smallest quotient is the same with the opposite sign.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from assay.measures._base import Additive, ratio
from assay.measures._possible_grades import tabulate_gains
from assay.model.arrays import Floats, Ints
from assay.model.segmented_scan import accumulate
from assay.uncertainty.completions.problem import Interval, Problem

_CELLS = 1_000_000  # entries of a matrix of rankings x counts of ungraded documents


def bound_normalised_gain(problem: Problem) -> Interval:
    """Bound nDCG and nCG; the bounds are exact.

    Further documents of the best class outside the ranking only increase the ideal gain. With a cutoff k, more than k
    such documents have no additional effect. Without a cutoff, the ideal gain grows without limit, so the lower bound
    is 0 if the number of such documents is unlimited.
    """
    cutoff = getattr(problem.measure, "cutoff", None)
    outside = min(problem.outside, math.inf if cutoff is None else cutoff)
    low, high = np.zeros(len(problem.judged)), np.zeros(len(problem.judged))
    for rows in _batches(problem):
        batch = replace(problem, judged=problem.judged.select_rankings(rows))
        weights = _PositionWeights.from_problem(batch)
        high[rows] = _GainQuotients.from_problem(batch, weights, 0, best_first=True).maximize()
        if not math.isinf(outside):
            low[rows] = -_GainQuotients.from_problem(batch, weights, int(outside), best_first=False).maximize()
    return Interval(np.minimum(low, high), high, np.ones(len(low), dtype=bool))


def _batches(problem: Problem) -> Iterator[Ints]:
    """Yield batches of rankings; they limit the size of matrices with a column for each count of ungraded documents."""
    step = max(_CELLS // (int(problem.num_ungraded.max(initial=0)) + 1), 1)
    for begin in range(0, len(problem.judged), step):
        yield np.arange(begin, min(begin + step, len(problem.judged)))


@dataclass(frozen=True, eq=False)
class _PositionWeights:
    """Weights of the positions of ungraded documents.

    *known_gain* is the gain of the graded documents of each ranking. *first* and *last* are rankings x counts: the
    total weight of the first, or the last, c ungraded positions.
    """

    known_gain: Floats
    first: Floats
    last: Floats

    @classmethod
    def from_problem(cls, problem: Problem) -> _PositionWeights:
        """Compute the weights from the ranks of the ungraded documents."""
        judged, num_ungraded = problem.judged, problem.num_ungraded
        ranking, weight = judged.ranking(), rank_weights(problem, judged.rank())
        _, gain = tabulate_gains(problem.measure, judged.levels, judged.levels)
        known_gain = np.where(problem.ungraded, 0.0, np.concatenate([[0.0], gain])[judged.code])
        # *sums* holds the cumulative weights of all rankings end to end, each ranking with a leading 0.
        owner = ranking[problem.ungraded]
        sums = np.zeros(len(owner) + len(num_ungraded))
        sums[np.arange(len(owner)) + owner + 1] = accumulate(np.add, owner, weight[problem.ungraded])
        start = (np.cumsum(num_ungraded + 1) - num_ungraded - 1)[:, None]
        count = np.minimum(np.arange(int(num_ungraded.max(initial=0)) + 1), num_ungraded[:, None])
        total = sums[start + num_ungraded[:, None]]
        return cls(
            judged.total(ranking, known_gain * weight),
            sums[start + count],
            total - sums[start + num_ungraded[:, None] - count],
        )


def rank_weights(problem: Problem, rank: Ints) -> Floats:
    """Return the weight of each rank; 0 for ranks after the cutoff."""
    measure = problem.measure
    cutoff = getattr(measure, "cutoff", None)
    weight = measure.weighted_gain(np.ones(len(rank)), rank) if isinstance(measure, Additive) else np.ones(len(rank))
    return weight if cutoff is None else np.where(rank <= cutoff, weight, 0.0)


@dataclass(frozen=True, eq=False)
class _GainQuotients:
    """Quotients gain / ideal gain of completions, multiplied by *sign* to make every search a maximization.

    The gain of a document is the sum of the steps between consecutive distinct gains that it reaches.

    Attributes
    ----------
    sign
        1 for the upper bound, -1 for the lower bound.
    known_gain
        Gain of the graded documents of each ranking.
    position_weight
        Rankings x counts: total weight of c ungraded positions.
    ideal_weight
        By count n: total weight of the top n ranks.
    num_ungraded
        Number of ungraded documents of each ranking.
    step
        Differences of consecutive distinct gains.
    lowest_class
        The lowest class that reaches each step.
    base
        Rankings x steps: number of graded (or outside) documents that reach the step.
    max_class
        Index of the best class.
    """

    sign: float
    known_gain: Floats
    position_weight: Floats
    ideal_weight: Floats
    num_ungraded: Ints
    step: Floats
    lowest_class: Ints
    base: Ints
    max_class: int

    @classmethod
    def from_problem(
        cls, problem: Problem, weights: _PositionWeights, outside: int, *, best_first: bool
    ) -> _GainQuotients:
        """Prepare the search for the largest quotients (*best_first*) or for the smallest quotients."""
        _, gain = tabulate_gains(problem.measure, problem.judged.levels, problem.judged.levels)
        distinct = np.unique(gain[gain > 0])
        base = problem.graded_counts @ (gain[:, None] >= distinct) + outside * (distinct <= problem.class_gain[-1])
        max_base = int((base + problem.num_ungraded[:, None]).max(initial=0))
        cutoff = getattr(problem.measure, "cutoff", None)
        rank = np.arange(1, (max_base if cutoff is None else min(max_base, cutoff)) + 1)
        return cls(
            sign=1.0 if best_first else -1.0,
            known_gain=weights.known_gain,
            position_weight=weights.first if best_first else weights.last,
            ideal_weight=np.concatenate([[0.0], np.cumsum(rank_weights(problem, rank))]),
            num_ungraded=problem.num_ungraded,
            step=np.diff(distinct, prepend=0.0),
            lowest_class=np.searchsorted(problem.class_gain, distinct),
            base=base,
            max_class=problem.max_class,
        )

    def maximize(self) -> Floats:
        """Return the largest signed quotient of each ranking, by Dinkelbach's iteration."""
        value = self._evaluate(np.zeros((len(self.num_ungraded), self.max_class), dtype=np.int64))
        while True:
            candidate = self._evaluate(self._maximize_difference(value))
            improved = candidate > value
            if not improved.any():
                return value
            value = np.where(improved, candidate, value)

    def _evaluate(self, profile: Ints) -> Floats:
        """Return the signed quotients of profiles (see ``Completion``)."""
        rows = np.arange(len(profile))
        count = np.column_stack([self.num_ungraded, profile, np.zeros(len(profile), dtype=np.int64)])
        gain, ideal_gain = self.known_gain.copy(), np.zeros(len(profile))
        for step, lowest_class, base in zip(self.step, self.lowest_class, self.base.T, strict=True):
            gain += step * self.position_weight[rows, count[:, lowest_class]]
            ideal_gain += step * self._sum_ideal(base + count[:, lowest_class])
        return self.sign * ratio(gain, ideal_gain)

    def _maximize_difference(self, value: Floats) -> Ints:
        """Return the profiles that maximize sign * gain - *value* * ideal gain."""
        rows, count = np.arange(len(value)), np.arange(self.position_weight.shape[1])
        best_counts, better_classes = [], np.zeros((len(value), 1))
        # From the best class down: amount[:, c] is the largest sum over this class and all better classes if c
        # documents reach this class. A running maximum over c lets the class below use at least as many documents.
        for class_index in range(self.max_class, 0, -1):
            amount = better_classes + np.where(count <= self.num_ungraded[:, None], 0.0, -np.inf)
            is_step = self.lowest_class == class_index
            for step, base in zip(self.step[is_step], self.base.T[is_step], strict=True):
                ideal = self._sum_ideal(base[:, None] + count)
                amount += step * (self.sign * self.position_weight - value[:, None] * ideal)
            better_classes = np.maximum.accumulate(amount, axis=1)
            best_counts.append(np.maximum.accumulate(np.where(amount == better_classes, count, 0), axis=1))
        # Trace the maxima back from the lowest class up.
        profile, limit = np.zeros((len(value), self.max_class), dtype=np.int64), self.num_ungraded
        for column, best_count in enumerate(reversed(best_counts)):
            profile[:, column] = limit = best_count[rows, limit]
        return profile

    def _sum_ideal(self, count: Ints) -> Floats:
        """Return the total weight of the top *count* ranks; constant after the cutoff."""
        return self.ideal_weight[np.minimum(count, len(self.ideal_weight) - 1)]
