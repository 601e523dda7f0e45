"""The turn-around."""

from __future__ import annotations

import numpy as np

from assay.measures._effort import Effort
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

    def of_curves(self, curves: Curves) -> Floats:
        return curves.turn.astype(np.float64)
