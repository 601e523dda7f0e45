"""Completions of the judgments: the values that a measure can have once unjudged documents get grades."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.errors import MeasureError
from assay.measures import Measure
from assay.model.judged import Judged
from assay.uncertainty.completions import boxes, counted, ends, search, sums
from assay.uncertainty.completions.problem import Interval, Problem

Solver = Callable[[Problem, bool], Interval]


def completed(measure: Measure, judged: Judged, *, outside: float = 0, tail: bool = True) -> Interval:
    """Return the smallest and the largest value of each ranking over all completions of the judgments.

    *outside* is the number of further relevant documents that may exist outside the ranking; *tail* says whether users
    who never stop may find something beyond its end.
    """
    if measure.bounds_strategy == "inner" and measure.inner is not None:
        return completed(measure.inner, judged, outside=outside, tail=tail)
    return _choose_solver(measure)(Problem.of(measure, judged, outside), tail)


def _choose_solver(measure: Measure) -> Solver:
    """Return the algorithm that the measure names, or one that its axioms allow."""
    if measure.bounds_strategy is not None:
        if measure.bounds_strategy not in STRATEGIES:
            raise MeasureError(
                f"measure '{measure}': there is no bounds_strategy {measure.bounds_strategy!r}; "
                f"choose one of {', '.join(STRATEGIES)}, or None"
            )
        return STRATEGIES[measure.bounds_strategy]
    if measure.replacement and not measure.uses_recall_base:
        return ends.monotone
    if measure.replacement and measure.dilutes and measure.swap:
        return STRATEGIES["branch-and-bound"]
    return _without_tail(search.searched)


def _without_tail(solve: Callable[[Problem], Interval]) -> Solver:
    return lambda problem, tail: solve(problem)


def _branch_and_bound(problem: Problem) -> Interval:
    """Branch and bound; where it is not exact and completions are few, score all of them."""
    found = boxes.branch_and_bound(problem)
    rows = np.flatnonzero(~found.exact)
    if not len(rows):
        return found
    every = search.searched(replace(problem, judged=problem.judged.only(rows)))
    for old, new in zip(found, every, strict=True):
        old[rows[every.exact]] = new[every.exact]
    return found


STRATEGIES: dict[str, Solver] = {
    "accuracy": _without_tail(counted.accuracy),
    "bejeweled": _without_tail(search.bejeweled),
    "bpref": _without_tail(counted.bpref),
    "branch-and-bound": _without_tail(_branch_and_bound),
    "conditional-persistence": ends.conditional_persistence,
    "counts": _without_tail(ends.placeless),
    "inst": ends.inst,
    "normalised": _without_tail(sums.normalised),
    "precision-sums": _without_tail(counted.precision_sums),
    "recall-base": _without_tail(counted.at_the_recall_base),
    "satisfied-user": ends.satisfied_user,
    "topic-scaled": ends.scaled_by_the_best,
}
"""Algorithms by the name that measures declare as ``bounds_strategy``; a wrapper declares ``inner``."""
