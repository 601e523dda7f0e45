"""Forward space."""

from __future__ import annotations

import numpy as np

from assay.measures._effort import Effort
from assay.model.arrays import Floats
from assay.model.relative_position import Curves


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

    def of_curves(self, curves: Curves) -> Floats:
        return curves.forward
