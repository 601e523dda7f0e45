"""Twist and its components: the recovery ratio and the space ratios.

All of them evaluate relative positions. The relative position RP_i of the document at rank i is 0 if the ideal ranking
has a document of the same grade at rank i. Otherwise RP_i is the number of ranks by which the document is too late; it
is negative if the document is too early. CRP is the cumulated relative position, the running sum of RP.
"""

from __future__ import annotations

import numpy as np

from assay.measures._effort import Effort, Recovery, harmonic_mean, space_ratios
from assay.model.arrays import Floats
from assay.model.relative_position import Curves


class Twist(Recovery):
    r"""Twist: how much user effort a ranking avoids, from 0 to 1 (the ideal ranking).

    .. math:: Twist = \frac{\rho + \sigma}{2}

    The relative position of a document is its distance in ranks from the interval where the ideal ranking has documents
    of the same grade. Twist is the mean of the recovery ratio rho (how soon the cumulated relative position returns to
    0) and the space ratio sigma (how close documents are to their ideal ranks). The value is 0 if no relevant document
    is retrieved. Use it with gain measures such as nDCG to compare gain with user effort. *N* is the common length of
    all rankings (``Twist@1000``); values with different N are not comparable. For topics with more than N/2 relevant
    documents, rankings are cut or padded to 2 R documents instead, unless ``length=asis``.

    *weights* and *persistence* are extensions of assay. Without them, Twist is the published measure. The value changes
    continuously with both. *weights* multiplies each misplacement by the difference between the gain of the document
    and the ideal gain at its rank. *persistence* models a user who continues to the next rank with this probability. A
    misplacement that begins at rank i counts persistence^(i - 1): i is the rank of a document that is too early, or the
    last ideal rank of a document that is too late. RecoveryRatio discounts ranks in the same way. Neither extension
    changes the rank at which a ranking has recovered.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016).

    Examples
    --------
    >>> round(Twist(cutoff=15).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1], {3: 2, 2: 2, 1: 3, 0: 4}), 4)
    0.8188
    >>> round(Twist(cutoff=15, persistence=0.9999).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1], {3: 2, 2: 2, 1: 3, 0: 4}), 4)
    0.8188
    """

    name = "Twist"
    examples = (
        "Twist@1000",
        "Twist",
        "Twist(crossing=literal)@1000",
        "Twist(weights=exp)@1000",
        "Twist(persistence=0.99)@1000",
    )
    swap = False
    replacement = False

    def evaluate_curves(self, curves: Curves) -> Floats:
        return (curves.recovery_ratio(self.crossing, self.endpoint) + harmonic_mean(*space_ratios(curves))) / 2


class RecoveryRatio(Recovery):
    r"""Recovery ratio: R divided by the balance point, where the cumulated relative position has returned to 0.

    .. math:: \rho = R / \beta, \qquad \beta = \max(R, j)

    j is the rank at which the curve of cumulated relative positions first crosses the axis: from below the axis to the
    axis or above. The value is 1 if the curve never leaves the axis and 0 if it never returns. The parameters
    *crossing* and *endpoint* select other definitions of j. With the default ``endpoint=left``, j is the last rank
    before the crossing, so a curve that returns at rank R + 1 also has the value 1.

    With a persistence p, a user reaches rank i with probability :math:`p^{i-1}` and sees
    :math:`W(n) = 1 + p + \dots + p^{n-1}` of the first n documents on average. The ratio then becomes

    .. math:: \rho = p^{\beta - R} \, W(R) / W(\beta)

    This is the number of documents that the user sees up to rank R, divided by the number up to the balance point,
    times the probability that a user at rank R reaches the balance point. The ratio is R / beta for p = 1.

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
    swap = False
    replacement = True

    def evaluate_curves(self, curves: Curves) -> Floats:
        return curves.recovery_ratio(self.crossing, self.endpoint)


class BalancePoint(Recovery):
    r"""Balance point: the last rank before the cumulated relative position returns to 0, at least R.

    .. math:: \beta = \max(R, j)

    j is the rank at which the curve crosses the axis, as defined for RecoveryRatio. The value is R if the curve never
    leaves the axis and infinite if it never returns. Lower values are better.

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
        return curves.balance_point(self.crossing, self.endpoint)


class SpaceRatio(Effort):
    r"""Space ratio: the harmonic mean of the forward and the backward space ratio.

    .. math:: \sigma = \frac{2 \sigma^+ \sigma^-}{\sigma^+ + \sigma^-}

    The value is 0 unless both ratios are positive. The ratios can be negative if N is less than 2 R
    (``length=asis``).

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
    swap = True
    replacement = False

    def evaluate_curves(self, curves: Curves) -> Floats:
        return harmonic_mean(*space_ratios(curves))


class ForwardSpaceRatio(Effort):
    r"""Forward space ratio: 1 minus the ratio of the forward spaces of the ranking and of the full-scale ranking.

    .. math:: \sigma^{+} = 1 - s^{+} / s^{+}_{fs}

    The full-scale ranking is the reversed ideal ranking. If N is at least 2 R, no ranking has more space than the
    full-scale ranking; with a smaller N (``length=asis``), values can be negative.

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
    swap = True
    replacement = False
    empty_is_zero = False

    def evaluate_curves(self, curves: Curves) -> Floats:
        return space_ratios(curves)[0]


class BackwardSpaceRatio(Effort):
    r"""Backward space ratio: 1 minus the ratio of the backward spaces of the ranking and of the full-scale ranking.

    .. math:: \sigma^{-} = 1 - s^{-} / s^{-}_{fs}

    The full-scale ranking is the reversed ideal ranking. If N is at least 2 R, no ranking has more space than the
    full-scale ranking; with a smaller N (``length=asis``), values can be negative.

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
    swap = True
    replacement = True

    def evaluate_curves(self, curves: Curves) -> Floats:
        return space_ratios(curves)[1]


class ForwardSpace(Effort):
    r"""Forward space: the total number of ranks by which documents are too late.

    .. math:: s^{+} = \sum_{RP_i > 0} |RP_i|

    RP_i is the relative position of the document at rank i; see Twist. Lower values are better.

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
    r"""Backward space: the total number of ranks by which documents are too early.

    .. math:: s^{-} = \sum_{RP_i < 0} |RP_i|

    RP_i is the relative position of the document at rank i; see Twist. Non-relevant documents above rank R are too
    early. Lower values are better.

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
