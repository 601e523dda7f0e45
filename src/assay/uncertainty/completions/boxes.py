"""Branch and bound over completions, for measures with a recall base.

A measure of this kind obeys the swap axiom, so that of all completions with given numbers of documents in each class
the best has the better documents first and the worst has them last: a completion is a vector of numbers. It obeys the
replacement axiom for a given recall base, and more relevant documents in the recall base alone never raise it. So over
a box of such vectors the value is at most that of the labels of the upper corner with the recall base of the lower
one, and at least the reverse. Boxes that cannot hold the extreme are dropped and the others halved until only single
vectors are left, or the work that is allowed is done: then the interval says what is certain.

Q between several grades does not obey the swap axiom. There only the number of relevant documents is branched on, and
their grades are relaxed (see ``_Side``): the interval is an outer one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from assay.measures._possible_grades import gains_of
from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.uncertainty.completions.problem import Interval, Problem

WORK = 3_000_000
"""How many documents may be scored for each ranking and bound."""
RELAXED_WORK = 300_000
"""The same where the interval is an outer one however hard it is looked for."""
_CELLS = 10_000_000  # numbers that describe the boxes of rankings that are looked at together


@dataclass(frozen=True)
class _Side:
    """One of the two extremes, told so that the larger is always the one looked for.

    If *relaxed*, only the number of relevant documents is known, and swaps of different grades can do anything. For the
    high end they are then of the best class: a better grade never lowers Q, nor does moving a document of the best
    class before one that is not relevant (what follows it in between gains as much as it loses by standing there, at
    most a document of the best class each). The recall base counts them in the lowest class. For the low end every
    relevant document of the ranking, judged or not, counts with the lowest class, which makes all swaps fair, and the
    recall base counts them in the best.
    """

    problem: Problem
    best_first: bool
    outside: int
    relaxed: bool

    @property
    def sign(self) -> float:
        return 1.0 if self.best_first else -1.0

    def value(self, ranking: Ints, point: Ints) -> Floats:
        """Return the values of completions, with the sign that makes the extreme the largest."""
        return self.sign * self._scores(self.problem, ranking, point, point)

    def bound(self, ranking: Ints, low: Ints, high: Ints) -> Floats:
        """Return upper bounds for all completions of boxes."""
        labels, counted = (high, low) if self.best_first else (low, high)
        problem = self.problem
        if self.relaxed:
            top = np.repeat((labels if self.best_first else counted)[:, :1], labels.shape[1], axis=1)
            lowest = np.where(np.arange(labels.shape[1]) == 0, counted if self.best_first else labels, 0)
            labels, counted = (top, lowest) if self.best_first else (lowest, top)
            problem = problem if self.best_first else self._flattened
        least, most = problem.measure.bounds
        return self.sign * np.clip(self._scores(problem, ranking, labels, counted), least, most)

    def _scores(self, problem: Problem, ranking: Ints, labels: Ints, counted: Ints) -> Floats:
        completion = problem.sorted(ranking, labels, counted, outside=self.outside, best_first=self.best_first)
        return problem.scores(completion)

    @cached_property
    def _flattened(self) -> Problem:
        """The rankings with every relevant document in the lowest class that is relevant; recall bases stay."""
        problem, judged = self.problem, self.problem.judged
        _, gain = gains_of(problem.measure, judged.levels, judged.levels)
        code = np.arange(len(gain) + 1)
        code[1:][gain > problem.worth[0]] = problem.label[1]
        return replace(problem, judged=replace(judged, code=code[judged.code]))


def branch_and_bound(problem: Problem, work: int = WORK) -> Interval:
    """Return the smallest and the largest value of each ranking."""
    found = [_bounded(replace(problem, judged=problem.judged.only(rows)), work) for rows in _batches(problem, work)]
    low, high, exact = (np.concatenate(each) for each in zip(*found, strict=True))
    return Interval(low, high, exact)


def _batches(problem: Problem, work: int) -> Iterator[Ints]:
    """The rankings, as many at a time as have boxes that can be held together if none of them can be dropped."""
    most = np.ceil(work / np.maximum(problem.judged.length, 1))
    for count in np.unique(problem.free).tolist():
        vectors = min(math.comb(count + problem.classes, problem.classes), work)
        most[problem.free == count] = np.minimum(most[problem.free == count], 2 * vectors)
    batch = np.cumsum(most * (problem.classes + 1)) // _CELLS
    for number in np.unique(batch).tolist() or [0]:
        yield np.flatnonzero(batch == number)


def _bounded(problem: Problem, work: int) -> Interval:
    relaxed = problem.classes > 1 and not problem.measure.swap
    work = min(work, RELAXED_WORK) if relaxed else work
    reached, high = _largest(_Side(problem, True, 0, relaxed), work)
    exact = high - reached <= ROUNDING
    outside = min(problem.outside, problem.measure.saturation(problem.judged.longest, float(problem.worth[-1])))
    if math.isinf(outside):
        low = np.full(len(high), problem.measure.bounds[0])
        return Interval(low, high, exact & problem.measure.vanishes)
    reached, low = (-found for found in _largest(_Side(problem, False, int(outside), relaxed), work))
    return Interval(np.minimum(low, high), high, exact & (reached - low <= ROUNDING))


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
    left = work / np.maximum(problem.judged.length, 1)
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
    open_ = ~point & (bound > reached[ranking] + ROUNDING)
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
