"""Cumulated gain."""

from __future__ import annotations

import numpy as np

from assay.measures._base import cutoff, floor, gains, max_rel
from assay.measures._graded import GradedSum
from assay.model.gains import Gains


class CG(GradedSum):
    r"""Cumulated gain: the sum of the gains of the top k.

    .. math:: CG@k = \sum_{i \le k} g_i

    References
    ----------
    Järvelin & Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, TOIS 20 (2002).

    Examples
    --------
    >>> CG(cutoff=3).of([3, 0, 2, 1])
    5.0
    """

    name = "CG"
    examples = ("CG@10", "CG(gains=negative)@10", "CG")
    bounds = (-np.inf, np.inf)
    swap = True
    replacement = True

    cutoff: int | None = cutoff(None)
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()
