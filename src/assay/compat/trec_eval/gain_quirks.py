"""ndcg, ndcg_rel, Rndcg, G and rbp with gains that the user defines, and the residual of rbp.

trec_eval sorts gains with a comparison that truncates their difference to a whole number, so that gains closer than 1
count as equal and keep their order. Its ideal ranking is then not the best one, and a gain that is not above 0 may
end it early. ``ideal_gains`` reproduces this; the measures of the catalogue use the true ideal ranking.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from assay.compat.trec_eval.parameters import Gain
from assay.model.arrays import Floats
from assay.model.judged import Judged

_NOT_POOLED, _POOLED = -1, -2  # how trec_eval encodes documents without a grade


class Level(NamedTuple):
    """A grade and the gain of a document with that grade."""

    grade: int
    gain: float


def gain_table(pairs: Sequence[Gain], judged: Judged) -> Floats:
    """Return the gain of each code; a grade that is not listed is its own gain."""
    given = _by_grade(pairs)
    own = [given.get(int(grade), grade) if grade >= 0 else given.get(_POOLED, 0.0) for grade in judged.levels.tolist()]
    return np.array([given.get(_NOT_POOLED, 0.0), *own], dtype=np.float64)


def _by_grade(pairs: Sequence[Gain]) -> dict[int, float]:
    return {gain.grade: gain.value for gain in pairs if gain.grade is not None}


def merge_sort(levels: Sequence[Level]) -> list[Level]:
    """Sort by gain, treating gains closer than 1 as equal, so that the order can come out wrong.

    >>> [level.gain for level in merge_sort([Level(1, 0.5), Level(2, 0.9), Level(0, 0.0)])]
    [0.5, 0.9, 0.0]
    """
    if len(levels) < 2:
        return list(levels)
    half = len(levels) // 2
    first, second = merge_sort(levels[:half])[::-1], merge_sort(levels[half:])[::-1]
    merged: list[Level] = []
    while first and second:
        merged.append((first if int(first[-1].gain - second[-1].gain) <= 0 else second).pop())
    return merged + first[::-1] + second[::-1]


def ideal_gains(pairs: Sequence[Gain], counts: dict[int, int]) -> Floats:
    """Return the gains of the ranking that trec_eval takes for ideal: descending, until one is not above 0.

    *counts* are the numbers of documents by grade, of the topic.
    """
    given = [Level(grade, gain) for grade, gain in _by_grade(pairs).items()]
    # trec_eval lists every grade up to the largest; those that do not occur only take part in its sort.
    top = max(counts, default=-1)
    all_grades = range(top + 1) if top < 1 << 16 else sorted(counts)
    levels = given + [Level(grade, float(grade)) for grade in all_grades if grade not in dict(given)]
    order = merge_sort(levels)[::-1]
    gains: list[Floats] = []
    for level in order if order and order[0].gain > 0 else []:
        if not counts.get(level.grade):
            continue
        if level.gain <= 0:
            break
        gains.append(np.full(counts[level.grade], level.gain))
    return np.concatenate([*gains, np.zeros(0)])


def score_rankings(walk: Callable[[Floats, Floats], float], pairs: Sequence[Gain], judged: Judged) -> Floats:
    """Score rankings one by one: *walk* takes the gains of a ranking and those of the ideal one."""
    columns = [(column, int(grade)) for column, grade in enumerate(judged.levels.tolist()) if grade >= 0]
    counts = [{grade: row[column] for column, grade in columns if row[column]} for row in judged.counts.tolist()]
    best = [ideal_gains(pairs, of_topic) for of_topic in counts]
    gain = gain_table(pairs, judged)[judged.code]
    ranges = zip(judged.topic.tolist(), judged.start[:-1].tolist(), judged.start[1:].tolist(), strict=True)
    with np.errstate(divide="ignore", invalid="ignore"):  # C goes on with what a division by 0 gives
        return np.array([walk(gain[begin:end], best[topic]) for topic, begin, end in ranges], dtype=np.float64)


def _cumulate(gain: Floats) -> Floats:
    return np.cumsum(gain / np.log2(np.arange(2, len(gain) + 2)))


def _last(running: Floats) -> np.float64:
    return np.float64(running[-1] if len(running) else 0.0)


def dcg(gain: Floats, _best: Floats) -> float:
    """Discounted cumulated gain."""
    return float(_last(_cumulate(gain)))


def ideal_dcg(_gain: Floats, best: Floats) -> float:
    """Discounted cumulated gain of the ideal ranking."""
    return float(_last(_cumulate(best)))


def ndcg(gain: Floats, best: Floats) -> float:
    """Discounted cumulated gain over that of the ideal ranking."""
    return dcg(gain, best) / ideal_dcg(gain, best) if ideal_dcg(gain, best) > 0 else 0.0


def ndcg_rel(gain: Floats, best: Floats) -> float:
    """Mean of nDCG at the ranks with a gain; gains that were not retrieved count at the last rank."""
    reached, possible = _cumulate(gain), _cumulate(best)
    met = np.flatnonzero(gain > 0)
    there = possible[np.minimum(met, len(best) - 1)] if len(best) else np.zeros(len(met))
    at_end = (len(best) - len(met)) * _last(reached) / _last(possible)
    total = np.float64(np.sum(reached[met] / there)) + at_end
    return float(total / len(best)) if total > 0 else 0.0


def rndcg(gain: Floats, best: Floats) -> float:
    """Mean of nDCG at the ranks where the ideal gain changes, and at the last rank of a ranking that is longer."""
    reached, possible = _cumulate(gain), _cumulate(best)
    points = [*(np.flatnonzero(np.diff(best)) + 1).tolist(), len(best)] if len(best) else []
    values = [(reached[min(point, len(gain)) - 1] if len(gain) else 0.0) / possible[point - 1] for point in points]
    if points and len(gain) > len(best) + 1:
        values.append(reached[-1] / possible[-1])
    return float(np.float64(sum(values)) / np.float64(len(values)))


def g(gain: Floats, best: Floats) -> float:
    """Sum of gains, each divided by the logarithm of the lag behind the ideal ranking, over the ideal sum."""
    cost = np.ones(len(gain))
    both = min(len(gain), len(best))
    cost[:both] = np.maximum(best[:both], 1)
    terms = gain / np.log2(2 + np.cumsum(cost) - np.cumsum(gain))
    total = float(np.sum(terms[gain != 0]))
    return total / float(best.sum()) if len(best) else 0.0


def rbp(judged: Judged, p: float, pairs: Sequence[Gain]) -> Floats:
    """Rank-biased precision with the gains of each topic scaled to lie within 0 and 1.

    trec_eval compares gains with bounds that it never sets; 0 is what they hold in practice.
    """
    given = _by_grade(pairs)
    has_gain = np.concatenate([[_NOT_POOLED in given], (judged.levels >= 0) | (_POOLED in given)])
    rows = judged.rows(has_gain.astype(np.float64))
    low, high = min([0.0, *given.values()]), _highest(given, judged)[rows.ranking]
    outside = (low < 0) | (high > 1)
    gain = gain_table(pairs, judged)[judged.code[judged.start[rows.ranking] + rows.rank - 1]]
    scaled = np.where(outside, gain - low, gain) / np.where(outside, high - low, 1.0)
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
    """Return 1, p, p², ... up to the longest ranking.

    trec_eval multiplies by p at each rank, adds up and multiplies the sum by 1 - p. Powers, or 1 - p in each term,
    round differently, which changes the last printed digit where a value lies half way between two.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return np.cumprod(np.concatenate([[1.0], np.full(judged.length.max(initial=0), p)]))


def _highest(given: dict[int, float], judged: Judged) -> Floats:
    """Return for each ranking the highest gain of its topic."""

    def highest(top: float) -> float:
        own = top
        while own in given:
            own -= 1
        return max([0.0, own, *given.values()])

    tops = np.where(judged.counts > 0, judged.levels, -1.0).max(axis=1, initial=-1.0)
    known = {top: highest(top) for top in set(tops.tolist())}
    return np.array([known[top] for top in tops.tolist()], dtype=np.float64)[judged.topic]
