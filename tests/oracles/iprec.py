"""Interpolated precision (docs/reference/measures.md) and the rounding of trec_eval."""

import math

from oracles.precision import count_relevant, p, recall_base


def _reaches_recall(hits, base, recall, rounding):
    if rounding == "exact":
        return hits / base >= recall
    if rounding == "trec_eval-10":  # lround(x R)
        return hits >= math.floor(recall * base + 0.5)
    if rounding == "trec_eval-9":  # (long) (x R + 0.9)
        return hits >= int(recall * base + 0.9)
    raise ValueError(rounding)


def iprec(ranking, judged, recall, rel=1, rounding="exact"):
    """Largest P@i over all i with c_i / R >= x; 0 if there is none."""
    base = recall_base(judged, rel)
    if base == 0:
        return 0
    best = 0
    for rank in range(1, len(ranking) + 1):
        if _reaches_recall(count_relevant(ranking, rel, rank), base, recall, rounding):
            best = max(best, p(ranking, judged, rank, rel))
    return best


def iprec_avg(ranking, judged, points, rel=1, rounding="exact"):
    """Mean over the recall levels 0, 0.1, ..., 1 or 0.2, 0.5, 0.8."""
    levels = {11: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1], 3: [0.2, 0.5, 0.8]}[points]
    return sum(iprec(ranking, judged, x, rel, rounding) for x in levels) / len(levels)
