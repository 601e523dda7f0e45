"""Branch and bound over completions, for measures with a recall base.

A measure of this kind obeys the swap axiom, so that of all completions with given numbers of documents in each class
the best has the better documents first and the worst has them last: a completion is a vector of numbers. It obeys the
replacement axiom for a given recall base, and more relevant documents in the recall base alone never raise it. So over
a box of such vectors the value is at most that of the labels of the upper corner with the recall base of the lower
one, and at least the reverse. Boxes that cannot hold the extreme are dropped and the others halved until only single
vectors are left, or the work that is allowed is done: then the interval says what is certain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from assay.analyses.grades import gains_of
from assay.analyses.uncertainty.completions.problem import Completion, Interval, Problem
from assay.model.arrays import Bools, Floats, Ints

WORK = 3_000_000
"""How many documents may be scored for each ranking and bound."""
_ROUNDING = 1e-12


@dataclass(frozen=True)
class _Side:
    """One of the two extremes, told so that the larger is always the one looked for."""

    problem: Problem
    best_first: bool
    outside: float
    relaxed: bool

    @property
    def sign(self) -> float:
        return 1.0 if self.best_first else -1.0

    def value(self, ranking: Ints, point: Ints) -> Floats:
        """Of true completions; to be made as large as can be."""
        return self.sign * self._scores(ranking, point, point)

    def bound(self, ranking: Ints, low: Ints, high: Ints) -> Floats:
        """What no completion of a box goes beyond."""
        labels, counted = (high, low) if self.best_first else (low, high)
        found = self._scores(ranking, labels, counted) if not self.relaxed else self._relaxed(ranking, labels, counted)
        least, most = self.problem.measure.bounds
        return self.sign * np.clip(found, least, most)

    def _scores(self, ranking: Ints, labels: Ints, counted: Ints) -> Floats:
        outside: Ints = np.full(len(ranking), self.outside, dtype=np.int64)
        return self.problem.scores(Completion(ranking, labels, counted, outside, self.best_first))

    def _relaxed(self, ranking: Ints, labels: Ints, counted: Ints) -> Floats:
        """Where only the number of relevant documents is known, and swaps of different grades can do anything.

        High: the relevant ones are of the best class, whose exchange for the better never lowers Q, and the recall
        base counts them in the lowest class. Low: every relevant document of the ranking, judged or not, counts with
        the lowest class, which makes all exchanges fair, and the recall base counts them in the best.
        """
        none = np.zeros_like(labels)[:, 1:]
        if self.best_first:
            every = np.repeat(labels[:, :1], labels.shape[1], axis=1)
            return self._scores(ranking, every, np.hstack([counted[:, :1], none]))
        flat = _Side(_flattened(self.problem), False, self.outside, False)
        return flat._scores(
            ranking, np.hstack([labels[:, :1], none]), np.repeat(counted[:, :1], counted.shape[1], axis=1)
        )


def _flattened(problem: Problem) -> Problem:
    """The rankings with every relevant document in the lowest class that is relevant; recall bases stay."""
    _, gain = gains_of(problem.measure, problem.judged.levels, problem.judged.levels)
    code = np.arange(len(gain) + 1)
    code[1:][gain > problem.worth[0]] = problem.label[1]
    return replace(problem, judged=replace(problem.judged, code=code[problem.judged.code], _cache={}))


def branch_and_bound(problem: Problem, work: int = WORK) -> Interval:
    """The smallest and the largest value of each ranking.

    Where grades of several classes are told apart and the measure does not obey the swap axiom between them (Q), only
    the number of relevant documents is branched on, and the classes are relaxed; the interval is then an outer one.
    """
    relaxed = problem.classes > 1 and not problem.measure.swap
    every = np.arange(len(problem.judged))
    high = _largest(_Side(problem, True, 0, relaxed), work)
    low, limit = _outside(problem)
    found = _largest(_Side(problem, False, low, relaxed), work)
    smallest, certain = -found[1], -found[0]
    if limit is not None:
        smallest, certain = np.minimum(smallest, limit), np.minimum(certain, limit)
    exact = (high[1] - high[0] <= _ROUNDING) & (certain - smallest <= _ROUNDING) & (every >= 0)
    return Interval(np.minimum(smallest, high[1]), high[1], exact)


def _outside(problem: Problem) -> tuple[int, float | None]:
    """How many relevant documents outside make the value smallest, and its limit if ever more of them do."""
    if not math.isinf(problem.outside):
        return int(problem.outside), None
    cut = getattr(problem.measure, "cutoff", None)
    return (int(cut), 0.0 if not _saturates(problem.measure) else None) if cut is not None else (0, 0.0)


def _saturates(measure: object) -> bool:
    """Whether the top k of the ideal ranking is all that a measure knows of it (or min(k, R))."""
    from assay.measures._graded import Normalised
    from assay.measures.nerr import nERR

    return isinstance(measure, Normalised | nERR) or bool(getattr(measure, "capped", False))


def _largest(side: _Side, work: int) -> tuple[Floats, Floats]:
    """The largest value that was reached for each ranking, and what is certainly not exceeded."""
    problem = side.problem
    free = problem.free
    every = np.arange(len(free))
    classes = problem.classes
    zero = np.zeros((len(free), classes), dtype=np.int64)
    reached = side.value(every, zero)
    if not classes:
        return reached, reached
    # Without relevant documents the value is 0 by convention, which no bound for other recall bases covers.
    first = zero.copy()
    first[:, 0] = (problem.worthy + side.outside * (not side.best_first) == 0) & (free > 0)
    top = np.repeat(free[:, None], classes, axis=1)
    boxes = (every[free > 0], first[free > 0], top[free > 0])
    left = np.full(len(free), float(work)) / (problem.cost or np.maximum(problem.judged.length, 1))
    certain = np.full(len(free), -np.inf)
    while len(boxes[0]):
        boxes, reached, certain = _round(side, boxes, reached, certain, left)
    return reached, np.maximum(reached, certain)


_Boxes = tuple[Ints, Ints, Ints]


def _round(side: _Side, boxes: _Boxes, reached: Floats, certain: Floats, left: Floats) -> tuple[_Boxes, Floats, Floats]:
    """Drop boxes that hold nothing better, give up where the work is done, halve the others."""
    ranking, low, high = boxes
    np.maximum.at(reached, ranking, side.value(ranking, high))
    np.maximum.at(reached, ranking, side.value(ranking, low))
    bound = side.bound(ranking, low, high)
    np.subtract.at(left, ranking, 3.0)
    point = (low == high).all(axis=1) if not side.relaxed else (low[:, 0] == high[:, 0])
    if side.relaxed:  # a single number still stands for many completions: its bound is all that is known
        np.maximum.at(certain, ranking[point], bound[point])
    open_ = ~point & (bound > reached[ranking] + _ROUNDING)
    tired = open_ & (left[ranking] <= 0)
    np.maximum.at(certain, ranking[tired], bound[tired])
    return _halved(ranking, low, high, open_ & ~tired, side.relaxed), reached, certain


def _halved(ranking: Ints, low: Ints, high: Ints, chosen: Bools, relaxed: bool) -> _Boxes:
    """Each chosen box in two, across its longest side; only vectors that do not ascend are completions."""
    ranking, low, high = ranking[chosen], low[chosen], high[chosen]
    if not len(ranking):
        return ranking, low, high
    side = np.zeros(len(ranking), dtype=np.int64) if relaxed else np.argmax(high - low, axis=1)
    rows = np.arange(len(ranking))
    middle = (low[rows, side] + high[rows, side]) // 2
    below, above = high.copy(), low.copy()
    below[rows, side] = middle
    above[rows, side] = middle + 1
    both = np.concatenate([ranking, ranking]), np.concatenate([low, above]), np.concatenate([below, high])
    return _ordered(*both)


def _ordered(ranking: Ints, low: Ints, high: Ints) -> _Boxes:
    """The boxes cut down to numbers that do not ascend from class to class; empty ones are left out."""
    low = np.maximum.accumulate(low[:, ::-1], axis=1)[:, ::-1]
    high = np.minimum.accumulate(high, axis=1)
    keep = (low <= high).all(axis=1)
    return ranking[keep], low[keep], high[keep]
