"""Measures that follow the ranking and the ideal one side by side, as trec_eval defines them."""

import math

from oracles.dcg import dcg
from oracles.gains import gains_of, ideal_gains, top_grade
from oracles.precision import recall_base, relevant


def bing(ranking, judged, rel=1):
    """The mean over all relevant documents of 1 / log2(2 + documents above it that are not relevant)."""
    total, others = 0, 0
    for grade in ranking:
        if relevant(grade, rel):
            total += 1 / math.log2(2 + others)
        else:
            others += 1
    base = recall_base(judged, rel)
    return total / base if base else 0


def _both(ranking, judged, gains, rel, max_rel):
    """The gains of the ranking and of the ideal one."""
    top = top_grade(judged) if max_rel is None else max_rel
    return gains_of(ranking, gains, rel, top), ideal_gains(judged, gains, rel, top)


def g(ranking, judged, gains="identity", rel=None, max_rel=None):
    """sum of g_i / log2(2 + C_i - S_i) over the sum of ideal gains; every rank costs its ideal gain, at least 1."""
    own, ideal = _both(ranking, judged, gains, rel, max_rel)
    total, gained, cost = 0, 0, 0
    for place, gain in enumerate(own):
        gained += gain
        cost += max(ideal[place], 1) if place < len(ideal) else 1
        total += gain / math.log2(2 + cost - gained)
    return total / sum(ideal) if ideal else 0


def _dcg(gains, depth):
    """DCG of the first *depth* gains."""
    return sum(gain / math.log2(1 + rank) for rank, gain in enumerate(gains[:depth], start=1))


def ndcg_rel(ranking, judged, gains="identity", rel=None, max_rel=None):
    """nDCG at the rank of each document that has a gain; at the end of the ranking for those not retrieved."""
    own, ideal = _both(ranking, judged, gains, rel, max_rel)
    if not ideal:
        return 0
    ranks = [rank for rank, gain in enumerate(own, start=1) if gain > 0]
    at_each = [_dcg(own, rank) / _dcg(ideal, rank) for rank in ranks]
    at_end = [_dcg(own, len(own)) / _dcg(ideal, len(ideal))] * (len(ideal) - len(ranks))
    return sum(at_each + at_end) / len(ideal)


def rndcg(ranking, judged, gains="identity", rel=None, max_rel=None):
    """nDCG at the end of each level of ideal gains, and at the end of the ranking if that is deeper than R + 1."""
    own, ideal = _both(ranking, judged, gains, rel, max_rel)
    if not ideal:
        return 0
    points = [rank for rank in range(1, len(ideal)) if ideal[rank] != ideal[rank - 1]] + [len(ideal)]
    if len(own) > len(ideal) + 1:
        points.append(len(own))
    return sum(_dcg(own, point) / _dcg(ideal, point) for point in points) / len(points)


def ideal_dcg(ranking, judged, cutoff=None, base=None, gains="identity", rel=None, max_rel=None):
    """The DCG of all judged documents that are worth something, the best first."""
    top = top_grade(judged) if max_rel is None else max_rel
    best = sorted(
        (grade for grade, number in judged.items() for _ in range(number)),
        key=lambda grade: -gains_of([grade], gains, rel, top)[0],
    )
    kept = [grade for grade in best if gains_of([grade], gains, rel, top)[0] > 0]
    return dcg(kept, judged, cutoff, base, gains, rel, top)
