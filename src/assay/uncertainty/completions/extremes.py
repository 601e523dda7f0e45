"""Bounds of measures that are extreme if all ungraded documents have the lowest class, or all have the best class."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from assay.measures._possible_grades import tabulate_gains
from assay.model.arrays import Floats
from assay.model.judged import Judged
from assay.model.segmented_scan import accumulate, previous_values
from assay.uncertainty.completions.problem import Completion, Interval, Problem

if TYPE_CHECKING:
    from assay.measures.goal_sensitive import INST
    from assay.measures.rank_biased import RBP

_NEGLIGIBLE = 1e-17  # if the user continues with a smaller probability, a value does not change in double precision
_MAX_TAIL = 5000  # maximum number of documents appended to a ranking


def bound_monotone(problem: Problem, tail: bool) -> Interval:
    """Bound measures without a recall base that obey the replacement axiom; the bounds are exact.

    Replacing ungraded documents one by one by worse documents leads from any completion to the lowest completion, and
    no such replacement raises the value. Likewise, replacing them by better documents leads to the highest completion
    and never lowers the value. So no completion has a value outside the bounds. If users never stop (*tail*), the
    documents after the end of the ranking are unknown as well. For the lower bound, none of them is relevant; for the
    upper bound, all of them have the best class.
    """
    low, high = _score_extremes(problem)
    best = float(problem.class_gain[-1])
    if not tail or best <= 0:
        return _exact_interval(low, high)
    tail_weight = problem.measure.tail_weight(problem.judged.length)
    high = high if tail_weight is None else high + best * tail_weight
    return _exact_interval(low, np.minimum(high, problem.measure.bounds[1]))


def bound_satisfied_user(problem: Problem, tail: bool) -> Interval:
    """Bound NERR10 and NERR11.

    For the upper bound, documents of the best class are appended to the ranking until practically no user continues.
    """
    if not tail or problem.class_gain[-1] <= 0:
        return bound_monotone(problem, tail)
    low, _ = _score_extremes(problem)
    continuation = (1 - float(problem.class_gain[-1])) * float(getattr(problem.measure, "p", 1.0))
    steps = math.log(_NEGLIGIBLE) / math.log(continuation) if continuation > 0 else 1.0
    if steps > _MAX_TAIL:
        # Nearly every user continues: fall back on the largest value of any ranking, which is an outer bound.
        return Interval(low, np.full(len(low), problem.measure.bounds[1]), np.zeros(len(low), dtype=bool))
    longer = replace(problem, judged=_append_unjudged(problem.judged, math.ceil(steps)))
    return _exact_interval(low, longer.score(longer.build_highest(np.arange(len(low)))))


def _score_extremes(problem: Problem) -> tuple[Floats, Floats]:
    """Return the values with every ungraded document in the lowest class, and in the best class."""
    rankings = np.arange(len(problem.judged))
    return problem.score(problem.build_lowest(rankings)), problem.score(problem.build_highest(rankings))


def _exact_interval(low: Floats, high: Floats) -> Interval:
    return Interval(low, np.maximum(low, high), np.ones(len(low), dtype=bool))


def bound_conditional_persistence(problem: Problem, tail: bool) -> Interval:
    """Bound RBP with p1 and p2; for the upper bound, all documents after the end of the ranking are relevant."""
    if not tail or problem.class_gain[-1] <= 0:
        return bound_monotone(problem, tail)
    low, high = _score_extremes(problem)
    return _exact_interval(low, np.minimum(_add_relevant_tail(problem, high), problem.measure.bounds[1]))


def _add_relevant_tail(problem: Problem, high: Floats) -> Floats:
    """Return the values with only relevant documents after the end of each ranking.

    With r expected views of relevant documents, the value is r (1 - p2) / (1 + r (p1 - p2)). So r follows from the
    value of the ranking. The expected views after the end of the ranking form a geometric series with ratio p1; their
    sum is added to r.
    """
    measure = cast("RBP", problem.measure)
    p1, p2 = float(measure.p1 or 0), float(measure.p2 or 0)
    if p2 == 1:  # RR if p1 is 0, else all values are 0
        longer = replace(problem, judged=_append_unjudged(problem.judged, 1))
        return longer.score(longer.build_highest(np.arange(len(high))))
    judged = problem.complete_rankings(problem.build_highest(np.arange(len(problem.judged))))
    cutoff = math.inf if measure.cutoff is None else float(measure.cutoff)
    rows = measure.rows_to_depth(judged)
    num_relevant = judged.total(rows.ranking, rows.gain)
    depth = np.minimum(judged.length, cutoff)
    first_view = np.power(p1, num_relevant) * np.power(p2, depth - num_relevant)
    tail_length = np.where(first_view > 0, cutoff - depth, 0.0)
    tail_views = first_view * (tail_length if p1 == 1 else (1 - np.power(p1, tail_length)) / (1 - p1))
    relevant_views = high / (1 - p2 - high * (p1 - p2)) + tail_views
    with np.errstate(divide="ignore"):
        return np.asarray((1 - p2) / (1 / relevant_views + p1 - p2))


def bound_inst(problem: Problem, tail: bool) -> Interval:
    """Bound INST; for the upper bound, all documents after the end of the ranking have the best class.

    The bounds are exact if the best gain is 1, because the continuation probability C(j) is then constant after the
    end. With a smaller best gain, a tail without gain has at least as many views. The mean gain increases with the
    number of views after the end, so using the views of a tail without gain gives an outer bound.
    """
    if not tail or problem.class_gain[-1] <= 0:
        return bound_monotone(problem, tail)
    from scipy.special import zeta

    measure, (low, _) = cast("INST", problem.measure), _score_extremes(problem)
    judged = problem.complete_rankings(problem.build_highest(np.arange(len(problem.judged))))
    ranking, rank = judged.ranking(), judged.rank().astype(np.float64)
    gain = np.concatenate([[0.0], tabulate_gains(measure, judged.levels, judged.levels)[1]])[judged.code]
    # C(i) = ((a_i - 1) / a_i)^2 with a_i = i + T + T_i, where T_i is the target T minus the gain down to rank i.
    attenuation = rank + 2.0 * measure.T - accumulate(np.add, ranking, gain)
    reach_next = accumulate(np.multiply, ranking, ((attenuation - 1) / attenuation) ** 2)
    views = previous_values(ranking, reach_next, 1.0)
    last_attenuation, reach_tail = np.full(len(judged), 2.0 * measure.T), np.ones(len(judged))
    nonempty = judged.length > 0
    last_row = judged.start[1:][nonempty] - 1
    last_attenuation[nonempty], reach_tail[nonempty] = attenuation[last_row], reach_next[last_row]
    best = float(problem.class_gain[-1])
    if best == 1:
        tail_views = reach_tail / (1 - ((last_attenuation - 1) / last_attenuation) ** 2)
    else:
        tail_views = reach_tail * last_attenuation**2 * zeta(2, last_attenuation)
    total_gain, total_views = judged.total(ranking, gain * views), judged.total(ranking, views)
    high = (total_gain + best * tail_views) / (total_views + tail_views)
    return Interval(low, np.maximum(low, high), np.full(len(low), best == 1))


def bound_topic_scaled(problem: Problem, tail: bool) -> Interval:
    """Bound RBPnorm, whose gains are grades divided by the largest grade of the topic; the bounds are exact.

    For a fixed largest grade, the best completion gives this grade to all ungraded documents. The worst completion
    gives grade 0 to all ungraded documents except one; the larger grade of this document lowers the gains of all
    others. This document is outside the ranking, or it is the last ungraded document, or it is after the end of the
    ranking, at the deepest rank within the cutoff.
    """
    rankings = np.arange(len(problem.judged))
    measure, best = problem.measure, float(problem.class_gain[-1])
    p = float(getattr(measure, "p", 0))
    cutoff = getattr(measure, "cutoff", None)
    depth = np.minimum(problem.judged.length, np.inf if cutoff is None else cutoff)
    tail_weight = (np.power(p, depth) - (0.0 if cutoff is None else p**cutoff)) * tail
    lows, highs = [problem.score(problem.build_lowest(rankings))], []
    largest = np.where(problem.graded_counts > 0, problem.judged.levels, 1.0).max(axis=1, initial=1.0)
    for class_index, grade in enumerate(problem.class_gain.tolist()):
        profile = np.where(np.arange(problem.max_class) < class_index, problem.num_ungraded[:, None], 0)
        top_grade = np.maximum(largest, grade)
        # If the larger grade occurs only after the end, it still lowers the gains of the graded documents.
        rescale = np.where((problem.num_ungraded == 0) & (tail_weight > 0), largest / top_grade, 1.0)
        value = problem.score(problem.build_completion(rankings, profile))
        highs.append(value * rescale + tail_weight * grade / top_grade)
        lows.append(problem.score(problem.build_completion(rankings, np.minimum(profile, 1), best_first=False)))
    if problem.outside or tail:
        low = problem.score(problem.build_completion(rankings, np.zeros_like(profile), outside=1))
        if not problem.outside and cutoff is not None:
            # The document must be within the cutoff; at the last rank, its own contribution is smallest.
            low += np.where(depth < cutoff, (1 - p) * p ** (cutoff - 1) * best / np.maximum(largest, best), np.inf)
        lows.append(low)
    return _exact_interval(np.min(lows, axis=0), np.minimum(np.max(highs, axis=0), measure.bounds[1]))


def _append_unjudged(judged: Judged, count: int) -> Judged:
    """Append *count* unjudged documents to every ranking."""
    length = judged.length
    start = np.concatenate([[0], np.cumsum(length + count)])
    code = np.zeros(start[-1], dtype=judged.code.dtype)
    code[np.arange(len(judged.code)) + np.repeat(np.arange(len(length)) * count, length)] = judged.code
    return replace(judged, code=code, start=start, depth=None)


def bound_counts(problem: Problem) -> Interval:
    """Bound counts, and measures that are linear in counts; the bounds are exact.

    Such measures do not depend on the order of the documents, and every document changes the value in the same
    direction. So the extremes are among the lowest and the highest completion, with and without documents outside the
    ranking.
    """
    rankings = np.arange(len(problem.judged))
    extremes = [problem.build_lowest(rankings), problem.build_highest(rankings)]
    values = [problem.score(extreme) for extreme in extremes]
    if math.isinf(problem.outside):
        count = int(getattr(problem.measure, "cutoff", None) or 1)
        # One more document shows whether the value grows without limit, falls without limit or stays constant.
        for extreme in extremes:
            before, after = (_score_outside(problem, extreme, outside) for outside in (count, count + 1))
            values.append(np.where(after > before, np.inf, np.where(after < before, -np.inf, before)))
    elif problem.outside:
        values += [_score_outside(problem, extreme, int(problem.outside)) for extreme in extremes]
    return _exact_interval(np.min(values, axis=0), np.max(values, axis=0))


def _score_outside(problem: Problem, completion: Completion, outside: int) -> Floats:
    """Return the values with *outside* further documents of the best class outside each ranking."""
    return problem.score(completion._replace(outside=np.full(len(completion.ranking), outside, dtype=np.int64)))
