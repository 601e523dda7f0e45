"""The loss at R."""

from __future__ import annotations

import numpy as np

from assay.measures._effort import Effort
from assay.model.arrays import Floats
from assay.model.relative_position import Curves


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

    def of_curves(self, curves: Curves) -> Floats:
        return curves.at(curves.relevant)
