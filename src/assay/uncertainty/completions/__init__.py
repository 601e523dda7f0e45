"""Completions of the judgments: the values that a measure can have if ungraded documents get grades."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.errors import MeasureError
from assay.measures import Measure
from assay.model.judged import Judged
from assay.uncertainty.completions import branch_and_bound, exhaustive, extremes, normalised_gain, relevant_counts
from assay.uncertainty.completions.problem import Interval, Problem

Solver = Callable[[Problem, bool], Interval]


def bound_values(measure: Measure, judged: Judged, *, outside: float = 0, tail: bool = True) -> Interval:
    """Return the lower and upper bound of each ranking's value over all completions of the judgments.

    *outside* is the maximum number of further relevant documents outside the ranking. With *tail*, users who never stop
    may find relevant documents after the end of the ranking.
    """
    if measure.bounds_strategy == "inner" and measure.inner is not None:
        return bound_values(measure.inner, judged, outside=outside, tail=tail)
    return _choose_solver(measure)(Problem.from_measure(measure, judged, outside), tail)


def _choose_solver(measure: Measure) -> Solver:
    """Return the algorithm that the measure names, or otherwise an algorithm that its axioms allow."""
    if measure.bounds_strategy is not None:
        if measure.bounds_strategy not in STRATEGIES:
            raise MeasureError(
                f"measure '{measure}': unknown bounds_strategy {measure.bounds_strategy!r}; "
                f"choose one of {', '.join(STRATEGIES)}, or None"
            )
        return STRATEGIES[measure.bounds_strategy]
    if measure.replacement and not measure.uses_recall_base:
        return extremes.bound_monotone
    if measure.replacement and measure.dilutes and measure.swap:
        return STRATEGIES["branch-and-bound"]
    return _ignore_tail(exhaustive.bound_exhaustively)


def _ignore_tail(solve: Callable[[Problem], Interval]) -> Solver:
    return lambda problem, tail: solve(problem)


def _branch_and_bound(problem: Problem) -> Interval:
    """Compute bounds by branch and bound.

    If the bounds of a ranking are not exact and it has few completions, score all completions.
    """
    interval = branch_and_bound.bound_by_branching(problem)
    rows = np.flatnonzero(~interval.exact)
    if not len(rows):
        return interval
    enumerated = exhaustive.bound_exhaustively(replace(problem, judged=problem.judged.select_rankings(rows)))
    for column, exact_column in zip(interval, enumerated, strict=True):
        column[rows[enumerated.exact]] = exact_column[enumerated.exact]
    return interval


STRATEGIES: dict[str, Solver] = {
    "accuracy": _ignore_tail(relevant_counts.bound_accuracy),
    "bejeweled": _ignore_tail(exhaustive.bound_bpm),
    "bpref": _ignore_tail(relevant_counts.bound_bpref),
    "branch-and-bound": _ignore_tail(_branch_and_bound),
    "conditional-persistence": extremes.bound_conditional_persistence,
    "counts": _ignore_tail(extremes.bound_counts),
    "inst": extremes.bound_inst,
    "normalised": _ignore_tail(normalised_gain.bound_normalised_gain),
    "precision-sums": _ignore_tail(relevant_counts.bound_precision_sums),
    "recall-base": _ignore_tail(relevant_counts.bound_r_precision),
    "satisfied-user": extremes.bound_satisfied_user,
    "topic-scaled": extremes.bound_topic_scaled,
}
"""Algorithms by the name that measures declare as ``bounds_strategy``; a wrapper declares ``inner``."""
