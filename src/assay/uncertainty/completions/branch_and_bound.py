"""Branch and bound over completions, for measures with a recall base.

Such a measure obeys the swap axiom: among all completions with the same profile (see ``problem``) the best one has the
better documents first, and the worst one has them last. So it suffices to search profiles. The measure obeys the
replacement axiom for a fixed recall base, and further relevant documents that only enter the recall base never raise
it. Over a box of profiles its value is therefore at most that of the upper corner with the recall base of the lower
corner, and at least the reverse. Boxes that cannot contain the extreme are dropped, the others are halved, until only
single profiles are left or the allowed work is used up. In that case the interval is an outer bound.

Q with several relevant grades does not obey the swap axiom. For it, only the number of relevant documents is branched
on, and their grades are relaxed (see ``_SearchDirection``): the interval is an outer bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from assay.measures._possible_grades import tabulate_gains
from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.uncertainty.completions.problem import Interval, Problem

WORK = 3_000_000
"""Maximum number of documents scored for each ranking and bound."""
RELAXED_WORK = 300_000
"""Maximum number of documents if the interval can only be an outer bound, however long the search."""
_CELLS = 10_000_000  # numbers that describe the boxes of the rankings searched together


@dataclass(frozen=True)
class _SearchDirection:
    """The upper bound (*best_first*) or the lower bound, with a sign that makes both searches maximizations.

    If *relaxed*, only the number of relevant documents is known, and swapping different grades can change the value
    either way. For the upper bound all of them get the best class: a better grade never lowers Q, nor does moving a
    document of the best class up past a non-relevant one (each document in between loses at most what a document of the
    best class gains there). The recall base counts them in the lowest relevant class. For the lower bound every
    relevant document of the ranking, graded or not, counts with the lowest relevant class, for which the swap axiom
    holds, and the recall base counts them in the best class.
    """

    problem: Problem
    best_first: bool
    outside: int
    relaxed: bool

    @property
    def sign(self) -> float:
        return 1.0 if self.best_first else -1.0

    def evaluate(self, ranking: Ints, profile: Ints) -> Floats:
        """Return the signed values of completions."""
        return self.sign * self._score(self.problem, ranking, profile, profile)

    def bound(self, ranking: Ints, low: Ints, high: Ints) -> Floats:
        """Return upper bounds of the signed values over all completions of boxes."""
        profile, base_profile = (high, low) if self.best_first else (low, high)
        problem = self.problem
        if self.relaxed:
            width = profile.shape[1]
            all_best = np.repeat((profile if self.best_first else base_profile)[:, :1], width, axis=1)
            all_lowest = np.where(np.arange(width) == 0, base_profile if self.best_first else profile, 0)
            profile, base_profile = (all_best, all_lowest) if self.best_first else (all_lowest, all_best)
            problem = problem if self.best_first else self._flattened
        least, most = problem.measure.bounds
        return self.sign * np.clip(self._score(problem, ranking, profile, base_profile), least, most)

    def _score(self, problem: Problem, ranking: Ints, profile: Ints, base_profile: Ints) -> Floats:
        completion = problem.build_completion(
            ranking, profile, base_profile, outside=self.outside, best_first=self.best_first
        )
        return problem.score(completion)

    @cached_property
    def _flattened(self) -> Problem:
        """The rankings with every relevant document in the lowest relevant class; recall bases are unchanged."""
        problem, judged = self.problem, self.problem.judged
        _, gain = tabulate_gains(problem.measure, judged.levels, judged.levels)
        code = np.arange(len(gain) + 1)
        code[1:][gain > problem.class_gain[0]] = problem.class_code[1]
        return replace(problem, judged=replace(judged, code=code[judged.code]))


def bound_by_branching(problem: Problem, work: int = WORK) -> Interval:
    """Return the lower and upper bound of each ranking over all completions."""
    batches = (problem.judged.select_rankings(rows) for rows in _batches(problem, work))
    intervals = [_bound_batch(replace(problem, judged=judged), work) for judged in batches]
    low, high, exact = (np.concatenate(column) for column in zip(*intervals, strict=True))
    return Interval(low, high, exact)


def _batches(problem: Problem, work: int) -> Iterator[Ints]:
    """Yield rankings in batches whose boxes fit into memory together, even if none can be dropped."""
    max_boxes = np.ceil(work / np.maximum(problem.judged.length, 1))
    for count in np.unique(problem.num_ungraded).tolist():
        profiles = min(math.comb(count + problem.max_class, problem.max_class), work)
        rows = problem.num_ungraded == count
        max_boxes[rows] = np.minimum(max_boxes[rows], 2 * profiles)
    batch = np.cumsum(max_boxes * (problem.max_class + 1)) // _CELLS
    for number in np.unique(batch).tolist() or [0]:
        yield np.flatnonzero(batch == number)


def _bound_batch(problem: Problem, work: int) -> Interval:
    relaxed = problem.max_class > 1 and not problem.measure.swap
    work = min(work, RELAXED_WORK) if relaxed else work
    attained, high = _maximize(_SearchDirection(problem, True, 0, relaxed), work)
    exact = high - attained <= ROUNDING
    # Beyond the saturation further documents outside no longer change the value.
    saturation = problem.measure.saturation(problem.judged.max_depth, float(problem.class_gain[-1]))
    outside = min(problem.outside, saturation)
    if math.isinf(outside):
        low = np.full(len(high), problem.measure.bounds[0])
        return Interval(low, high, exact & problem.measure.vanishes)
    attained, low = (-values for values in _maximize(_SearchDirection(problem, False, int(outside), relaxed), work))
    return Interval(np.minimum(low, high), high, exact & (attained - low <= ROUNDING))


def _maximize(direction: _SearchDirection, work: int) -> tuple[Floats, Floats]:
    """Return for each ranking the largest signed value attained, and an upper bound of all signed values."""
    problem = direction.problem
    num_ungraded, max_class = problem.num_ungraded, problem.max_class
    rankings = np.arange(len(num_ungraded))
    zero = np.zeros((len(num_ungraded), max_class), dtype=np.int64)
    attained = direction.evaluate(rankings, zero)
    if not max_class:
        return attained, attained
    # Without relevant documents the value is 0 by convention, which no bound for other recall bases covers. If the
    # topic may have none, the boxes start at one relevant document; the profile 0 was evaluated above.
    lower = zero.copy()
    base = problem.known_relevant + direction.outside * (not direction.best_first)
    lower[:, 0] = (base == 0) & (num_ungraded > 0)
    upper = np.repeat(num_ungraded[:, None], max_class, axis=1)
    searched = num_ungraded > 0
    boxes = (rankings[searched], lower[searched], upper[searched])
    work_left = work / np.maximum(problem.judged.length, 1)
    certain = np.full(len(num_ungraded), -np.inf)
    while len(boxes[0]):
        boxes, attained, certain = _run_round(direction, boxes, attained, certain, work_left)
    return attained, np.maximum(attained, certain)


_Boxes = tuple[Ints, Ints, Ints]
"""Ranking, lower corner and upper corner of each box."""


def _run_round(
    direction: _SearchDirection, boxes: _Boxes, attained: Floats, certain: Floats, work_left: Floats
) -> tuple[_Boxes, Floats, Floats]:
    """Drop boxes that contain no larger value, give up where no work is left, and halve the others."""
    ranking, low, high = boxes
    np.maximum.at(attained, ranking, direction.evaluate(ranking, high))
    np.maximum.at(attained, ranking, direction.evaluate(ranking, low))
    bound = direction.bound(ranking, low, high)
    np.subtract.at(work_left, ranking, 3.0)
    single = (low == high).all(axis=1) if not direction.relaxed else (low[:, 0] == high[:, 0])
    if direction.relaxed:
        # A single number of relevant documents still covers many completions, so only its bound is certain.
        np.maximum.at(certain, ranking[single], bound[single])
    promising = ~single & (bound > attained[ranking] + ROUNDING)
    exhausted = promising & (work_left[ranking] <= 0)
    np.maximum.at(certain, ranking[exhausted], bound[exhausted])
    return _halve(ranking, low, high, promising & ~exhausted, direction.relaxed), attained, certain


def _halve(ranking: Ints, low: Ints, high: Ints, chosen: Bools, relaxed: bool) -> _Boxes:
    """Split each chosen box in two across its longest side (the number of relevant documents if *relaxed*)."""
    ranking, low, high = ranking[chosen], low[chosen], high[chosen]
    if not len(ranking):
        return ranking, low, high
    side = np.zeros(len(ranking), dtype=np.int64) if relaxed else np.argmax(high - low, axis=1)
    rows = np.arange(len(ranking))
    middle = (low[rows, side] + high[rows, side]) // 2
    lower_half_high, upper_half_low = high.copy(), low.copy()
    lower_half_high[rows, side] = middle
    upper_half_low[rows, side] = middle + 1
    return _shrink(
        np.concatenate([ranking, ranking]),
        np.concatenate([low, upper_half_low]),
        np.concatenate([lower_half_high, high]),
    )


def _shrink(ranking: Ints, low: Ints, high: Ints) -> _Boxes:
    """Shrink boxes to the non-increasing vectors, the only profiles; drop boxes without any."""
    low = np.maximum.accumulate(low[:, ::-1], axis=1)[:, ::-1]
    high = np.minimum.accumulate(high, axis=1)
    nonempty = (low <= high).all(axis=1)
    return ranking[nonempty], low[nonempty], high[nonempty]
