"""Cumulated gain: CG, DCG and their normalised forms."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.measures._base import Additive
from assay.measures._graded import Graded, GradedSum, Normalised
from assay.measures._parameters import cutoff, floor, gains, max_rel, param
from assay.model.arrays import Floats, Ints, Numbers
from assay.model.gains import Gains
from assay.model.judged import Judged


def base() -> Any:
    """Declare the base of the logarithm of Järvelin and Kekäläinen."""
    return param("divide by max(1, log_base(rank)) instead of log2(1 + rank)", None, above=1)


def discount(rank: Ints, base: float | None) -> Floats:
    """Return the divisors of gains: log2(1 + rank), or max(1, log_base(rank))."""
    if base is None:
        return np.asarray(np.log2(rank + 1.0))
    if base in (2, 10):
        return np.maximum(1.0, np.log2(rank) if base == 2 else np.log10(rank))
    return np.asarray(np.maximum(1.0, np.log(rank) / np.log(base)))


class Discounted(Additive):
    """A sum of gains, each divided by the discount of its rank."""

    if TYPE_CHECKING:
        base: float | None

    def weight(self, rank: Ints) -> Floats:
        return 1 / discount(rank, self.base)

    def weighed(self, gain: Floats, rank: Ints) -> Floats:
        return gain / discount(rank, self.base)


class CG(GradedSum):
    r"""Cumulated gain: the sum of the gains of the top k.

    .. math:: CG@k = \sum_{i \le k} g_i

    References
    ----------
    Järvelin & Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, TOIS 20 (2002).

    Examples
    --------
    >>> CG(cutoff=3).of([3, 0, 2, 1])
    5.0
    """

    name = "CG"
    examples = ("CG@10", "CG(gains=negative)@10", "CG")
    bounds = (-np.inf, np.inf)
    swap = True
    replacement = True

    cutoff: int | None = cutoff(None)
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()


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
    bounds_strategy = "normalised"

    cutoff: int | None = cutoff(None)
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()


class DCG(Discounted, GradedSum):
    r"""Discounted cumulated gain: gains count less the deeper they stand.

    .. math:: DCG@k = \sum_{i \le k} \frac{g_i}{\log_2(1 + i)}
       \qquad\text{or with a base b}\qquad
       DCG_b@k = \sum_{i \le k} \frac{g_i}{\max(1, \log_b i)}

    The second form is the original one of Järvelin and Kekäläinen: no discount before rank b.

    References
    ----------
    Järvelin & Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, TOIS 20 (2002).
    Burges et al., *Learning to rank using gradient descent*, ICML 2005 (gains 2^g - 1).

    Examples
    --------
    >>> DCG(cutoff=3).of([3, 0, 2])
    4.0
    """

    name = "DCG"
    trec_eval = ("dcg",)
    examples = ("DCG@10", "DCG(gains=exp)@20", "DCG(base=10, gains=negative)", "DCG(base=2)")
    bounds = (-np.inf, np.inf)
    swap = True
    replacement = True

    cutoff: int | None = cutoff(None)
    base: float | None = base()
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()


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
    bounds_strategy = "normalised"

    cutoff: int | None = cutoff(None)
    base: float | None = base()
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()


class MeanNDCG(Discounted, Normalised):
    r"""The mean of nDCG over the prefixes of the top k.

    .. math:: MeanNDCG@k = \frac{1}{k} \sum_{i \le k} nDCG@i

    A ranking shorter than k keeps the DCG of its last document. Each gain counts once for every prefix that
    holds it, so the sum is additive with weights that depend on the ideal ranking of the topic.

    References
    ----------
    Järvelin & Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, TOIS 20 (2002); recalled in
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE.

    Examples
    --------
    >>> from assay.measures.dcg import nDCG
    >>> MeanNDCG(cutoff=2).of([0, 1], judged={1: 1, 0: 1}) == nDCG(cutoff=2).of([0, 1]) / 2
    True
    """

    name = "MeanNDCG"
    aliases = ("mnDCG",)
    examples = ("MeanNDCG@10", "MeanNDCG(gains=exp)@20", "MeanNDCG(base=10, gains=base5)@100")
    swap = True
    replacement = True
    dilutes = True
    med_strategy = "mean-of-prefixes"

    cutoff: int = cutoff()
    base: float | None = base()
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def score(self, judged: Judged) -> Floats:
        rows = self.rows_to_depth(judged)
        tail = self._tails(judged, judged.topic[rows.ranking], rows.rank)
        return judged.total(rows.ranking, self.weighed(rows.gain, rows.rank) * tail) / self.cutoff

    def _tails(self, judged: Judged, topic: Ints, rank: Ints) -> Floats:
        """Return the sum over j = rank..k of 1 / ideal DCG@j, which is constant beyond the end of the ideal ranking."""
        ideal = judged.ideal(self.gain(judged))
        keep = ideal.rank <= self.cutoff
        length = np.bincount(ideal.ranking[keep], minlength=len(judged.counts))
        amount = np.zeros((len(length), max(int(length.max(initial=0)), 1)))
        amount[ideal.ranking[keep], ideal.rank[keep] - 1] = self.weighed(ideal.gain, ideal.rank)[keep]
        whole = np.cumsum(amount, axis=1)
        inside = np.arange(whole.shape[1]) < length[:, None]
        inverse = np.divide(1.0, whole, out=np.zeros(whole.shape), where=inside)
        every = np.arange(len(length)), np.maximum(length, 1) - 1
        last = inverse[every]
        inverse[every] *= self.cutoff - length + 1
        tails = np.cumsum(inverse[:, ::-1], axis=1)[:, ::-1]
        within = tails[topic, np.minimum(rank, whole.shape[1]) - 1]
        beyond: Floats = (self.cutoff - rank + 1) * last[topic]
        return np.where(rank <= length[topic], within, beyond)


_PIECE = 1 << 20  # ranks summed at once, so that a huge cutoff does not take the memory of as many numbers


class SDCG(Discounted, GradedSum):
    r"""Scaled DCG: DCG over that of k documents of gain 1; a weighted precision that needs no recall base.

    .. math:: SDCG@k = \frac{1}{S_k} \sum_{i \le k} \frac{g_i}{\log_2(1 + i)},
              \qquad S_k = \sum_{i \le k} \frac{1}{\log_2(1 + i)}

    Gains are scaled to the top of the scale: ``unit`` by default, ``exp12`` for the gains of the reference.

    References
    ----------
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, eqs. 3-5 and 12.

    Examples
    --------
    >>> SDCG(cutoff=3).of([1, 1, 1])
    1.0
    """

    name = "SDCG"
    examples = ("SDCG@10", "SDCG(gains=exp12)@20", "SDCG(gains=binary, rel=2)@10", "SDCG(max_rel=4)@10")
    unit_gains = True
    base = None
    swap = True
    replacement = True

    cutoff: int = cutoff(high=10_000_000)  # the scale adds up this many terms
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def scale(self, judged: Judged) -> float | Numbers:
        pieces = range(1, self.cutoff + 1, _PIECE)
        return math.fsum(
            float(self.weight(np.arange(first, min(first + _PIECE, self.cutoff + 1))).sum()) for first in pieces
        )


class IdealDCG(Graded):
    r"""The DCG of the ideal ranking of the topic, whatever was retrieved: what nDCG divides by.

    .. math:: DCG^*@k = \sum_{i \le k} \frac{g^*_i}{\log_2(1 + i)}

    g* are the gains of all judged documents that are worth something, best first. A *base* changes the discount as
    in DCG.

    References
    ----------
    Järvelin & Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, TOIS 20 (2002).

    Examples
    --------
    >>> IdealDCG().of([0, 2], judged={3: 1, 2: 2, 0: 1}) - IdealDCG(cutoff=2).of([0, 2], judged={3: 1, 2: 2, 0: 1})
    1.0
    """

    name = "IdealDCG"
    aliases = ("IDCG",)
    trec_eval = ("ideal_dcg",)
    examples = ("IdealDCG", "IdealDCG@10", "IdealDCG(gains=exp)@20", "IdealDCG(base=2)")
    bounds = (0.0, np.inf)
    order_matters = False
    empty_is_zero = False
    bounds_strategy = "counts"

    cutoff: int | None = cutoff(None)
    base: float | None = base()
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def score(self, judged: Judged) -> Floats:
        ideal = judged.ideal(self.gain(judged))
        keep = slice(None) if self.cutoff is None else ideal.rank <= self.cutoff
        return judged.ideal_total(ideal.ranking[keep], (ideal.gain / discount(ideal.rank, self.base))[keep])
