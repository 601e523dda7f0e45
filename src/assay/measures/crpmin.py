"""How low the curve falls."""

from __future__ import annotations

from assay.measures._effort import Effort, avoided
from assay.model.arrays import Floats
from assay.model.relative_position import Curves


class CRPmin(Effort):
    r"""How much less deep the curve falls than that of the full-scale ranking, at its turn-around m.

    .. math:: CRP_{min} = 1 - CRP_m / CRP^{fs}_m

    Not a number if the curve of the full-scale ranking is on the axis there, which takes less than 2 R ranks
    (``length=asis``) or weights that make relevant documents worth no more than others.

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
    bounds = (0.0, 1.0)
    swap = False
    replacement = False

    def of_curves(self, curves: Curves) -> Floats:
        return avoided(curves, curves.turn)
