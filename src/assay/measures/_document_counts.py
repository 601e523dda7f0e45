"""Counts of retrieved documents, regardless of their order."""

from __future__ import annotations

import numpy as np

from assay.model.arrays import Bools, Floats
from assay.model.judged import Judged, Rows


def count_retrieved(judged: Judged, counted: Bools) -> Floats:
    """Count the documents of each ranking whose grade code is selected by *counted*, a mask over the codes."""
    # Count the documents above an imaginary document after the last rank: this avoids one row per document, and ties
    # do not matter.
    ends = Rows(np.arange(len(judged)), judged.length + 1, np.zeros(len(judged)))
    return judged.count_above(ends, counted).astype(np.float64)


def count_relevant(judged: Judged, rel: float) -> Floats:
    """Count the retrieved relevant documents of each ranking."""
    return count_retrieved(judged, judged.relevance(rel) > 0)
