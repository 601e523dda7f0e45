"""How many documents of some kind were retrieved, whatever their order."""

from __future__ import annotations

import numpy as np

from assay.model.arrays import Bools, Floats
from assay.model.judged import Judged, Rows


def retrieved(judged: Judged, counted: Bools) -> Floats:
    """How many documents each ranking holds whose code is *counted* (a truth table by code).

    Counted from the place behind the last document: no row for each document is made, and ties share nothing.
    """
    behind = Rows(np.arange(len(judged)), judged.length + 1, np.zeros(len(judged)))
    return judged.above(behind, counted).astype(np.float64)


def relevant(judged: Judged, rel: float) -> Floats:
    """How many relevant documents each ranking holds."""
    return retrieved(judged, judged.relevance(rel) > 0)


def unjudged(judged: Judged) -> Bools:
    """Which codes are as good as unjudged: no grade at all, or a negative one."""
    return np.concatenate([[True], judged.levels < 0])
