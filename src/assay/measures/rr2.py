"""Reciprocal rank of the second relevant document."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, cutoff, rel
from assay.measures._first_relevant import rank_of
from assay.model.arrays import Floats
from assay.model.judged import Judged


class RR2(Measure):
    r"""RR2: 1 over the rank of the second relevant document, for a sceptical user who wants confirmation.

    .. math:: RR2 = 1 / \min \{ i : \textstyle\sum_{j \le i} r_j = 2 \}

    0 if fewer than two are found.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008),
    section 4.3.

    Examples
    --------
    >>> RR2().of([1, 0, 0, 1])
    0.25
    """

    name = "RR2"
    examples = ("RR2", "RR2@10", "RR2(rel=2)")
    swap_monotone = True
    swap = True
    replacement = True

    cutoff: int | None = cutoff(None)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        rank = rank_of(judged, self.rel, nth=2)
        return np.where(rank <= (self.cutoff or np.inf), 1 / rank, 0.0)
