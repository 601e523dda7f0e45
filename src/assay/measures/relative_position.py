"""Indicators of the curve of cumulated relative positions (CRP)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import ratio
from assay.measures._effort import Effort, Recovery, avoided_fraction
from assay.measures._parameters import param
from assay.model.arrays import Floats
from assay.model.relative_position import Curves, EffortSettings


class TurnAround(Effort):
    r"""Turn-around: the first rank at which the cumulated relative position is lowest.

    .. math:: m = \min \operatorname{arg\,min}_j CRP_j

    CRP_j is the sum of the relative positions down to rank j; see Twist. Down to the turn-around, documents that are
    too early dominate; after it, the ranking recovers. The indicator describes the curve and does not rate it.

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
        return curves.turn_around.astype(np.float64)


class LossAtR(Effort):
    r"""Loss at R: the cumulated relative position at rank R, where the relevant documents of an ideal ranking end.

    .. math:: CRP_R = \sum_{i \le R} RP_i

    R is the number of relevant documents of the topic. An ideal ranking has the value 0. Non-relevant documents in the
    top R lower the value.

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
        return curves.height_at(curves.recall_base)


class CRP(Effort):
    r"""CRP: the cumulated relative position at rank n, the value of the curve at that rank.

    .. math:: CRP@n = \sum_{i \le n} RP_i

    RP_i is the relative position of the document at rank i; see Twist. An ideal ranking has the value 0 at every rank.
    A negative value means that documents in the top n are too early on balance, a positive value that they are too
    late. Neither is better, so the measure describes a ranking and does not rate it.

    The sum grows with R, the number of relevant documents of the topic. ``norm=R`` divides it by R, so that means over
    topics are not dominated by topics with many relevant documents. ``norm=full-scale`` compares the value with the
    reversed ideal ranking (fs) at the same rank:

    .. math:: 1 - CRP_n / CRP^{fs}_n

    This value is 1 for an ideal ranking, and NaN where the full-scale curve is on the axis. The full-scale ranking has
    *depth* documents, by default n, or 2 R if that is more. If n is at least 2 R, the default gives the value of CRPN.
    If *depth* is at least n + R, the full-scale ranking has no relevant document in the top n, and the value is 0 for
    a ranking without relevant documents.

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci & Silvello, *Cumulated relative position: A metric for
    ranking evaluation*, CLEF 2012.

    Examples
    --------
    >>> CRP(cutoff=20).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], {3: 3, 2: 3, 1: 4, 0: 4})
    -11.0
    >>> CRP(cutoff=20, norm="R").of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], {3: 3, 2: 3, 1: 4, 0: 4})
    -1.1
    """

    name = "CRP"
    examples = ("CRP@20", "CRP(norm=R)@20", "CRP(norm=full-scale)@1000")
    bounds = (-np.inf, np.inf)
    swap = False
    replacement = False
    empty_is_zero = False
    ideal_is_best = False

    cutoff: int = param("rank n", kind="whole", low=1, at=True)
    norm: str = param(
        "divide by nothing or by R, or compare with the full-scale ranking",
        "none",
        kind="text",
        choices=("none", "R", "full-scale"),
    )
    depth: int | None = param("length of the full-scale ranking; none stands for n", None, kind="whole", low=1)

    def check(self) -> None:
        if self.depth is None:
            return
        if self.norm != "full-scale":
            raise MeasureError("measure 'CRP': depth has no effect without norm=full-scale")
        if self.depth < self.cutoff:
            raise MeasureError(f"measure 'CRP': depth must be at least the rank {self.cutoff}, got {self.depth}")

    @property
    def setting(self) -> EffortSettings:
        return replace(super().setting, depth=self.depth or self.cutoff)

    def evaluate_curves(self, curves: Curves) -> Floats:
        rank = np.full(len(curves), self.cutoff)
        if self.norm == "full-scale":
            return avoided_fraction(curves, rank)
        height = curves.height_at(rank)
        return ratio(height, curves.recall_base) if self.norm == "R" else height


class CRPmin(Effort):
    r"""CRPmin: the cumulated relative position at the turn-around m, relative to the full-scale ranking.

    .. math:: CRP_{min} = 1 - CRP_m / CRP^{fs}_m

    The full-scale ranking (fs) is the reversed ideal ranking. The value is 1 for an ideal ranking and 0 for the
    full-scale ranking. It is NaN if the full-scale curve is on the axis at rank m. This happens only with fewer than
    2 R ranks (``length=asis``), or with weights that give relevant documents no more gain than others.

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
    swap = False
    replacement = False

    def evaluate_curves(self, curves: Curves) -> Floats:
        return avoided_fraction(curves, curves.turn_around)


class CRPN(Effort):
    r"""CRPN: the cumulated relative position at the last rank N, relative to the full-scale ranking.

    .. math:: CRP_N = 1 - CRP_N / CRP^{fs}_N

    The full-scale ranking (fs) is the reversed ideal ranking. The value is above 1 if the curve ends below the axis. It
    is NaN if the full-scale curve ends on the axis (a single grade and N = 2 R). *clipped* limits values to the range
    from 0 to 1.

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
    clipped: bool = param("limit values to the range from 0 to 1, for display", False, kind="flag")
    swap = False
    replacement = False
    empty_is_zero = False

    @property
    def ideal_is_best(self) -> bool:
        return self.clipped

    def evaluate_curves(self, curves: Curves) -> Floats:
        fraction = avoided_fraction(curves, curves.length)
        return np.clip(fraction, 0, 1) if self.clipped else fraction


class BalanceRatio(Recovery):
    r"""Balance ratio: 1 minus the ratio of the balance points of the ranking and of the full-scale ranking.

    .. math:: b_{ratio} = 1 - \beta / \beta_{fs}

    The full-scale ranking (fs) is the reversed ideal ranking. The value is negative if the curve returns to the axis
    later than the full-scale curve, and minus infinity if it never returns. If the full-scale curve never returns, the
    value is 1 for curves that return and 0 for others. *clipped* limits values to the range from 0 to 1.

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
    clipped: bool = param("limit values to the range from 0 to 1, for display", False, kind="flag")
    swap = False
    replacement = True

    @property
    def empty_is_zero(self) -> bool:
        return self.clipped

    def evaluate_curves(self, curves: Curves) -> Floats:
        beta = curves.balance_point(self.crossing, self.endpoint)
        full_scale_beta = curves.full_scale.balance_point(self.crossing, self.endpoint)[curves.topic]
        # With fewer than 2 R ranks the full-scale curve may never return to the axis. The value is then 1 for rankings
        # whose curve returns to the axis, and 0 for all other rankings.
        returns = np.where(np.isinf(beta), 0.0, 1.0)
        can_divide = np.isfinite(full_scale_beta) & (full_scale_beta > 0)
        fraction = 1 - np.divide(beta, full_scale_beta, out=1 - returns, where=can_divide)
        return np.asarray(np.clip(fraction, 0, 1) if self.clipped else fraction)


class RhoW(Recovery):
    r"""Recovery ratio of the full-scale ranking of the topic, the reversed ideal ranking.

    .. math:: \rho_w = R / \beta_{fs}

    The value depends only on the topic and the length N of the rankings, not on the run. It is a reference for
    RecoveryRatio: the value of a ranking with all relevant documents at its end, in ascending order of grade.

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
    order_matters = False
    empty_is_zero = False

    def evaluate_curves(self, curves: Curves) -> Floats:
        return curves.full_scale.recovery_ratio(self.crossing, self.endpoint)[curves.topic]
