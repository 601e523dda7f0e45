"""Bounds of other measures: score every completion that can matter if they are few, else give outer bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, cast

import numpy as np

from assay.measures._possible_grades import gains_of
from assay.model.arrays import Floats, Ints
from assay.uncertainty.completions.problem import Completion, Interval, Problem

if TYPE_CHECKING:
    from assay.measures.goal_sensitive import BPM

WORK = 1_000_000
"""How many documents may be scored for each ranking."""


def searched(problem: Problem, work: int = WORK) -> Interval:
    """Score all completions that can matter, if they are few; elsewhere return the bounds of the measure.

    If the measure obeys the swap and replacement axioms, those with the better documents first or last matter; in
    general all. The number of relevant documents outside is gone through as well, if it is bounded and they are all of
    one class; measures without a recall base do not know them.
    """
    return _search(problem, *outer(problem), work)


def bejeweled(problem: Problem, work: int = WORK) -> Interval:
    """Bound BPM: as above, but elsewhere by the ranks at which its user can stop."""
    return _search(problem, *_bpm(problem), work)


def _search(problem: Problem, low: Floats, high: Floats, work: int) -> Interval:
    if not (problem.measure.uses_recall_base or problem.measure.opaque):
        problem = replace(problem, outside=0)
    free, length = problem.free, np.maximum(problem.judged.length, 1)
    ordered = bool(problem.measure.swap and problem.measure.replacement) or not problem.measure.order_matters
    exact = np.zeros(len(free), dtype=bool)
    if math.isinf(problem.outside) or (problem.outside and problem.classes > 1):
        return Interval(low, high, exact)
    work_of_one = length + int(problem.outside)  # a measure may write down the ideal ranking
    more = int(problem.outside) + 1
    for count in np.unique(free).tolist():
        number = math.comb(count + problem.classes, count) if ordered else (problem.classes + 1) ** count
        rows = np.flatnonzero((free == count) & (min(number, work + 1) <= work // (more * work_of_one)))
        for row in rows.tolist():
            low[row], high[row] = _all_of(problem, row, ordered)
            exact[row] = True
    return Interval(low, high, exact)


def _all_of(problem: Problem, row: int, ordered: bool) -> tuple[float, float]:
    documents, more = int(problem.free[row]), int(problem.outside) + 1
    labels = _vectors(documents, problem.classes) if ordered else _assignments(documents, problem.classes + 1)
    outside = np.tile(np.arange(more), len(labels))
    labels = np.repeat(labels, more, axis=0)
    if ordered:
        every = np.full(len(labels), row)
        ends = (Completion(every, labels, labels, outside, best_first) for best_first in (True, False))
        found = np.concatenate([problem.scores(end) for end in ends])
    else:
        found = problem.labelled(row, labels, outside)
    numbers = found[~np.isnan(found)]
    return (float(numbers.min()), float(numbers.max())) if len(numbers) else (math.nan, math.nan)


def _vectors(documents: int, classes: int) -> Ints:
    """Every vector of *classes* numbers up to *documents* that does not ascend."""
    every = _rows(combinations_with_replacement(range(classes + 1), documents), documents)
    return np.asarray((every[:, None] > np.arange(classes)[:, None]).sum(axis=2), dtype=np.int64)


def _assignments(documents: int, classes: int) -> Ints:
    """Every way to put documents into classes."""
    return _rows(product(range(classes), repeat=documents), documents)


def _rows(tuples: Iterable[tuple[int, ...]], width: int) -> Ints:
    every = list(tuples)
    return np.array(every, dtype=np.int64).reshape(len(every), width)


def outer(problem: Problem) -> tuple[Floats, Floats]:
    """Return an interval that certainly contains all values."""
    least, most = (-np.inf, np.inf) if problem.measure.opaque else problem.measure.bounds
    return np.full(len(problem.judged), least), np.full(len(problem.judged), most)


def _bpm(problem: Problem) -> tuple[Floats, Floats]:
    """Return an interval that contains all values of BPM.

    A user who stops at rank s < k has enough gain there, but not one rank above; at rank k anything is possible. So the
    gain at s is at least T and below T plus the largest gain, and within what the documents allow.
    """
    measure = cast("BPM", problem.measure)
    every = np.arange(len(problem.judged))
    depth = min(measure.cutoff, problem.judged.longest + 1)  # the ranks behind the end are all alike, but for the last
    least, most = (_cumulated(problem, end, depth) for end in (problem.lowest(every), problem.highest(every)))
    rank = np.append(np.arange(1, depth), measure.cutoff)
    last = rank == measure.cutoff
    before = np.hstack([np.zeros((len(every), 1)), least[:, :-1]])
    possible = (before < measure.T) & ((most >= measure.T) | last)
    high = np.where(possible, np.minimum(most, measure.T + problem.worth[-1]), -np.inf) / rank
    low = np.where(possible, np.where(last, least, np.maximum(least, measure.T)), np.inf) / rank
    return low.min(axis=1), high.max(axis=1)


def _cumulated(problem: Problem, end: Completion, depth: int) -> Floats:
    """The gain down to each rank of completed rankings, nothing being gained behind their end."""
    judged = problem.completed(end)
    table = np.concatenate([[0.0], gains_of(problem.measure, judged.levels, judged.levels)[1]])
    gain = np.zeros((len(judged), depth))
    rank = judged.rank()
    inside = rank <= depth
    gain[judged.ranking()[inside], rank[inside] - 1] = table[judged.code[inside]]
    return np.cumsum(gain, axis=1)
