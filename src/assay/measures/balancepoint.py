"""The balance point."""

from __future__ import annotations

import numpy as np

from assay.measures._effort import Recovery
from assay.model.arrays import Floats
from assay.model.relative_position import Curves


class BalancePoint(Recovery):
    r"""The balance point: the last rank before losses are made up for, at least R; infinite if they never are.

    .. math:: \beta = \max(R, j)

    j as for the recovery ratio.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016).

    Examples
    --------
    >>> BalancePoint(cutoff=15).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1], {3: 2, 2: 2, 1: 3, 0: 4})
    9.0
    """

    name = "BalancePoint"
    aliases = ("beta",)
    examples = ("BalancePoint@1000", "BalancePoint(endpoint=right)@1000")
    lower_is_better = True
    bounds = (0.0, np.inf)
    swap = False
    replacement = False

    def of_curves(self, curves: Curves) -> Floats:
        return curves.balance(self.crossing, self.endpoint)
