"""The sum of the precisions at the relevant documents, on which AP and its kin are built."""

from __future__ import annotations

import numpy as np

from assay.model.arrays import Floats
from assay.model.judged import Judged


def precision_sum(judged: Judged, rel: float, cutoff: int | None) -> Floats:
    """SP@k = sum over the relevant documents in the top k of the precision at their ranks."""
    rows = judged.rows(judged.relevance(rel))
    found = judged.found(rows)
    keep = slice(None) if cutoff is None else rows.rank <= cutoff
    return judged.total(rows.ranking[keep], (found / rows.rank)[keep])


def expected_precision_sum(judged: Judged, rel: float, cutoff: int | None) -> Floats:
    """The mean of SP@k over all orders of the tied documents.

    In a group of n tied documents of which r are relevant, with c relevant documents above the group, rank
    number i of the group holds a relevant document with probability r/n, and then (i - 1)(r - 1)/(n - 1)
    others are expected above it in the group (McSherry & Najork 2008).
    """
    group, first = judged.tie_groups()
    relevant = judged.relevance(rel)[judged.code]
    if not len(group):
        return np.zeros(len(judged))
    size = np.bincount(group)
    inside = np.bincount(group, weights=relevant)
    ranking = judged.ranking()
    running = np.concatenate([[0.0], np.cumsum(relevant)])
    above = running[first] - running[judged.start[ranking[first]]]
    rows = np.flatnonzero(inside[group])
    g = group[rows]
    ahead = (rows - first[g]) * (inside[g] - 1) / np.maximum(size[g] - 1, 1)
    rank = judged.rank()[rows]
    amount = inside[g] / size[g] * (1 + above[g] + ahead) / rank
    keep = slice(None) if cutoff is None else rank <= cutoff
    return judged.total(ranking[rows][keep], amount[keep])
