"""Where the curve ends."""

from __future__ import annotations

import numpy as np

from assay.measures._base import param
from assay.measures._effort import Effort, avoided
from assay.model.arrays import Floats
from assay.model.relative_position import Curves


class CRPN(Effort):
    r"""How much of the height is avoided at which the curve of the full-scale ranking ends.

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

    def of_curves(self, curves: Curves) -> Floats:
        share = avoided(curves, curves.length)
        return np.clip(share, 0, 1) if self.clipped else share
