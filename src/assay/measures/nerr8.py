"""Nearly expected reciprocal rank, cut off."""

from __future__ import annotations

import numpy as np

from assay.measures._base import cutoff, floor, gains, max_rel
from assay.measures._nearly import Nearly
from assay.model.arrays import Floats
from assay.model.gains import Gains


class NERR8(Nearly):
    r"""NERR8: gain per document for a user who stops when satisfied, or at rank k.

    .. math:: NERR8@k = \frac{\sum_{i \le k} g_i V_i}{\sum_{i \le k} V_i}, \qquad
              V_1 = 1, \; V_{i+1} = V_i \, (1 - g_i)

    Nearly ERR: the same user, who is satisfied by a document with the probability of its gain, but measured by the
    gain of each document looked at rather than by the rank where the user stops.

    References
    ----------
    Azzopardi, Mackenzie & Moffat, *ERR is not C/W/L: Exploring the relationship between expected reciprocal rank and
    other metrics*, ICTIR 2021, eq. 8.

    Examples
    --------
    >>> NERR8(cutoff=10).of([0, 1, 1])
    0.5
    """

    name = "NERR8"
    examples = ("NERR8@10", "NERR8(max_rel=4)@20", "NERR8(gains=exp12)@10")

    cutoff: int = cutoff()
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def patience(self, rank: Floats) -> Floats:
        return np.ones(len(rank))

    def patience_below(self, rank: Floats) -> Floats:
        return np.maximum(self.cutoff - rank, 0.0)
