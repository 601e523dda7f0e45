"""Normalised cumulated gain."""

from __future__ import annotations

from assay.measures._base import cutoff, floor, gains, max_rel
from assay.measures._graded import Normalised
from assay.model.gains import Gains


class nCG(Normalised):
    """Normalised cumulated gain: the gains of the top k over those of the ideal ranking.

    .. math:: nCG@k = CG@k / CG^*@k

    References
    ----------
    Järvelin & Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, TOIS 20 (2002).

    Examples
    --------
    >>> nCG(cutoff=2).of([3, 0, 2])
    0.6
    """

    name = "nCG"
    examples = ("nCG@10", "nCG(gains=exp)@100", "nCG")
    swap = True
    replacement = True
    dilutes = True

    cutoff: int | None = cutoff(None)
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()
