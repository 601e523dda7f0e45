"""Branch and bound over completions, for measures with a recall base.

Such a measure obeys the swap axiom. Among all completions with the same profile (see ``problem``), the value is
therefore largest if the better documents come first, and smallest if they come last. So it suffices to search profiles.
The measure also obeys the replacement axiom for a fixed recall base, and further relevant documents that only enter the
recall base never raise the value. A box of profiles has a lower and an upper corner. The value in a box is at most the
value of the upper corner with the recall base of the lower corner. It is at least the value of the lower corner with
the recall base of the upper corner.

Boxes that cannot contain the extreme are dropped, and the remaining boxes are halved. The search ends when only single
profiles are left, or when the allowed work is used up. In the second case the interval is an outer bound.

Q with several relevant grades does not obey the swap axiom. For such a Q, boxes are ranges of the number of relevant
documents, and the grades of these documents are relaxed (see ``_SearchDirection``). The interval is an outer bound.
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
"""Maximum number of documents scored if no search can give more than an outer bound."""
_CELLS = 10_000_000  # maximum number of entries of the boxes of rankings that are searched together


@dataclass(frozen=True)
class _SearchDirection:
    """The search for the upper bound (*best_first*) or the lower bound, as a maximization of signed values.

    If *relaxed*, only the number of relevant documents is known, and swapping different grades can raise or lower the
    value.

    For the upper bound, all relevant documents get the best class. A better grade never lowers Q. Moving a document of
    the best class up past a non-relevant document does not lower Q either, because each document in between loses at
    most what a document of the best class gains there. In the recall base, these documents have the lowest relevant
    class.

    For the lower bound, every relevant document of the ranking, graded or not, has the lowest relevant class, for which
    the swap axiom holds. In the recall base, these documents have the best class.
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
        lowest, highest = problem.measure.bounds
        return self.sign * np.clip(self._score(problem, ranking, profile, base_profile), lowest, highest)

    def _score(self, problem: Problem, ranking: Ints, profile: Ints, base_profile: Ints) -> Floats:
        completion = problem.build_completion(
            ranking, profile, base_profile, outside=self.outside, best_first=self.best_first
        )
        return problem.score(completion)

    @cached_property
    def _flattened(self) -> Problem:
        """The problem with every relevant document in the lowest relevant class and with unchanged recall bases."""
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
    """Yield batches of rankings whose boxes together fit into memory, even if no box can be dropped."""
    max_boxes = np.ceil(work / np.maximum(problem.judged.length, 1))
    for count in np.unique(problem.num_ungraded).tolist():
        profiles = min(math.comb(count + problem.max_class, problem.max_class), work)
        rows = problem.num_ungraded == count
        max_boxes[rows] = np.minimum(max_boxes[rows], 2 * profiles)
    batch = np.cumsum(max_boxes * (problem.max_class + 1)) // _CELLS
    for index in np.unique(batch).tolist() or [0]:
        yield np.flatnonzero(batch == index)


def _bound_batch(problem: Problem, work: int) -> Interval:
    """Bound the rankings of one batch; a search that runs out of work gives an outer bound."""
    relaxed = problem.max_class > 1 and not problem.measure.swap
    work = min(work, RELAXED_WORK) if relaxed else work
    attained, high = _maximize(_SearchDirection(problem, True, 0, relaxed), work)
    exact = high - attained <= ROUNDING
    # Above the saturation, further documents outside the ranking do not change the value.
    saturation = problem.measure.saturation(problem.judged.max_depth, float(problem.class_gain[-1]))
    outside = min(problem.outside, saturation)
    if math.isinf(outside):
        low = np.full(len(high), problem.measure.bounds[0])
        return Interval(low, high, exact & problem.measure.vanishes)
    attained, low = (-values for values in _maximize(_SearchDirection(problem, False, int(outside), relaxed), work))
    return Interval(np.minimum(low, high), high, exact & (attained - low <= ROUNDING))


def _maximize(direction: _SearchDirection, work: int) -> tuple[Floats, Floats]:
    """Return, for each ranking, the largest signed value attained and an upper bound of all signed values."""
    problem = direction.problem
    num_ungraded, max_class = problem.num_ungraded, problem.max_class
    rankings = np.arange(len(num_ungraded))
    zero = np.zeros((len(num_ungraded), max_class), dtype=np.int64)
    attained = direction.evaluate(rankings, zero)
    if not max_class:
        return attained, attained
    # Without relevant documents the value is 0 by convention, and no bound for other recall bases covers this value. If
    # the topic may have no relevant documents, the boxes start at one relevant document, because the profile 0 has
    # already been evaluated.
    lower = zero.copy()
    base = problem.known_relevant + direction.outside * (not direction.best_first)
    lower[:, 0] = (base == 0) & (num_ungraded > 0)
    upper = np.repeat(num_ungraded[:, None], max_class, axis=1)
    has_ungraded = num_ungraded > 0
    boxes = (rankings[has_ungraded], lower[has_ungraded], upper[has_ungraded])
    work_left = work / np.maximum(problem.judged.length, 1)
    # The largest bound of a box that was not searched further.
    final_bound = np.full(len(num_ungraded), -np.inf)
    while len(boxes[0]):
        boxes, attained, final_bound = _run_round(direction, boxes, attained, final_bound, work_left)
    return attained, np.maximum(attained, final_bound)


_Boxes = tuple[Ints, Ints, Ints]
"""Ranking, lower corner and upper corner of each box."""


def _run_round(
    direction: _SearchDirection, boxes: _Boxes, attained: Floats, final_bound: Floats, work_left: Floats
) -> tuple[_Boxes, Floats, Floats]:
    """Drop boxes that contain no larger value, give up on boxes if no work is left, and halve the remaining boxes."""
    ranking, low, high = boxes
    np.maximum.at(attained, ranking, direction.evaluate(ranking, high))
    np.maximum.at(attained, ranking, direction.evaluate(ranking, low))
    bound = direction.bound(ranking, low, high)
    np.subtract.at(work_left, ranking, 3.0)
    is_single = (low == high).all(axis=1) if not direction.relaxed else (low[:, 0] == high[:, 0])
    if direction.relaxed:
        # A single number of relevant documents still covers many completions, so only its bound is known.
        np.maximum.at(final_bound, ranking[is_single], bound[is_single])
    is_promising = ~is_single & (bound > attained[ranking] + ROUNDING)
    is_given_up = is_promising & (work_left[ranking] <= 0)
    np.maximum.at(final_bound, ranking[is_given_up], bound[is_given_up])
    return _halve(ranking, low, high, is_promising & ~is_given_up, direction.relaxed), attained, final_bound


def _halve(ranking: Ints, low: Ints, high: Ints, chosen: Bools, relaxed: bool) -> _Boxes:
    """Split each chosen box into halves along its longest side (the number of relevant documents if *relaxed*)."""
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
    """Shrink boxes around their profiles, which are the non-increasing vectors; drop boxes without profiles."""
    low = np.maximum.accumulate(low[:, ::-1], axis=1)[:, ::-1]
    high = np.minimum.accumulate(high, axis=1)
    nonempty = (low <= high).all(axis=1)
    return ranking[nonempty], low[nonempty], high[nonempty]
