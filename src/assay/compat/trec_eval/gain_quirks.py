"""Quirks of trec_eval: ndcg, ndcg_rel, Rndcg, G and rbp with user-defined gains, and the residual of rbp.

trec_eval sorts gains with a comparison function that truncates the difference to an integer. So gains that differ by
less than 1 compare as equal and keep their order. The ideal ranking of trec_eval may then not be the best ranking, and
a gain that is not positive may end it early. ``ideal_gains`` reproduces this; measures of assay use the true ideal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from assay.compat.trec_eval.parameters import Gain
from assay.model.arrays import Floats
from assay.model.judged import Judged

# Codes of trec_eval for documents without a grade: not in the pool, and in the pool but not judged (negative grade).
_NOT_POOLED, _POOLED = -1, -2


class GradeGain(NamedTuple):
    """A grade and the gain of a document with this grade."""

    grade: int
    gain: float


def gain_table(pairs: Sequence[Gain], judged: Judged) -> Floats:
    """Return the gain of each grade code; the gain of a grade that is not listed is the grade itself."""
    gains = _by_grade(pairs)
    graded = [
        gains.get(int(grade), grade) if grade >= 0 else gains.get(_POOLED, 0.0) for grade in judged.levels.tolist()
    ]
    return np.array([gains.get(_NOT_POOLED, 0.0), *graded], dtype=np.float64)


def _by_grade(pairs: Sequence[Gain]) -> dict[int, float]:
    return {gain.grade: gain.value for gain in pairs if gain.grade is not None}


def merge_sort(pairs: Sequence[GradeGain]) -> list[GradeGain]:
    """Sort by ascending gain with a merge sort that treats gains closer than 1 as equal, so the order may be wrong.

    >>> [pair.gain for pair in merge_sort([GradeGain(1, 0.5), GradeGain(2, 0.9), GradeGain(0, 0.0)])]
    [0.5, 0.9, 0.0]
    """
    if len(pairs) < 2:
        return list(pairs)
    half = len(pairs) // 2
    first, second = merge_sort(pairs[:half])[::-1], merge_sort(pairs[half:])[::-1]
    # Both halves are reversed, so the next element of a half is its last, which pop() removes in constant time.
    merged: list[GradeGain] = []
    while first and second:
        merged.append((first if int(first[-1].gain - second[-1].gain) <= 0 else second).pop())
    return merged + first[::-1] + second[::-1]


def ideal_gains(pairs: Sequence[Gain], counts: dict[int, int]) -> Floats:
    """Return the gains of trec_eval's ideal ranking: in descending order, up to the first gain that is not positive.

    *counts* has the number of documents of the topic with each grade.
    """
    listed = [GradeGain(grade, gain) for grade, gain in _by_grade(pairs).items()]
    # trec_eval sorts every grade up to the largest. Grades that do not occur can change the order, because the sort is
    # not correct. If grades are very large, only grades that occur are sorted, to limit memory.
    top = max(counts, default=-1)
    all_grades = range(top + 1) if top < 1 << 16 else sorted(counts)
    all_gains = listed + [GradeGain(grade, float(grade)) for grade in all_grades if grade not in dict(listed)]
    order = merge_sort(all_gains)[::-1]
    gains: list[Floats] = []
    for grade, gain in order if order and order[0].gain > 0 else []:
        if not counts.get(grade):
            continue
        if gain <= 0:
            break
        gains.append(np.full(counts[grade], gain))
    return np.concatenate([*gains, np.zeros(0)])


def score_rankings(scorer: Callable[[Floats, Floats], float], pairs: Sequence[Gain], judged: Judged) -> Floats:
    """Score rankings one by one; *scorer* takes the gains of a ranking and the gains of the ideal ranking."""
    columns = [(column, int(grade)) for column, grade in enumerate(judged.levels.tolist()) if grade >= 0]
    counts = [{grade: row[column] for column, grade in columns if row[column]} for row in judged.counts.tolist()]
    ideals = [ideal_gains(pairs, topic_counts) for topic_counts in counts]
    gain = gain_table(pairs, judged)[judged.code]
    ranges = zip(judged.topic.tolist(), judged.start[:-1].tolist(), judged.start[1:].tolist(), strict=True)
    with np.errstate(divide="ignore", invalid="ignore"):  # like C, continue with inf or nan after a division by 0
        return np.array([scorer(gain[begin:end], ideals[topic]) for topic, begin, end in ranges], dtype=np.float64)


def _cumulated_dcg(gain: Floats) -> Floats:
    """Return the discounted cumulated gain at each rank."""
    return np.cumsum(gain / np.log2(np.arange(2, len(gain) + 2)))


def _last(cumulated: Floats) -> np.float64:
    return np.float64(cumulated[-1] if len(cumulated) else 0.0)


def dcg(gain: Floats, _ideal: Floats) -> float:
    """Return the discounted cumulated gain."""
    return float(_last(_cumulated_dcg(gain)))


def ideal_dcg(_gain: Floats, ideal: Floats) -> float:
    """Return the discounted cumulated gain of the ideal ranking."""
    return float(_last(_cumulated_dcg(ideal)))


def ndcg(gain: Floats, ideal: Floats) -> float:
    """Return the discounted cumulated gain divided by that of the ideal ranking."""
    return dcg(gain, ideal) / ideal_dcg(gain, ideal) if ideal_dcg(gain, ideal) > 0 else 0.0


def ndcg_rel(gain: Floats, ideal: Floats) -> float:
    """Return the mean of nDCG at the ranks with a gain; documents that were not retrieved count at the last rank."""
    cumulated, ideal_cumulated = _cumulated_dcg(gain), _cumulated_dcg(ideal)
    hits = np.flatnonzero(gain > 0)
    ideal_at_hits = ideal_cumulated[np.minimum(hits, len(ideal) - 1)] if len(ideal) else np.zeros(len(hits))
    at_end = (len(ideal) - len(hits)) * _last(cumulated) / _last(ideal_cumulated)
    total = np.float64(np.sum(cumulated[hits] / ideal_at_hits)) + at_end
    return float(total / len(ideal)) if total > 0 else 0.0


def rndcg(gain: Floats, ideal: Floats) -> float:
    """Return the mean of nDCG at the ranks where the ideal gain changes.

    If a ranking is longer than the ideal ranking by at least two documents, its last rank counts too.
    """
    cumulated, ideal_cumulated = _cumulated_dcg(gain), _cumulated_dcg(ideal)
    ranks = [*(np.flatnonzero(np.diff(ideal)) + 1).tolist(), len(ideal)] if len(ideal) else []
    values = [(cumulated[min(rank, len(gain)) - 1] if len(gain) else 0.0) / ideal_cumulated[rank - 1] for rank in ranks]
    if ranks and len(gain) > len(ideal) + 1:
        values.append(cumulated[-1] / ideal_cumulated[-1])
    return float(np.float64(sum(values)) / np.float64(len(values)))


def g(gain: Floats, ideal: Floats) -> float:
    """Return the sum of discounted gains divided by the sum of ideal gains.

    A gain is divided by log2(2 + lag), where the lag is the difference between the cumulated ideal and actual gains.
    """
    cost = np.ones(len(gain))
    common = min(len(gain), len(ideal))
    cost[:common] = np.maximum(ideal[:common], 1)
    terms = gain / np.log2(2 + np.cumsum(cost) - np.cumsum(gain))
    total = float(np.sum(terms[gain != 0]))
    return total / float(ideal.sum()) if len(ideal) else 0.0


def rbp(judged: Judged, p: float, pairs: Sequence[Gain]) -> Floats:
    """Return rank-biased precision, with the gains of each topic scaled to the interval from 0 to 1.

    trec_eval compares gains with bounds that it never initializes; in practice these are 0.
    """
    gains = _by_grade(pairs)
    has_gain = np.concatenate([[_NOT_POOLED in gains], (judged.levels >= 0) | (_POOLED in gains)])
    rows = judged.rows(has_gain.astype(np.float64))
    low, high = min([0.0, *gains.values()]), _highest_gain(gains, judged)[rows.ranking]
    needs_scaling = (low < 0) | (high > 1)
    gain = gain_table(pairs, judged)[judged.code[judged.start[rows.ranking] + rows.rank - 1]]
    scaled = np.where(needs_scaling, gain - low, gain) / np.where(needs_scaling, high - low, 1.0)
    with np.errstate(invalid="ignore"):
        return (1 - p) * judged.total(rows.ranking, scaled * _weights(p, judged)[rows.rank - 1])


def rbp_resid(judged: Judged, p: float) -> Floats:
    """Return the residual of RBP; trec_eval adds the tail p^n only if an unjudged document was retrieved."""
    weight = _weights(p, judged)
    rows = judged.rows(np.concatenate([[1.0], judged.levels < 0]))
    with np.errstate(invalid="ignore"):
        residual = weight[judged.length] + (1 - p) * judged.total(rows.ranking, weight[rows.rank - 1])
    return np.where(judged.total(rows.ranking, rows.gain) > 0, residual, 0.0)


def _weights(p: float, judged: Judged) -> Floats:
    """Return 1, p, p², ... for all ranks of the longest ranking and one more.

    trec_eval multiplies the weight by p at each rank and multiplies the sum by 1 - p at the end. Powers of p, or a
    factor 1 - p in each term, would round differently and could change the last printed digit.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return np.cumprod(np.concatenate([[1.0], np.full(judged.length.max(initial=0), p)]))


def _highest_gain(gains: dict[int, float], judged: Judged) -> Floats:
    """Return, for each ranking, the highest gain of its topic."""

    def highest(top: float) -> float:
        # The highest grade to which the user has not assigned a gain; its gain is the grade itself.
        unassigned = top
        while unassigned in gains:
            unassigned -= 1
        return max([0.0, unassigned, *gains.values()])

    tops = np.where(judged.counts > 0, judged.levels, -1.0).max(axis=1, initial=-1.0)
    known = {top: highest(top) for top in set(tops.tolist())}
    return np.array([known[top] for top in tops.tolist()], dtype=np.float64)[judged.topic]
