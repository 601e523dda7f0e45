"""Measures that compare the ranking with the ideal ranking rank by rank, as trec_eval defines them."""

import math

from oracles.dcg import dcg
from oracles.gains import gains_of, ideal_gains, top_grade
from oracles.precision import recall_base, relevant


def bing(ranking, judged, rel=1):
    """Mean over all relevant documents of 1 / log2(2 + number of non-relevant documents above it)."""
    total, nonrelevant = 0, 0
    for grade in ranking:
        if relevant(grade, rel):
            total += 1 / math.log2(2 + nonrelevant)
        else:
            nonrelevant += 1
    base = recall_base(judged, rel)
    return total / base if base else 0


def _gains_and_ideal(ranking, judged, gains, rel, max_rel):
    """Return the gains of the ranking and of the ideal ranking."""
    top = top_grade(judged) if max_rel is None else max_rel
    return gains_of(ranking, gains, rel, top), ideal_gains(judged, gains, rel, top)


def g(ranking, judged, gains="identity", rel=None, max_rel=None):
    """Sum of g_i / log2(2 + C_i - S_i) over the sum of ideal gains.

    S_i is the cumulated gain and C_i the cumulated cost; the cost of a rank is its ideal gain, at least 1.
    """
    own, ideal = _gains_and_ideal(ranking, judged, gains, rel, max_rel)
    total, cumulated, cost = 0, 0, 0
    for index, gain in enumerate(own):
        cumulated += gain
        cost += max(ideal[index], 1) if index < len(ideal) else 1
        total += gain / math.log2(2 + cost - cumulated)
    return total / sum(ideal) if ideal else 0


def _dcg(gains, depth):
    """DCG of the first *depth* gains."""
    return sum(gain / math.log2(1 + rank) for rank, gain in enumerate(gains[:depth], start=1))


def ndcg_rel(ranking, judged, gains="identity", rel=None, max_rel=None):
    """Mean over documents with a gain of nDCG at their rank, or at the end of the ranking if not retrieved."""
    own, ideal = _gains_and_ideal(ranking, judged, gains, rel, max_rel)
    if not ideal:
        return 0
    ranks = [rank for rank, gain in enumerate(own, start=1) if gain > 0]
    at_each = [_dcg(own, rank) / _dcg(ideal, rank) for rank in ranks]
    at_end = [_dcg(own, len(own)) / _dcg(ideal, len(ideal))] * (len(ideal) - len(ranks))
    return sum(at_each + at_end) / len(ideal)


def rndcg(ranking, judged, gains="identity", rel=None, max_rel=None):
    """Mean nDCG at the end of each level of ideal gains, and at the end of a ranking deeper than R + 1."""
    own, ideal = _gains_and_ideal(ranking, judged, gains, rel, max_rel)
    if not ideal:
        return 0
    points = [rank for rank in range(1, len(ideal)) if ideal[rank] != ideal[rank - 1]] + [len(ideal)]
    if len(own) > len(ideal) + 1:
        points.append(len(own))
    return sum(_dcg(own, point) / _dcg(ideal, point) for point in points) / len(points)


def ideal_dcg(ranking, judged, cutoff=None, base=None, gains="identity", rel=None, max_rel=None):
    """DCG of all judged documents with a positive gain, in descending order of gain."""
    top = top_grade(judged) if max_rel is None else max_rel
    best = sorted(
        (grade for grade, number in judged.items() for _ in range(number)),
        key=lambda grade: -gains_of([grade], gains, rel, top)[0],
    )
    positive = [grade for grade in best if gains_of([grade], gains, rel, top)[0] > 0]
    return dcg(positive, judged, cutoff, base, gains, rel, top)
