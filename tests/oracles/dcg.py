"""Cumulated gain (docs/reference/measures.md)."""

import math

from oracles.gains import gains_of, ideal_gains, top_grade


def _discount(rank, base):
    """log2(1 + i) ([004]), or max(1, log_b i): no discount up to rank b."""
    return math.log2(1 + rank) if base is None else max(1, math.log(rank) / math.log(base))


def _sum(gains, cutoff, base):
    total = 0
    for rank, gain in enumerate(gains, start=1):
        if cutoff is None or rank <= cutoff:
            total += gain / _discount(rank, base)
    return total


def _truncate(gains, cutoff):
    return gains if cutoff is None else gains[:cutoff]


def cg(ranking, judged, cutoff=None, gains="identity", rel=None, max_rel=None):
    """CG@k = sum of g_i for i <= k."""
    top = top_grade(judged) if max_rel is None else max_rel
    return sum(_truncate(gains_of(ranking, gains, rel, top), cutoff))


def ncg(ranking, judged, cutoff=None, gains="identity", rel=None, max_rel=None):
    """CG@k divided by the CG@k of the ideal ranking."""
    top = top_grade(judged) if max_rel is None else max_rel
    ideal = sum(_truncate(ideal_gains(judged, gains, rel, top), cutoff))
    return cg(ranking, judged, cutoff, gains, rel, top) / ideal if ideal else 0


def dcg(ranking, judged, cutoff=None, base=None, gains="identity", rel=None, max_rel=None):
    """DCG@k = sum of g_i / discount(i) for i <= k."""
    top = top_grade(judged) if max_rel is None else max_rel
    return _sum(gains_of(ranking, gains, rel, top), cutoff, base)


def ndcg(ranking, judged, cutoff=None, base=None, gains="identity", rel=None, max_rel=None):
    """NDCG@k = DCG@k / IDCG@k; the ideal ranking sorts the gains of all judged documents."""
    top = top_grade(judged) if max_rel is None else max_rel
    ideal = _sum(ideal_gains(judged, gains, rel, top), cutoff, base)
    return dcg(ranking, judged, cutoff, base, gains, rel, top) / ideal if ideal else 0


def scale(k):
    """S_k = sum of 1 / log2(1 + i) for i <= k."""
    return sum(1 / math.log2(1 + rank) for rank in range(1, k + 1))


def sdcg(ranking, judged, cutoff, gains="unit", rel=None, max_rel=None):
    """SDCG@k = DCG2@k / S_k."""
    top = top_grade(judged) if max_rel is None else max_rel
    return dcg(ranking, judged, cutoff, None, gains, rel, top) / scale(cutoff)


def mean_ndcg(ranking, judged, cutoff, base=None, gains="identity", rel=None, max_rel=None):
    """(1/k) sum of NDCG@i for i <= k."""
    top = top_grade(judged) if max_rel is None else max_rel
    own, ideal = gains_of(ranking, gains, rel, top), ideal_gains(judged, gains, rel, top)
    total, cumulated, ideal_cumulated = 0, 0, 0
    for rank in range(1, cutoff + 1):
        cumulated += own[rank - 1] / _discount(rank, base) if rank <= len(own) else 0
        ideal_cumulated += ideal[rank - 1] / _discount(rank, base) if rank <= len(ideal) else 0
        total += cumulated / ideal_cumulated if ideal_cumulated else 0
    return total / cutoff
