"""The ratio of balance points."""

from __future__ import annotations

import numpy as np

from assay.measures._base import param
from assay.measures._effort import Recovery
from assay.model.arrays import Floats
from assay.model.relative_position import Curves


class BalanceRatio(Recovery):
    r"""How much sooner the balance point is reached than by the full-scale ranking.

    .. math:: b_{ratio} = 1 - \beta / \beta_{fs}

    Minus infinity if losses are never made up for; negative if that happens later than in the full-scale ranking, 0 if
    that never recovers either. *clipped* cuts values to lie within 0 and 1.

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci & Silvello, *Cumulated relative position: A metric for
    ranking evaluation*, CLEF 2012.

    Examples
    --------
    >>> round(BalanceRatio(cutoff=20).of([3, 3, 1, 0, 2, 1, 0, 0, 2, 1, 2, 0, 3, 1], {3: 3, 2: 3, 1: 4, 0: 4}), 4)
    0.2353
    """

    name = "BalanceRatio"
    aliases = ("b_ratio",)
    examples = ("BalanceRatio@1000", "BalanceRatio(clipped=true)@1000")
    bounds = (-np.inf, 1.0)
    clipped: bool = param("cut values to 0 and 1, as for display", False, kind="flag")
    swap = False
    replacement = True

    def of_curves(self, curves: Curves) -> Floats:
        ours = curves.balance(self.crossing, self.endpoint)
        full = curves.full_scale.balance(self.crossing, self.endpoint)[curves.topic]
        # Where the full-scale ranking does not recover (below 2 R ranks), only what does not either is no better.
        never = np.where(np.isinf(ours), 0.0, 1.0)
        share = 1 - np.divide(ours, full, out=1 - never, where=np.isfinite(full) & (full > 0))
        return np.asarray(np.clip(share, 0, 1) if self.clipped else share)
