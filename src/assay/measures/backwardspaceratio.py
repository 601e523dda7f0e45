"""The backward space ratio."""

from __future__ import annotations

from assay.measures._effort import Effort, space_ratios
from assay.model.arrays import Floats
from assay.model.relative_position import Curves


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

    def of_curves(self, curves: Curves) -> Floats:
        return space_ratios(curves)[1]
