"""The space ratio."""

from __future__ import annotations

from assay.measures._effort import Effort, harmonic, space_ratios
from assay.model.arrays import Floats
from assay.model.relative_position import Curves


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

    def of_curves(self, curves: Curves) -> Floats:
        return harmonic(*space_ratios(curves))
