"""Interpolated precision: the best precision at a recall level or beyond."""

from __future__ import annotations

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged

ROUNDING = ("exact", "trec_eval-10", "trec_eval-9")


def needed(recall: float, base: Ints, rounding: str) -> Ints:
    """How many relevant documents make up a recall level of *base* relevant documents.

    trec_eval 10 rounds to the nearest number, trec_eval 9 adds 0.9 and cuts off; exact is the least number c
    with c / R >= recall.
    """
    if rounding == "trec_eval-10":
        return np.asarray(np.floor(recall * base + 0.5), dtype=np.int64)
    if rounding == "trec_eval-9":
        return np.asarray(np.floor(recall * base + 0.9), dtype=np.int64)
    near: Ints = np.maximum(np.asarray(np.floor(recall * base), dtype=np.int64) - 1, 0)
    for _ in range(3):
        near += (near < base) & (near / np.maximum(base, 1) < recall)
    return near


def interpolated(judged: Judged, rel: float, recall: float, rounding: str) -> Floats:
    """The largest precision at any rank where the recall level has been reached; 0 if it never is."""
    rows = judged.rows(judged.relevance(rel))
    found = judged.found(rows)
    reached = found >= needed(recall, judged.recall_base(rel), rounding)[rows.ranking]
    best = np.zeros(len(judged))
    np.maximum.at(best, rows.ranking[reached], (found / rows.rank)[reached])
    return best
