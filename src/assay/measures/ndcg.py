"""Normalised discounted cumulated gain."""

from __future__ import annotations

from assay.measures._base import cutoff, floor, gains, max_rel
from assay.measures._discount import Discounted, base
from assay.measures._graded import Normalised
from assay.model.gains import Gains


class nDCG(Discounted, Normalised):
    """Normalised discounted cumulated gain: DCG over the DCG of the ideal ranking.

    .. math:: nDCG@k = DCG@k / DCG^*@k

    The ideal ranking holds every judged document of the topic, best first, cut at k. The default is that of
    trec_eval: the grade is the gain, the discount is log2(1 + rank). ``gains=exp`` gives 2^g - 1, ``base=10,
    gains=base5`` the variant of Järvelin and Kekäläinen.

    References
    ----------
    Järvelin & Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, TOIS 20 (2002).

    Examples
    --------
    >>> round(nDCG(cutoff=3).of([1, 3, 2]), 4)
    0.8175
    """

    name = "nDCG"
    trec_eval = ("ndcg", "ndcg_cut_*")
    examples = ("nDCG@10", "nDCG", "nDCG(gains=exp12)@20", "nDCG(base=10, gains=base5)", "nDCG(gains={1:3,2:9})@10")
    swap = True
    replacement = True
    dilutes = True

    cutoff: int | None = cutoff(None)
    base: float | None = base()
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()
