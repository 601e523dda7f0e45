"""Counts of retrieved documents, whatever their order."""

from __future__ import annotations

import numpy as np

from assay.model.arrays import Bools, Floats
from assay.model.judged import Judged, Rows


def count_retrieved(judged: Judged, counted: Bools) -> Floats:
    """Count the documents of each ranking whose code is *counted* (a truth table by code).

    Counting from behind the last document avoids a row for each document, and ties do not matter.
    """
    behind = Rows(np.arange(len(judged)), judged.length + 1, np.zeros(len(judged)))
    return judged.above(behind, counted).astype(np.float64)


def count_relevant(judged: Judged, rel: float) -> Floats:
    """Count the relevant documents of each ranking."""
    return count_retrieved(judged, judged.relevance(rel) > 0)


def is_unjudged(judged: Judged) -> Bools:
    """Return which codes count as unjudged: no grade, or a negative one."""
    return np.concatenate([[True], judged.levels < 0])
