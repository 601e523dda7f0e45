"""Bounds of measures that are extreme where unsettled documents are all worth as little, or as much, as possible."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from assay.measures._possible_grades import gains_of
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged
from assay.model.segmented_scan import before, running
from assay.uncertainty.completions.problem import Completion, Interval, Problem

if TYPE_CHECKING:
    from assay.measures.goal_sensitive import INST
    from assay.measures.rank_biased import RBP

_NEGLIGIBLE = 1e-17
_LONGEST_TAIL = 5000


def monotone(problem: Problem, tail: bool) -> Interval:
    """Bound measures without a recall base that no better document lowers (the replacement axiom): exact.

    From any completion the lowest one is reached by replacements for the worse and the highest one by replacements
    for the better, document by document; so no completion lies outside. Where users never stop, what follows the end of
    the ranking is unknown as well: nothing there at the low end, only the best at the high end.
    """
    low, high = _score_ends(problem)
    best = float(problem.worth[-1])
    if not tail or best <= 0:
        return _exact(low, high)
    beyond = problem.measure.tail_weight(problem.judged.length)
    high = high if beyond is None else high + best * beyond
    return _exact(low, np.minimum(high, problem.measure.bounds[1]))


def satisfied_user(problem: Problem, tail: bool) -> Interval:
    """Bound NERR10 and NERR11: beyond the end stand as many of the best documents as leave no user to continue."""
    if not tail or problem.worth[-1] <= 0:
        return monotone(problem, tail)
    low, _ = _score_ends(problem)
    continuation = (1 - float(problem.worth[-1])) * float(getattr(problem.measure, "p", 1.0))
    steps = math.log(_NEGLIGIBLE) / math.log(continuation) if continuation > 0 else 1.0
    if steps > _LONGEST_TAIL:  # nearly every user gets there: the largest value that any ranking can have
        return Interval(low, np.full(len(low), problem.measure.bounds[1]), np.zeros(len(low), dtype=bool))
    longer = replace(problem, judged=_extended(problem.judged, math.ceil(steps)))
    return _exact(low, longer.scores(longer.highest(np.arange(len(low)))))


def _score_ends(problem: Problem) -> tuple[Floats, Floats]:
    """Return the values with every unsettled document worth as little, and as much, as possible."""
    every = np.arange(len(problem.judged))
    return problem.scores(problem.lowest(every)), problem.scores(problem.highest(every))


def _exact(low: Floats, high: Floats) -> Interval:
    return Interval(low, np.maximum(low, high), np.ones(len(low), dtype=bool))


def conditional_persistence(problem: Problem, tail: bool) -> Interval:
    """Bound RBP with p1 and p2, with only relevant documents beyond the end."""
    if not tail or problem.worth[-1] <= 0:
        return monotone(problem, tail)
    low, high = _score_ends(problem)
    return _exact(low, np.minimum(_add_relevant_tail(problem, high), problem.measure.bounds[1]))


def _add_relevant_tail(problem: Problem, high: Floats) -> Floats:
    """Return the values with relevant documents beyond the end.

    With r views of relevant documents the value is r (1 - p2) / (1 + r (p1 - p2)); so r follows from the value of the
    ranking, and the views beyond its end are added, each p1 times as many as the one before.
    """
    measure = cast("RBP", problem.measure)
    p1, p2 = float(measure.p1 or 0), float(measure.p2 or 0)
    if p2 == 1:  # RR if p1 is 0, else nothing is worth anything
        longer = replace(problem, judged=_extended(problem.judged, 1))
        return longer.scores(longer.highest(np.arange(len(high))))
    judged = problem.completed(problem.highest(np.arange(len(problem.judged))))
    cut = math.inf if measure.cutoff is None else float(measure.cutoff)
    rows = measure.rows_to_depth(judged)
    found = judged.total(rows.ranking, rows.gain)
    seen = np.minimum(judged.length, cut)
    first = np.power(p1, found) * np.power(p2, seen - found)
    left = np.where(first > 0, cut - seen, 0.0)
    looks = first * (left if p1 == 1 else (1 - np.power(p1, left)) / (1 - p1))
    relevant = high / (1 - p2 - high * (p1 - p2)) + looks
    with np.errstate(divide="ignore"):
        return np.asarray((1 - p2) / (1 / relevant + p1 - p2))


def inst(problem: Problem, tail: bool) -> Interval:
    """Bound INST with the best documents beyond the end: exact if they are worth 1, since C(j) is constant there.

    Otherwise there are fewer views beyond the end than if nothing were found there, and the mean of the gains rises
    with them: an outer bound.
    """
    if not tail or problem.worth[-1] <= 0:
        return monotone(problem, tail)
    from scipy.special import zeta

    measure, (low, _) = cast("INST", problem.measure), _score_ends(problem)
    judged = problem.completed(problem.highest(np.arange(len(problem.judged))))
    ranking, rank = judged.ranking(), judged.rank().astype(np.float64)
    gain = np.concatenate([[0.0], gains_of(measure, judged.levels, judged.levels)[1]])[judged.code]
    wanted = rank + 2.0 * measure.T - running(np.add, ranking, gain)
    reached = running(np.multiply, ranking, ((wanted - 1) / wanted) ** 2)
    looks = before(ranking, reached, 1.0)
    left, end = np.full(len(judged), 2.0 * measure.T), np.ones(len(judged))
    some = judged.length > 0
    left[some], end[some] = wanted[judged.start[1:][some] - 1], reached[judged.start[1:][some] - 1]
    best = float(problem.worth[-1])
    behind = end / (1 - ((left - 1) / left) ** 2) if best == 1 else end * left**2 * zeta(2, left)
    total, length = judged.total(ranking, gain * looks), judged.total(ranking, looks)
    high = (total + best * behind) / (length + behind)
    return Interval(low, np.maximum(low, high), np.full(len(low), best == 1))


def scaled_by_the_best(problem: Problem, tail: bool) -> Interval:
    """Bound RBPnorm, whose gains are shares of the largest grade of the topic: exact.

    If the largest grade is known, the best labels are all of that grade. The worst are all nothing, but for one
    document of a larger grade, which makes all others worth less: outside, or else the last one that is not settled, or
    behind the end, as far down as the cutoff lets it count.
    """
    every = np.arange(len(problem.judged))
    measure, best = problem.measure, float(problem.worth[-1])
    p = float(getattr(measure, "p", 0))
    cut = getattr(measure, "cutoff", None)
    seen = np.minimum(problem.judged.length, np.inf if cut is None else cut)
    beyond = (np.power(p, seen) - (0.0 if cut is None else p**cut)) * tail
    lows, highs = [problem.scores(problem.lowest(every))], []
    largest = np.where(problem.settled > 0, problem.judged.levels, 1.0).max(axis=1, initial=1.0)
    for number, worth in enumerate(problem.worth.tolist()):
        labels = np.where(np.arange(problem.classes) < number, problem.free[:, None], 0)
        top = np.maximum(largest, worth)
        # What is settled is worth less if the larger grade stands behind the end only.
        share = np.where((problem.free == 0) & (beyond > 0), largest / top, 1.0)
        highs.append(problem.scores(problem.sorted(every, labels)) * share + beyond * worth / top)
        lows.append(problem.scores(problem.sorted(every, np.minimum(labels, 1), best_first=False)))
    if problem.outside or tail:
        least = problem.scores(problem.sorted(every, np.zeros_like(labels), outside=1))
        if not problem.outside and cut is not None:
            least += np.where(seen < cut, (1 - p) * p ** (cut - 1) * best / np.maximum(largest, best), np.inf)
        lows.append(least)
    return _exact(np.min(lows, axis=0), np.minimum(np.max(highs, axis=0), measure.bounds[1]))


def _extended(judged: Judged, steps: int) -> Judged:
    """Append unjudged documents to the rankings."""
    length = judged.length
    start = np.concatenate([[0], np.cumsum(length + steps)])
    code = np.zeros(start[-1], dtype=judged.code.dtype)
    code[np.arange(len(judged.code)) + np.repeat(np.arange(len(length)) * steps, length)] = judged.code
    return replace(judged, code=code, start=start, depth=None)


def placeless(problem: Problem) -> Interval:
    """Bound counts, and measures that are linear in them: exact.

    What they say does not depend on where a document stands, and each document changes it in one and the same
    direction, so the extremes are among the ends.
    """
    every = np.arange(len(problem.judged))
    ends = [problem.lowest(every), problem.highest(every)]
    if not problem.outside:
        return _among([problem.scores(end) for end in ends])
    far = int(getattr(problem.measure, "cutoff", None) or 1) if math.isinf(problem.outside) else int(problem.outside)
    there = [problem.scores(_with_outside(end, far)) for end in ends]
    if not math.isinf(problem.outside):
        return _among([*(problem.scores(end) for end in ends), *there])
    beyond = [problem.scores(_with_outside(end, far + 1)) for end in ends]
    limits = [np.where(b > t, np.inf, np.where(b < t, -np.inf, t)) for t, b in zip(there, beyond, strict=True)]
    return _among([*(problem.scores(end) for end in ends), *limits])


def _with_outside(completion: Completion, outside: int) -> Completion:
    more: Ints = np.full(len(completion.ranking), outside, dtype=np.int64)
    return completion._replace(outside=more)


def _among(found: list[Floats]) -> Interval:
    return _exact(np.min(found, axis=0), np.max(found, axis=0))
