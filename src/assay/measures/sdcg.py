"""Scaled discounted cumulated gain."""

from __future__ import annotations

import math

import numpy as np

from assay.measures._base import cutoff, floor, gains, max_rel
from assay.measures._discount import Discounted
from assay.measures._graded import GradedSum
from assay.model.arrays import Numbers
from assay.model.gains import Gains
from assay.model.judged import Judged

_PIECE = 1 << 20  # ranks summed at once, so that a huge cutoff does not take the memory of as many numbers


class SDCG(Discounted, GradedSum):
    r"""Scaled DCG: DCG over that of k documents of gain 1; a weighted precision that needs no recall base.

    .. math:: SDCG@k = \frac{1}{S_k} \sum_{i \le k} \frac{g_i}{\log_2(1 + i)},
              \qquad S_k = \sum_{i \le k} \frac{1}{\log_2(1 + i)}

    Gains are scaled to the top of the scale: ``unit`` by default, ``exp12`` for the gains of the reference.

    References
    ----------
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, eqs. 3-5 and 12.

    Examples
    --------
    >>> SDCG(cutoff=3).of([1, 1, 1])
    1.0
    """

    name = "SDCG"
    examples = ("SDCG@10", "SDCG(gains=exp12)@20", "SDCG(gains=binary, rel=2)@10", "SDCG(max_rel=4)@10")
    unit_gains = True
    base = None
    swap = True
    replacement = True

    cutoff: int = cutoff(high=10_000_000)  # the scale adds up this many terms
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def scale(self, judged: Judged) -> float | Numbers:
        pieces = range(1, self.cutoff + 1, _PIECE)
        return math.fsum(
            float(self.weight(np.arange(first, min(first + _PIECE, self.cutoff + 1))).sum()) for first in pieces
        )
