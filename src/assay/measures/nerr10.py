"""Nearly expected reciprocal rank with the patience of RBP."""

from __future__ import annotations

import numpy as np

from assay.measures._base import floor, gains, max_rel, param
from assay.measures._nearly import Nearly
from assay.model.arrays import Floats
from assay.model.gains import Gains


class NERR10(Nearly):
    r"""NERR10: gain per document for a user who stops when satisfied and otherwise goes on with probability p.

    .. math:: NERR10 = \frac{\sum_{i} g_i V_i}{\sum_{i} V_i}, \qquad
              V_1 = 1, \; V_{i+1} = V_i \, p \, (1 - g_i)

    Nearly ERR with the patience of RBP. The walk goes on for ever; cwl_eval cuts it at rank 1000.

    References
    ----------
    Azzopardi, Mackenzie & Moffat, *ERR is not C/W/L: Exploring the relationship between expected reciprocal rank and
    other metrics*, ICTIR 2021, eq. 10.

    Examples
    --------
    >>> round(NERR10(p=0.5).of([0, 1]), 4)
    0.3333
    """

    name = "NERR10"
    examples = ("NERR10(p=0.9)", "NERR10(p=0.8, max_rel=4)", "NERR10(p=0.9, gains=binary)")

    p: float = param("persistence: probability of looking at the next document", low=0, below=1)
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def patience(self, rank: Floats) -> Floats:
        return np.power(float(self.p), rank - 1)

    def patience_below(self, rank: Floats) -> Floats:
        return np.power(float(self.p), rank) / (1 - self.p)
