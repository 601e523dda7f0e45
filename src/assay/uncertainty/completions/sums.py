"""nDCG and nCG: exact, however many grades there are.

Let c_l unsettled documents be worth at least as much as class l, the first ones (or the last ones). The gain of the
ranking is then a sum over the classes: what a class is worth more than the one below it, times the weight of c_l
unsettled places. That of the ideal ranking is the same sum with the weight of its top n_l + c_l ranks, where n_l
documents were judged to be worth as much. So gain - v x ideal gain is, for a number v, a sum of terms with one c_l
each, and is made as large as can be for c_1 >= c_2 >= ... class by class, from the best down, with running maxima. If
it is 0 then, v is the largest quotient; else what was found gives a larger one, and a few rounds lead to the largest
(Dinkelbach, *On nonlinear fractional programming*, Management Science 13, 1967). In the same way for the smallest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.measures._base import Additive, ratio
from assay.measures._possible_grades import gains_of
from assay.model.arrays import Floats, Ints
from assay.model.segmented_scan import running
from assay.uncertainty.completions.problem import Interval, Problem

_CELLS = 1_000_000


def normalised(problem: Problem) -> Interval:
    """Bound nDCG and nCG: exact.

    More documents of the best class outside make the ideal ranking better and nothing else; behind the cutoff they
    no longer do, without one its gain has no limit.
    """
    cut = getattr(problem.measure, "cutoff", None)
    outside = min(problem.outside, math.inf if cut is None else cut)
    low, high = np.zeros(len(problem.judged)), np.zeros(len(problem.judged))
    for rows in _batches(problem):
        part = Problem(problem.measure, problem.judged.only(rows), 0, problem.worth, problem.label)
        weights = _Weights.of(part)
        high[rows] = _Quotients.of(part, weights, 0, best_first=True).largest()
        if not math.isinf(outside):
            low[rows] = -_Quotients.of(part, weights, int(outside), best_first=False).largest()
    return Interval(np.minimum(low, high), high, np.ones(len(low), dtype=bool))


def _batches(problem: Problem) -> Iterator[Ints]:
    """The rankings, as many at a time as fit into a matrix with a column for each number of unsettled documents."""
    step = max(_CELLS // (int(problem.free.max(initial=0)) + 1), 1)
    for begin in range(0, len(problem.judged), step):
        yield np.arange(begin, min(begin + step, len(problem.judged)))


@dataclass(frozen=True, eq=False)
class _Weights:
    """Weights of the ranks of rankings.

    *settled* is the gain that is known, *first* and *last* are the weights of so many unsettled documents from either
    end, as matrices of rankings x numbers.
    """

    settled: Floats
    first: Floats
    last: Floats

    @classmethod
    def of(cls, problem: Problem) -> _Weights:
        judged, free = problem.judged, problem.free
        ranking, weight = judged.ranking(), weights_of(problem, judged.rank())
        _, gain = gains_of(problem.measure, judged.levels, judged.levels)
        known = np.where(problem.unsettled, 0.0, np.concatenate([[0.0], gain])[judged.code])
        owner = ranking[problem.unsettled]
        sums = np.zeros(len(owner) + len(free))
        sums[np.arange(len(owner)) + owner + 1] = running(np.add, owner, weight[problem.unsettled])
        start = (np.cumsum(free + 1) - free - 1)[:, None]
        number = np.minimum(np.arange(int(free.max(initial=0)) + 1), free[:, None])
        whole = sums[start + free[:, None]]
        return cls(
            judged.total(ranking, known * weight), sums[start + number], whole - sums[start + free[:, None] - number]
        )


def weights_of(problem: Problem, rank: Ints) -> Floats:
    """Return the weight of each rank: 0 beyond the cutoff."""
    measure = problem.measure
    cut = getattr(measure, "cutoff", None)
    weight = measure.weighed(np.ones(len(rank)), rank) if isinstance(measure, Additive) else np.ones(len(rank))
    return weight if cut is None else np.where(rank <= cut, weight, 0.0)


@dataclass(frozen=True, eq=False)
class _Quotients:
    """Quotients of gains, told so that the largest is always the one looked for.

    The gains that occur are taken apart into steps: a document is worth the sum of the *steps* that it reaches, *level*
    being the lowest class that reaches each. *base* are the documents (rankings x steps) that do so in any case,
    *found* is the weight of so many unsettled places (rankings x numbers), *ideal* that of so many top ranks.
    """

    sign: float
    settled: Floats
    found: Floats
    ideal: Floats
    free: Ints
    step: Floats
    level: Ints
    base: Ints
    classes: int

    @classmethod
    def of(cls, problem: Problem, weights: _Weights, outside: int, *, best_first: bool) -> _Quotients:
        _, gain = gains_of(problem.measure, problem.judged.levels, problem.judged.levels)
        reached = np.unique(gain[gain > 0])
        base = problem.settled @ (gain[:, None] >= reached) + outside * (reached <= problem.worth[-1])
        most = int((base + problem.free[:, None]).max(initial=0))
        cut = getattr(problem.measure, "cutoff", None)
        rank = np.arange(1, (most if cut is None else min(most, cut)) + 1)
        return cls(
            sign=1.0 if best_first else -1.0,
            settled=weights.settled,
            found=weights.first if best_first else weights.last,
            ideal=np.concatenate([[0.0], np.cumsum(weights_of(problem, rank))]),
            free=problem.free,
            step=np.diff(reached, prepend=0.0),
            level=np.searchsorted(problem.worth, reached),
            base=base,
            classes=problem.classes,
        )

    def largest(self) -> Floats:
        """The largest quotient of each ranking (with the sign)."""
        value = self._value(np.zeros((len(self.free), self.classes), dtype=np.int64))
        while True:
            found = self._value(self._best(value))
            better = found > value
            if not better.any():
                return value
            value = np.where(better, found, value)

    def _value(self, labels: Ints) -> Floats:
        """The quotients of labels: how many documents are worth at least as much as each class."""
        every = np.arange(len(labels))
        number = np.column_stack([self.free, labels, np.zeros(len(labels), dtype=np.int64)])
        total, ideal = self.settled.copy(), np.zeros(len(labels))
        for step, level, base in zip(self.step, self.level, self.base.T, strict=True):
            total += step * self.found[every, number[:, level]]
            ideal += step * self._of_ideal(base + number[:, level])
        return self.sign * ratio(total, ideal)

    def _best(self, value: Floats) -> Ints:
        """The labels with the largest difference, *value* being what the ideal gain is multiplied with."""
        every, number = np.arange(len(value)), np.arange(self.found.shape[1])
        places, above = [], np.zeros((len(value), 1))
        for level in range(self.classes, 0, -1):
            amount = above + np.where(number <= self.free[:, None], 0.0, -np.inf)
            for step, base in zip(self.step[self.level == level], self.base.T[self.level == level], strict=True):
                ideal = self._of_ideal(base[:, None] + number)
                amount += step * (self.sign * self.found - value[:, None] * ideal)
            above = np.maximum.accumulate(amount, axis=1)
            places.append(np.maximum.accumulate(np.where(amount == above, number, 0), axis=1))
        labels, most = np.zeros((len(value), self.classes), dtype=np.int64), self.free
        for level, place in enumerate(reversed(places)):
            labels[:, level] = most = place[every, most]
        return labels

    def _of_ideal(self, number: Ints) -> Floats:
        return self.ideal[np.minimum(number, len(self.ideal) - 1)]
