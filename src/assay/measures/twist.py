"""Twist and its components: the recovery ratio and the space ratios."""

from __future__ import annotations

import numpy as np

from assay.measures._effort import Effort, Recovery, harmonic_mean, space_ratios
from assay.model.arrays import Floats
from assay.model.relative_position import Curves


class Twist(Recovery):
    r"""Twist: what a ranking spares its user, from 1 (the ideal ranking) down to 0 (nothing found, or too late).

    .. math:: Twist = \frac{\rho + \sigma}{2}

    The mean of the recovery ratio, how soon the user has made up for what came too late, and the space ratio, how far
    documents stand from where they should. *N* is one length for all rankings (``Twist@1000``); values with another N
    are not comparable. Topics with more than N/2 relevant documents get 2 R ranks; with ``length=asis`` they do not.

    *weights* multiplies each misplacement by the difference between the gains of the document and of the one that
    should stand there; *persistence*, for users who lose patience, by persistence^(i - 1), where i is the rank of a
    document that comes too early, and the last rank where it was due if it comes too late. Both are extensions of
    assay; without them this is the published measure. With either of them Twist is *discontinuous*: misplacements no
    longer cancel exactly, so a curve that came back to the axis may never do so, and its recovery ratio falls to 0. The
    ranking of the example has 0.8188, and 0.4299 with ``persistence=0.9999``.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016).

    Examples
    --------
    >>> round(Twist(cutoff=15).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1], {3: 2, 2: 2, 1: 3, 0: 4}), 4)
    0.8188
    >>> round(Twist(cutoff=15, persistence=0.9999).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1], {3: 2, 2: 2, 1: 3, 0: 4}), 4)
    0.4299
    """

    name = "Twist"
    examples = (
        "Twist@1000",
        "Twist",
        "Twist(crossing=literal)@1000",
        "Twist(weights=exp)@1000",
        "Twist(persistence=0.99)@1000",
    )
    bounds = (0.0, 1.0)
    swap = False
    replacement = False

    def evaluate_curves(self, curves: Curves) -> Floats:
        return (self.recovery_ratio(curves) + harmonic_mean(*space_ratios(curves))) / 2


class RecoveryRatio(Recovery):
    r"""The recovery ratio: R over the rank where the user has made up for documents that came too late.

    .. math:: \rho = R / \beta, \qquad \beta = \max(R, j)

    j is where the curve of cumulated relative positions first crosses the axis: from below it to it or beyond. A curve
    that never leaves the axis has 1, one that never comes back 0. With *endpoint* ``left`` j is the last rank before it
    is back, so that a curve that is back at rank R + 1 has 1, too. *crossing* and *endpoint* choose other readings.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016).

    Examples
    --------
    >>> round(RecoveryRatio(cutoff=15).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1], {3: 2, 2: 2, 1: 3, 0: 4}), 4)
    0.7778
    """

    name = "RecoveryRatio"
    aliases = ("rho",)
    examples = ("RecoveryRatio@1000", "RecoveryRatio(crossing=matters)@1000", "RecoveryRatio(endpoint=right)@1000")
    bounds = (0.0, 1.0)
    swap = False
    replacement = True

    def evaluate_curves(self, curves: Curves) -> Floats:
        return self.recovery_ratio(curves)


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
    can_be_infinite = True
    swap = False
    replacement = False
    empty_is_zero = False

    def evaluate_curves(self, curves: Curves) -> Floats:
        return curves.balance(self.crossing, self.endpoint)


class SpaceRatio(Effort):
    r"""The space ratio: the harmonic mean of the forward and the backward space ratio.

    .. math:: \sigma = \frac{2 \sigma^+ \sigma^-}{\sigma^+ + \sigma^-}

    0 if one of them is 0. With less than 2 R ranks (``length=asis``) they can be negative; that counts as 0.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016).

    Examples
    --------
    >>> round(SpaceRatio(cutoff=15).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1], {3: 2, 2: 2, 1: 3, 0: 4}), 4)
    0.8598
    """

    name = "SpaceRatio"
    aliases = ("sigma",)
    examples = ("SpaceRatio@1000",)
    bounds = (0.0, 1.0)
    swap = True
    replacement = False

    def evaluate_curves(self, curves: Curves) -> Floats:
        return harmonic_mean(*space_ratios(curves))


class ForwardSpaceRatio(Effort):
    r"""The forward space ratio: how much of the forward space of the full-scale ranking is avoided.

    .. math:: \sigma^{+} = 1 - s^{+} / s^{+}_{fs}

    The full-scale ranking is the ideal one reversed. No ranking covers more space, as long as there are 2 R ranks; with
    less (``length=asis``) values can be negative.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016).

    Examples
    --------
    >>> round(ForwardSpaceRatio(cutoff=15).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1], {3: 2, 2: 2, 1: 3, 0: 4}), 4)
    0.902
    """

    name = "ForwardSpaceRatio"
    aliases = ("sigma_plus",)
    examples = ("ForwardSpaceRatio@1000",)
    bounds = (0.0, 1.0)
    swap = True
    replacement = False
    empty_is_zero = False

    def evaluate_curves(self, curves: Curves) -> Floats:
        return space_ratios(curves)[0]


class BackwardSpaceRatio(Effort):
    r"""The backward space ratio: how much of the backward space of the full-scale ranking is avoided.

    .. math:: \sigma^{-} = 1 - s^{-} / s^{-}_{fs}

    The full-scale ranking is the ideal one reversed. No ranking covers more space, as long as there are 2 R ranks; with
    less (``length=asis``) values can be negative.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016).

    Examples
    --------
    >>> round(BackwardSpaceRatio(cutoff=15).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1], {3: 2, 2: 2, 1: 3, 0: 4}), 4)
    0.8214
    """

    name = "BackwardSpaceRatio"
    aliases = ("sigma_minus",)
    examples = ("BackwardSpaceRatio@1000",)
    bounds = (0.0, 1.0)
    swap = True
    replacement = True

    def evaluate_curves(self, curves: Curves) -> Floats:
        return space_ratios(curves)[1]


class ForwardSpace(Effort):
    r"""Forward space: how far documents stand behind where they should, all together.

    .. math:: s^{+} = \sum_{RP_i > 0} |RP_i|

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016).

    Examples
    --------
    >>> ForwardSpace(cutoff=15).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1], {3: 2, 2: 2, 1: 3, 0: 4})
    5.0
    """

    name = "ForwardSpace"
    aliases = ("s_plus",)
    examples = ("ForwardSpace@1000",)
    lower_is_better = True
    bounds = (0.0, np.inf)
    swap = False
    replacement = True

    def evaluate_curves(self, curves: Curves) -> Floats:
        return curves.forward


class BackwardSpace(Effort):
    r"""Backward space: how far documents stand before where they should, all together.

    .. math:: s^{-} = \sum_{RP_i < 0} |RP_i|

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016).

    Examples
    --------
    >>> BackwardSpace(cutoff=15).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1], {3: 2, 2: 2, 1: 3, 0: 4})
    5.0
    """

    name = "BackwardSpace"
    aliases = ("s_minus",)
    examples = ("BackwardSpace@1000",)
    lower_is_better = True
    bounds = (0.0, np.inf)
    swap = False
    replacement = False
    empty_is_zero = False

    def evaluate_curves(self, curves: Curves) -> Floats:
        return curves.backward
