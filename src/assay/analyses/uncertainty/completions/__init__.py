"""Completions of the judgments: what the unjudged documents of a ranking allow a measure to be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.analyses.uncertainty.completions import boxes, counted, ends, search, sums
from assay.analyses.uncertainty.completions.problem import Interval, Problem
from assay.measures import Measure
from assay.measures.average_precision import AP, YAAP, APStar, infAP
from assay.measures.counts import (
    JudgedAt,
    NumNonrelJudgedRet,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    NumUnjudgedRet,
    Unjudged,
)
from assay.measures.dcg import IdealDCG, nCG, nDCG
from assay.measures.precision import Rprec, RprecMult
from assay.measures.preferences import Accuracy, Bpref
from assay.measures.q_measure import Q
from assay.measures.rank_biased import RBPnorm, RBPresidual
from assay.measures.sets import Utility
from assay.measures.wrappers import GM, Condensed
from assay.model.judged import Judged

Solver = Callable[[Problem, bool], Interval]


def _without_tail(solve: Callable[[Problem], Interval]) -> Solver:
    return lambda problem, tail: solve(problem)


_OWN: dict[tuple[type[Measure], ...], Solver] = {
    (NumRel, NumRet, NumQ, NumRelRet, NumNonrelJudgedRet, NumUnjudgedRet): _without_tail(ends.placeless),
    (IdealDCG, Utility, JudgedAt, Unjudged, RBPresidual): _without_tail(ends.placeless),
    (RBPnorm,): ends.scaled_by_the_best,
    (AP, APStar, YAAP, infAP): _without_tail(counted.precision_sums),
    (Rprec, RprecMult): _without_tail(counted.at_the_recall_base),
    (Accuracy,): _without_tail(counted.accuracy),
    (Bpref,): _without_tail(counted.bpref),
    (nDCG, nCG): _without_tail(sums.normalised),
}


def completed(measure: Measure, judged: Judged, *, outside: float = 0, tail: bool = True) -> Interval:
    """The smallest and the largest value of each ranking over all completions of the judgments.

    *outside* is how many more relevant documents there may be that the ranking lacks, *tail* whether users who never
    stop may find something behind its end.
    """
    if isinstance(measure, GM | Condensed):  # of a complete ranking nothing is left out
        return completed(measure.of_measure, judged, outside=outside, tail=tail)
    return _solver(measure)(Problem.of(measure, judged, outside), tail)


def _solver(measure: Measure) -> Solver:
    """The way that is right for a measure: one of its own, or by what it says about itself."""
    for kinds, own in _OWN.items():
        if isinstance(measure, kinds):
            return own
    if measure.replacement and not measure.uses_recall_base:
        return ends.monotone
    fair = measure.swap or isinstance(measure, Q)
    return _without_tail(_bounded_or_tried if measure.replacement and measure.dilutes and fair else search.searched)


def _bounded_or_tried(problem: Problem) -> Interval:
    """Branch and bound; where it is not exact but completions are few, all of them."""
    found = boxes.branch_and_bound(problem)
    rows = np.flatnonzero(~found.exact)
    if not len(rows):
        return found
    tried = search.searched(replace(problem, judged=problem.judged.only(rows)))
    for old, new in zip(found, tried, strict=True):
        old[rows[tried.exact]] = new[tried.exact]
    return found
