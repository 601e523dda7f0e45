"""Indicators of the curve of cumulated relative positions."""

from __future__ import annotations

import numpy as np

from assay.measures._effort import Effort, Recovery, avoided_share
from assay.measures._parameters import param
from assay.model.arrays import Floats
from assay.model.relative_position import Curves


class TurnAround(Effort):
    r"""The turn-around: the first rank where the cumulated relative position is lowest; from there on it gets better.

    .. math:: m = \min \operatorname{arg\,min}_j CRP_j

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci & Silvello, *Cumulated relative position: A metric for
    ranking evaluation*, CLEF 2012.

    Examples
    --------
    >>> TurnAround(cutoff=20).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], {3: 3, 2: 3, 1: 4, 0: 4})
    9.0
    """

    name = "TurnAround"
    examples = ("TurnAround@1000",)
    bounds = (0.0, np.inf)
    swap = False
    replacement = False
    empty_is_zero = False
    ideal_is_best = False

    def evaluate_curves(self, curves: Curves) -> Floats:
        return curves.turn.astype(np.float64)


class LossAtR(Effort):
    r"""The loss at R: the cumulated relative position where the ideal ranking has shown all that is relevant.

    .. math:: CRP_R = \sum_{i \le R} RP_i

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci & Silvello, *Cumulated relative position: A metric for
    ranking evaluation*, CLEF 2012.

    Examples
    --------
    >>> LossAtR(cutoff=20).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], {3: 3, 2: 3, 1: 4, 0: 4})
    -19.0
    """

    name = "LossAtR"
    examples = ("LossAtR@1000",)
    bounds = (-np.inf, np.inf)
    swap = False
    replacement = True
    empty_is_zero = False
    ideal_is_best = False

    def evaluate_curves(self, curves: Curves) -> Floats:
        return curves.at(curves.relevant)


class CRPmin(Effort):
    r"""Relative depth of the curve at its turn-around m: 1 minus its share of that of the full-scale ranking.

    .. math:: CRP_{min} = 1 - CRP_m / CRP^{fs}_m

    Not a number if the curve of the full-scale ranking is on the axis there, which takes less than 2 R ranks
    (``length=asis``) or weights that make relevant documents worth no more than others.

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci & Silvello, *Cumulated relative position: A metric for
    ranking evaluation*, CLEF 2012.

    Examples
    --------
    >>> round(CRPmin(cutoff=20).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], {3: 3, 2: 3, 1: 4, 0: 4}), 4)
    0.6481
    """

    name = "CRPmin"
    examples = ("CRPmin@1000",)
    bounds = (0.0, 1.0)
    swap = False
    replacement = False

    def evaluate_curves(self, curves: Curves) -> Floats:
        return avoided_share(curves, curves.turn)


class CRPN(Effort):
    r"""Relative end of the curve: 1 minus its share of the height where that of the full-scale ranking ends.

    .. math:: CRP_N = 1 - CRP_N / CRP^{fs}_N

    Above 1 if the curve ends below the axis; not a number if that of the full-scale ranking ends on it (one grade and
    N = 2 R). *clipped* cuts values to lie within 0 and 1.

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci & Silvello, *Cumulated relative position: A metric for
    ranking evaluation*, CLEF 2012.

    Examples
    --------
    >>> round(CRPN(cutoff=20).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], {3: 3, 2: 3, 1: 4, 0: 4}), 4)
    1.3333
    """

    name = "CRPN"
    aliases = ("CRP_N",)
    examples = ("CRPN@1000", "CRPN(clipped=true)@1000")
    bounds = (-np.inf, np.inf)
    clipped: bool = param("cut values to 0 and 1, as for display", False, kind="flag")
    swap = False
    replacement = False
    empty_is_zero = False

    @property
    def ideal_is_best(self) -> bool:
        return self.clipped

    def evaluate_curves(self, curves: Curves) -> Floats:
        share = avoided_share(curves, curves.length)
        return np.clip(share, 0, 1) if self.clipped else share


class BalanceRatio(Recovery):
    r"""Balance ratio: 1 minus the balance point divided by that of the full-scale ranking.

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
    can_be_infinite = True
    clipped: bool = param("cut values to 0 and 1, as for display", False, kind="flag")
    swap = False
    replacement = True

    @property
    def empty_is_zero(self) -> bool:
        return self.clipped

    def evaluate_curves(self, curves: Curves) -> Floats:
        ours = curves.balance(self.crossing, self.endpoint)
        full = curves.full_scale.balance(self.crossing, self.endpoint)[curves.topic]
        # Where the full-scale ranking does not recover (below 2 R ranks), only what does not either is no better.
        never = np.where(np.isinf(ours), 0.0, 1.0)
        share = 1 - np.divide(ours, full, out=1 - never, where=np.isfinite(full) & (full > 0))
        return np.asarray(np.clip(share, 0, 1) if self.clipped else share)


class RhoW(Recovery):
    r"""The recovery ratio of the full-scale ranking of the topic: what is left when everything comes last.

    .. math:: \rho_w = R / \beta_{fs}

    It depends on the topic and the length of rankings only.

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci & Silvello, *Cumulated relative position: A metric for
    ranking evaluation*, CLEF 2012.

    Examples
    --------
    >>> round(RhoW(cutoff=20).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], {3: 3, 2: 3, 1: 4, 0: 4}), 4)
    0.5882
    """

    name = "RhoW"
    aliases = ("rho_w",)
    examples = ("RhoW@1000",)
    bounds = (0.0, 1.0)
    order_matters = False
    empty_is_zero = False

    def evaluate_curves(self, curves: Curves) -> Floats:
        return self.recovery_ratio(curves.full_scale)[curves.topic]
