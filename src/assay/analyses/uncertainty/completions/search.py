"""Measures of which less is known: every completion that can matter is scored if they are few, else the outermost."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from assay.analyses.grades import gains_of
from assay.analyses.uncertainty.completions.problem import Completion, Interval, Problem
from assay.measures.bpm import BPM
from assay.model.arrays import Floats, Ints

WORK = 1_000_000
"""How many documents may be scored for each ranking."""


def searched(problem: Problem, work: int = WORK) -> Interval:
    """Exact where all completions that can matter were scored; else between the bounds of the measure.

    If the measure obeys the swap and replacement axioms, those with the better documents first or last matter; in
    general all. The number of relevant documents outside is gone through as well, if it is bounded and they are all of
    one class.
    """
    free, length = problem.free, np.maximum(problem.judged.length, 1)
    ordered = bool(problem.measure.swap and problem.measure.replacement) or not problem.measure.order_matters
    low, high = outer(problem)
    exact = np.zeros(len(free), dtype=bool)
    if math.isinf(problem.outside) or (problem.outside and problem.classes > 1):
        return Interval(low, high, exact)
    more = int(problem.outside) + 1
    for count in np.unique(free).tolist():
        number = _sequences(count, problem.classes) if ordered else float(problem.classes + 1) ** count
        rows = np.flatnonzero((free == count) & (number * more * length <= work))
        for row in rows.tolist():
            low[row], high[row] = _all_of(problem, row, ordered)
            exact[row] = True
    return Interval(low, high, exact)


def _sequences(documents: int, classes: int) -> float:
    """How many vectors of numbers that do not ascend there are, one for each way to sort the documents."""
    return float(math.comb(documents + classes, classes))


def _all_of(problem: Problem, row: int, ordered: bool) -> tuple[float, float]:
    found = [
        _scores(problem, row, labels, outside, best_first)
        for labels in ([_vectors(int(problem.free[row]), problem.classes)] if ordered else [None])
        for outside in range(int(problem.outside) + 1)
        for best_first in ((True, False) if ordered else (True,))
    ]
    return float(min(each.min() for each in found)), float(max(each.max() for each in found))


def _vectors(documents: int, classes: int) -> Ints:
    """Every vector of *classes* numbers up to *documents* that does not ascend."""
    if not classes:
        return np.zeros((1, 0), dtype=np.int64)
    grid = np.indices((documents + 1,) * classes).reshape(classes, -1).T
    return np.asarray(grid[(np.diff(grid, axis=1) <= 0).all(axis=1)], dtype=np.int64)


def _scores(problem: Problem, row: int, labels: Ints | None, outside: int, best_first: bool) -> Floats:
    if labels is not None:
        every = np.full(len(labels), row)
        return problem.scores(Completion(every, labels, labels, np.full(len(every), outside), best_first))
    return problem.labelled(row, _assignments(int(problem.free[row]), problem.classes + 1), outside)


def _assignments(documents: int, classes: int) -> Ints:
    """Every way to put documents into classes."""
    every = list(product(range(classes), repeat=documents))
    return np.array(every, dtype=np.int64).reshape(len(every), documents)


def outer(problem: Problem) -> tuple[Floats, Floats]:
    """An interval that certainly holds all values."""
    if isinstance(problem.measure, BPM):
        return _bpm(problem, problem.measure)
    least, most = problem.measure.bounds
    return np.full(len(problem.judged), least), np.full(len(problem.judged), most)


def _bpm(problem: Problem, measure: BPM) -> tuple[Floats, Floats]:
    """Who stops at rank s < k has enough gain there, but not one rank above; at rank k anything is possible.

    So the gain at s is at least T and below T plus the largest gain, and within what the documents allow.
    """
    every = np.arange(len(problem.judged))
    least, most = (_cumulated(problem, end, measure.cutoff) for end in (problem.lowest(every), problem.highest(every)))
    rank = np.arange(1, measure.cutoff + 1)
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
