"""Bounds by scoring all completions that can be extreme, if there are few; otherwise outer bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, cast

import numpy as np

from assay.measures._possible_grades import tabulate_gains
from assay.model.arrays import Floats, Ints
from assay.uncertainty.completions.problem import Completion, Interval, Problem

if TYPE_CHECKING:
    from assay.measures.goal_sensitive import BPM

WORK = 1_000_000
"""Maximum number of documents scored for each ranking."""


def bound_exhaustively(problem: Problem, work: int = WORK) -> Interval:
    """Score all completions that can be extreme, if there are few; otherwise return the bounds of the measure.

    If the measure obeys the swap and replacement axioms, only completions with the better documents first or last can
    be extreme. Otherwise any completion can be extreme. All allowed numbers of relevant documents outside the ranking
    are tried as well, if their maximum is finite and all relevant documents have the same gain. Measures without a
    recall base do not depend on documents outside the ranking.
    """
    return _search(problem, *_range_of_measure(problem), work)


def bound_bpm(problem: Problem, work: int = WORK) -> Interval:
    """Bound BPM like :func:`bound_exhaustively`; outer bounds follow from the ranks at which its user can stop."""
    return _search(problem, *_bound_by_stopping_rank(problem), work)


def _search(problem: Problem, low: Floats, high: Floats, work: int) -> Interval:
    """Replace the outer bounds *low* and *high* by exact bounds for rankings with few completions."""
    if not (problem.measure.uses_recall_base or problem.measure.opaque):
        problem = replace(problem, outside=0)
    num_ungraded, length = problem.num_ungraded, np.maximum(problem.judged.length, 1)
    is_sorted = bool(problem.measure.swap and problem.measure.replacement) or not problem.measure.order_matters
    exact = np.zeros(len(num_ungraded), dtype=bool)
    if math.isinf(problem.outside) or (problem.outside and problem.max_class > 1):
        return Interval(low, high, exact)
    # Some measures build the ideal ranking, which also contains the documents outside the ranking.
    work_per_completion = length + int(problem.outside)
    outside_choices = int(problem.outside) + 1
    for count in np.unique(num_ungraded).tolist():
        completions = math.comb(count + problem.max_class, count) if is_sorted else (problem.max_class + 1) ** count
        is_affordable = min(completions, work + 1) <= work // (outside_choices * work_per_completion)
        for row in np.flatnonzero((num_ungraded == count) & is_affordable).tolist():
            low[row], high[row] = _score_all(problem, row, is_sorted)
            exact[row] = True
    return Interval(low, high, exact)


def _score_all(problem: Problem, row: int, is_sorted: bool) -> tuple[float, float]:
    """Return the smallest and the largest value of one ranking over all (sorted) completions."""
    document_count, outside_choices = int(problem.num_ungraded[row]), int(problem.outside) + 1
    if is_sorted:
        choices = _list_profiles(document_count, problem.max_class)
    else:
        choices = list_assignments(document_count, problem.max_class + 1)
    outside = np.tile(np.arange(outside_choices), len(choices))
    choices = np.repeat(choices, outside_choices, axis=0)
    if is_sorted:
        ranking = np.full(len(choices), row)
        completions = (Completion(ranking, choices, choices, outside, best_first) for best_first in (True, False))
        values = np.concatenate([problem.score(completion) for completion in completions])
    else:
        values = problem.score_assignments(row, choices, outside)
    defined_values = values[~np.isnan(values)]
    return (float(defined_values.min()), float(defined_values.max())) if len(defined_values) else (math.nan, math.nan)


def _list_profiles(document_count: int, max_class: int) -> Ints:
    """Return all non-increasing vectors of *max_class* numbers from 0 to *document_count*, as rows."""
    classes = _to_matrix(combinations_with_replacement(range(max_class + 1), document_count), document_count)
    return np.asarray((classes[:, None] > np.arange(max_class)[:, None]).sum(axis=2), dtype=np.int64)


def list_assignments(document_count: int, class_count: int) -> Ints:
    """Return all assignments of documents to classes, as rows."""
    return _to_matrix(product(range(class_count), repeat=document_count), document_count)


def _to_matrix(tuples: Iterable[tuple[int, ...]], width: int) -> Ints:
    rows = list(tuples)
    return np.array(rows, dtype=np.int64).reshape(len(rows), width)


def _range_of_measure(problem: Problem) -> tuple[Floats, Floats]:
    """Return the smallest and the largest value of the measure, for each ranking."""
    lowest, highest = (-np.inf, np.inf) if problem.measure.opaque else problem.measure.bounds
    return np.full(len(problem.judged), lowest), np.full(len(problem.judged), highest)


def _bound_by_stopping_rank(problem: Problem) -> tuple[Floats, Floats]:
    """Return outer bounds of BPM.

    A user who stops at rank s < k has reached the target gain T at rank s, but not one rank earlier. So the total gain
    at rank s is at least T and below T plus the largest gain. At rank k every total gain is possible. The total gain
    also lies between the total gains of the lowest and of the highest completion.
    """
    measure = cast("BPM", problem.measure)
    rankings = np.arange(len(problem.judged))
    # After the end of a ranking the total gain is constant, so one rank represents all later ranks except rank k.
    depth = min(measure.cutoff, problem.judged.max_depth + 1)
    completions = problem.build_lowest(rankings), problem.build_highest(rankings)
    min_gain, max_gain = (_cumulate_gain(problem, completion, depth) for completion in completions)
    rank = np.append(np.arange(1, depth), measure.cutoff)
    is_last = rank == measure.cutoff
    min_gain_before = np.hstack([np.zeros((len(rankings), 1)), min_gain[:, :-1]])
    can_stop = (min_gain_before < measure.T) & ((max_gain >= measure.T) | is_last)
    high = np.where(can_stop, np.minimum(max_gain, measure.T + problem.class_gain[-1]), -np.inf) / rank
    low = np.where(can_stop, np.where(is_last, min_gain, np.maximum(min_gain, measure.T)), np.inf) / rank
    return low.min(axis=1), high.max(axis=1)


def _cumulate_gain(problem: Problem, completion: Completion, depth: int) -> Floats:
    """Return the cumulative gain of completed rankings at each rank; constant after the end of a ranking."""
    judged = problem.complete_rankings(completion)
    table = np.concatenate([[0.0], tabulate_gains(problem.measure, judged.levels, judged.levels)[1]])
    gain = np.zeros((len(judged), depth))
    rank = judged.rank()
    is_within_depth = rank <= depth
    gain[judged.ranking()[is_within_depth], rank[is_within_depth] - 1] = table[judged.code[is_within_depth]]
    return np.cumsum(gain, axis=1)
