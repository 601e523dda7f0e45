"""Measures whose extremes are at the ends: every unsettled document worth as little, or as much, as can be."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from assay.analyses.grades import gains_of
from assay.analyses.uncertainty.completions.problem import Completion, Interval, Problem
from assay.measures._nearly import Nearly
from assay.measures.insq import INSQ
from assay.measures.inst import INST
from assay.measures.rbp import RBP
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged
from assay.model.scan import before, running

_NEGLIGIBLE = 1e-17
_LONGEST_TAIL = 5000


def monotone(problem: Problem, tail: bool) -> Interval:
    """Measures without recall base that no better document lowers (the replacement axiom): exact.

    From any completion the lowest one is reached by replacements for the worse and the highest one by replacements
    for the better, document by document; so no completion lies outside. Where users go on for ever, what would stand
    behind the end of the ranking is unknown as well: nothing there at the low end, only the best at the high end.
    """
    every = np.arange(len(problem.judged))
    low = problem.scores(problem.lowest(every))
    if not tail:
        return _exact(low, problem.scores(problem.highest(every)))
    measure = problem.measure
    if isinstance(measure, RBP) and measure.p is not None:
        return _exact(
            low, problem.scores(problem.highest(every)) + problem.worth[-1] * _geometric_tail(problem, measure)
        )
    if isinstance(measure, INSQ):
        return _exact(low, problem.scores(problem.highest(every)) + problem.worth[-1] * _insq_tail(problem, measure))
    if isinstance(measure, INST):
        return _inst(problem, measure, low)
    steps = tail_length(problem)
    if math.isinf(steps):  # nearly everybody gets there: the most that any ranking can be worth
        return Interval(low, np.full(len(every), measure.bounds[1]), np.zeros(len(every), dtype=bool))
    longer = replace(problem, judged=_extended(problem.judged, int(steps)))
    return _exact(low, longer.scores(longer.highest(every)))


def _exact(low: Floats, high: Floats) -> Interval:
    return Interval(low, np.maximum(low, high), np.ones(len(low), dtype=bool))


def _geometric_tail(problem: Problem, measure: RBP) -> Floats:
    p = float(measure.p or 0)
    length = problem.judged.length
    if measure.cutoff is None:
        return np.power(p, length)
    seen = np.minimum(length, measure.cutoff)
    return np.asarray(np.power(p, seen) - np.power(p, float(measure.cutoff)))


def _insq_tail(problem: Problem, measure: INSQ) -> Floats:
    from scipy.special import polygamma

    start = 2 * float(measure.T)
    return np.asarray(polygamma(1, start + problem.judged.length) / polygamma(1, start))


def _inst(problem: Problem, measure: INST, low: Floats) -> Interval:
    """INST with the best documents behind the end: exact if they are worth 1, for then C(j) no longer changes there.

    Otherwise the looks behind the end are fewer than if nothing were found there, and the mean of the gains rises with
    them: an outer bound.
    """
    from scipy.special import zeta

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
    """RBPnorm, whose gains are shares of the largest grade of the topic: exact.

    If the largest grade is known, the best labels are all of that grade. The worst are all nothing, but for one
    document of a larger grade at the last rank, or outside, or behind the end, which makes all others worth less.
    """
    every = np.arange(len(problem.judged))
    measure = problem.measure
    p = float(getattr(measure, "p", 0))
    cut = getattr(measure, "cutoff", None)
    seen = np.minimum(problem.judged.length, np.inf if cut is None else cut)
    beyond = (np.power(p, seen) - (0.0 if cut is None else p**cut)) * tail
    lows, highs = [problem.scores(problem.lowest(every))], []
    largest = np.where(problem.settled > 0, problem.judged.levels, 1.0).max(axis=1, initial=1.0)
    for number, worth in enumerate(problem.worth.tolist()):
        labels = np.where(np.arange(problem.classes) < number, problem.free[:, None], 0)
        top = np.maximum(largest, worth)
        highs.append(problem.scores(problem.sorted(every, labels)) + beyond * worth / top)
        lows.append(problem.scores(problem.sorted(every, np.minimum(labels, 1), best_first=False)))
    if problem.outside or tail:
        lows.append(problem.scores(problem.sorted(every, np.zeros_like(labels), outside=1)))
    return _exact(np.min(lows, axis=0), np.max(highs, axis=0))


def tail_length(problem: Problem) -> float:
    """How many of the best documents behind the end leave nothing worth counting; 0 if the measure has no tail."""
    measure, best = problem.measure, float(problem.worth[-1])
    if getattr(measure, "cutoff", None) is not None:
        return 0
    if isinstance(measure, RBP):
        going_on = float(measure.p1 or 0)
    elif isinstance(measure, Nearly):
        going_on = (1 - best) * float(getattr(measure, "p", 1))
    else:
        return 0
    steps = 1 if going_on <= 0 else math.log(_NEGLIGIBLE) / math.log(going_on) if going_on < 1 else math.inf
    return math.ceil(steps) if steps <= _LONGEST_TAIL else math.inf


def _extended(judged: Judged, steps: int) -> Judged:
    """The rankings with unjudged documents behind their end."""
    length = judged.length
    start = np.concatenate([[0], np.cumsum(length + steps)])
    code = np.zeros(start[-1], dtype=judged.code.dtype)
    code[np.arange(len(judged.code)) + np.repeat(np.arange(len(length)) * steps, length)] = judged.code
    return replace(judged, code=code, start=start, depth=None, _cache={})


def placeless(problem: Problem) -> Interval:
    """Counts, and measures that are linear in them: exact.

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
