"""The recovery ratio."""

from __future__ import annotations

from assay.measures._effort import Recovery
from assay.model.arrays import Floats
from assay.model.relative_position import Curves


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

    def of_curves(self, curves: Curves) -> Floats:
        return self.recovered(curves)
