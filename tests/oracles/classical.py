"""Sliding ratio, satisfaction-frustration-total, normalised recall, expected search length and RankPower."""

import math

from oracles.gains import gain, gains_of
from oracles.precision import relevant


def sliding_ratio(ranking, judged, cutoff, gains="identity", rel=None, max_rel=None):
    """Gain in the top k divided by that of the k best retrieved documents; 0 if none has a gain."""
    values = gains_of(ranking, gains, rel, max_rel)
    best = sum(sorted(values, reverse=True)[:cutoff])
    return sum(values[:cutoff]) / best if best else 0


def frustration(ranking, judged, cutoff, rel=1):
    """Non-relevant documents in the top k, divided by the number in the worst order of the same documents."""
    bad = [not relevant(grade, rel) for grade in ranking]
    worst = sum(sorted(bad, reverse=True)[:cutoff])
    return sum(bad[:cutoff]) / worst if worst else 0


def sft(ranking, judged, cutoff, w=0.5, gains="identity", rel=1, max_rel=None):
    """Weighted combination of satisfaction and 1 - frustration; 0 if no retrieved document has a gain."""
    if not any(gain(grade, gains, rel, max_rel) > 0 for grade in ranking):
        return 0
    satisfaction = sliding_ratio(ranking, judged, cutoff, gains, rel, max_rel)
    return w * satisfaction + (1 - w) * (1 - frustration(ranking, judged, cutoff, rel))


def normalized_recall(ranking, judged, depth, documents=None, rel=1):
    """Area between the recall curves of the ideal ranking and of the completed ranking of a collection.

    *depth* is the length of the longest ranking. The documents after the ranking are non-relevant, and then the
    relevant ones that were missed.
    """
    recall_base = sum(count for grade, count in judged.items() if relevant(grade, rel))
    size = max(depth + recall_base, documents or 1)
    hits = [relevant(grade, rel) for grade in ranking]
    missed = recall_base - sum(hits)
    full = hits + [False] * (size - len(hits) - missed) + [True] * missed
    if not recall_base or size == recall_base:
        return 0
    area = sum(min(rank, recall_base) - sum(full[:rank]) for rank in range(1, size + 1))
    return 1 - area / (recall_base * (size - recall_base))


def esl(ranking, judged, n=1, rel=1):
    """Number of non-relevant documents before the n-th relevant one (of all, if there are fewer)."""
    recall_base = sum(count for grade, count in judged.items() if relevant(grade, rel))
    wanted = min(n, recall_base)
    if not wanted:
        return 0
    skipped = 0
    for grade in ranking:
        wanted -= relevant(grade, rel)
        skipped += not relevant(grade, rel)
        if not wanted:
            return skipped
    return math.inf


def rank_power(ranking, judged, cutoff=None, rel=1):
    """Mean rank of the relevant documents in the top k, divided by their number."""
    ranks = [rank for rank, grade in enumerate(ranking[:cutoff], 1) if relevant(grade, rel)]
    return sum(ranks) / len(ranks) ** 2 if ranks else math.inf
