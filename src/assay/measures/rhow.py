"""The recovery ratio of the full-scale ranking."""

from __future__ import annotations

from assay.measures._effort import Recovery
from assay.model.arrays import Floats
from assay.model.relative_position import Curves


class RhoW(Recovery):
    r"""The recovery ratio of the full-scale ranking of the topic: what is left when everything comes last.

    .. math:: \rho_w = R / \beta_{fs}

    It depends on the topic and the length of rankings only.

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci & Silvello, *Cumulated relative position: A metric for
    ranking evaluation*, CLEF 2012.

    Examples
    --------
    >>> round(RhoW(cutoff=20).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], {3: 3, 2: 3, 1: 4, 0: 4}), 4)
    0.5882
    """

    name = "RhoW"
    aliases = ("rho_w",)
    examples = ("RhoW@1000",)
    bounds = (0.0, 1.0)
    order_matters = False

    def of_curves(self, curves: Curves) -> Floats:
        return self.recovered(curves.full_scale)[curves.topic]
