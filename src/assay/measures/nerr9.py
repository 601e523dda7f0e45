"""Nearly expected reciprocal rank, discounted and cut off."""

from __future__ import annotations

import numpy as np

from assay.measures._base import cutoff, floor, gains, max_rel
from assay.measures._nearly import Nearly
from assay.model.arrays import Floats
from assay.model.gains import Gains


class NERR9(Nearly):
    r"""NERR9: gain per document for a user who stops when satisfied, grows tired as 1/rank, and stops at rank k.

    .. math:: NERR9@k = \frac{\sum_{i \le k} g_i V_i}{\sum_{i \le k} V_i}, \qquad
              V_1 = 1, \; V_{i+1} = V_i \, \frac{i}{i + 1} \, (1 - g_i)

    Nearly ERR: the discount of ERR, made part of the user who looks at rank i with at most probability 1/i.

    References
    ----------
    Azzopardi, Mackenzie & Moffat, *ERR is not C/W/L: Exploring the relationship between expected reciprocal rank and
    other metrics*, ICTIR 2021, eq. 9.

    Examples
    --------
    >>> round(NERR9(cutoff=2).of([0, 1]), 4)
    0.3333
    """

    name = "NERR9"
    examples = ("NERR9@10", "NERR9(max_rel=4)@20", "NERR9(gains=exp12)@10")

    cutoff: int = cutoff()
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def patience(self, rank: Floats) -> Floats:
        return 1 / rank

    def patience_below(self, rank: Floats) -> Floats:
        from scipy.special import digamma

        return np.maximum(digamma(self.cutoff + 1.0) - digamma(rank + 1.0), 0.0)
