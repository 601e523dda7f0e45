"""Twist: the effort that a ranking avoids."""

from __future__ import annotations

from assay.measures._effort import Recovery, harmonic, space_ratios
from assay.model.arrays import Floats
from assay.model.relative_position import Curves


class Twist(Recovery):
    r"""Twist: what a ranking spares its user, from 1 (the ideal ranking) down to 0 (nothing found, or too late).

    .. math:: Twist = \frac{\rho + \sigma}{2}

    The mean of the recovery ratio, how soon the user has made up for what came too late, and the space ratio, how far
    documents stand from where they should. *N* is one length for all rankings (``Twist@1000``); values with another N
    are not comparable. Topics with more than N/2 relevant documents get 2 R ranks; with ``length=asis`` they do not.

    *weights* multiplies each misplacement by the difference between the gains of the document and of the one that
    should stand there; *persistence*, for users who lose patience, by persistence^(i - 1), where i is the rank of a
    document that comes too early, and the last rank where it was due if it comes too late. Both are extensions of
    assay; without them this is the published measure. With either of them Twist is *discontinuous*: misplacements no
    longer cancel exactly, so a curve that came back to the axis may never do so, and its recovery ratio falls to 0. The
    ranking of the example has 0.8188, and 0.4299 with ``persistence=0.9999``.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016).

    Examples
    --------
    >>> round(Twist(cutoff=15).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1], {3: 2, 2: 2, 1: 3, 0: 4}), 4)
    0.8188
    >>> round(Twist(cutoff=15, persistence=0.9999).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1], {3: 2, 2: 2, 1: 3, 0: 4}), 4)
    0.4299
    """

    name = "Twist"
    examples = (
        "Twist@1000",
        "Twist",
        "Twist(crossing=literal)@1000",
        "Twist(weights=exp)@1000",
        "Twist(persistence=0.99)@1000",
    )
    bounds = (0.0, 1.0)
    swap = False
    replacement = False

    def of_curves(self, curves: Curves) -> Floats:
        return (self.recovered(curves) + harmonic(*space_ratios(curves))) / 2
