"""Cumulated gain: CG, DCG and their normalised variants."""

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
    """Declare the base of the logarithmic discount of Järvelin and Kekäläinen."""
    return param("base of the discount max(1, log_base(rank)), instead of log2(1 + rank)", None, above=1)


def discount(rank: Ints, base: float | None) -> Floats:
    """Return the divisors of the gains: log2(1 + rank), or max(1, log_base(rank))."""
    if base is None:
        return np.asarray(np.log2(rank + 1.0))
    # log2 and log10 are exact at powers of 2 and 10; a quotient of logarithms is not.
    if base in (2, 10):
        return np.maximum(1.0, np.log2(rank) if base == 2 else np.log10(rank))
    return np.asarray(np.maximum(1.0, np.log(rank) / np.log(base)))


class DiscountParameters(Graded):
    """The parameters of DCG and of measures derived from it."""

    cutoff: int | None = cutoff(None)
    base: float | None = base()
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()


class Discounted(Additive):
    """A sum of gains, each divided by the discount of its rank."""

    if TYPE_CHECKING:
        base: float | None

    def weight(self, rank: Ints) -> Floats:
        return 1 / discount(rank, self.base)

    def weighted_gain(self, gain: Floats, rank: Ints) -> Floats:
        # Dividing rounds once; multiplying by the weight, a quotient itself, would round twice.
        return gain / discount(rank, self.base)


class CG(GradedSum):
    r"""Cumulated gain: the sum of the gains of the top k documents.

    .. math:: CG@k = \sum_{i \le k} g_i

    g_i is the gain of the document at rank i, by default its grade. The order within the top k does not matter. Values
    of topics with many relevant documents are higher; nCG corrects for that.

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

    cutoff: int | None = cutoff(None)
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()


class nCG(Normalised):
    """Normalised cumulated gain: CG divided by the CG of the ideal ranking.

    .. math:: nCG@k = CG@k / CG^*@k

    The ideal ranking contains every judged document of the topic in descending order of gain. With binary gains, nCG@k
    is recall divided by its highest possible value at rank k. The value is undefined for topics in which no document
    has a gain.

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
    bounds_strategy = "normalised"

    cutoff: int | None = cutoff(None)
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()


class DCG(DiscountParameters, Discounted, GradedSum):
    r"""Discounted cumulated gain: the sum of the gains of the top k documents, each discounted by its rank.

    .. math:: DCG@k = \sum_{i \le k} \frac{g_i}{\log_2(1 + i)}
       \qquad\text{or with a base b}\qquad
       DCG_b@k = \sum_{i \le k} \frac{g_i}{\max(1, \log_b i)}

    The discount models a user who is less likely to look at lower ranks. The second form is the original definition of
    Järvelin and Kekäläinen: ranks up to b have no discount, and a larger b models a more patient user. The gain g_i is
    by default the grade; ``gains=exp`` gives 2^g - 1. DCG has no upper bound, so compare only values of the same
    topics; nDCG is normalised.

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


class nDCG(DiscountParameters, Discounted, Normalised):
    """Normalised discounted cumulated gain: DCG divided by the DCG of the ideal ranking.

    .. math:: nDCG@k = DCG@k / DCG^*@k

    The ideal ranking contains every judged document of the topic in descending order of gain, truncated at k. Use nDCG
    for graded judgments when documents near the top matter most. The defaults are those of trec_eval: the gain is the
    grade and the discount is log2(1 + rank). ``gains=exp`` gives the gains 2^g - 1, which favour high grades;
    ``base=10, gains=base5`` is the variant of Järvelin and Kekäläinen. The value is undefined for topics in which no
    document has a gain.

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
    bounds_strategy = "normalised"


class MeanNDCG(DiscountParameters, Discounted, Normalised):
    r"""The mean of nDCG@i over all cutoffs i from 1 to k.

    .. math:: MeanNDCG@k = \frac{1}{k} \sum_{i \le k} nDCG@i

    It avoids the choice of a single cutoff and is more top-heavy than nDCG@k. After the end of a ranking shorter than
    k, its DCG stays constant. The value is a weighted sum of the gains, with weights that depend on the ideal ranking.

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
    med_strategy = "mean-of-prefixes"

    cutoff: int = cutoff()

    def score(self, judged: Judged) -> Floats:
        rows = self.rows_to_depth(judged)
        tail = self._tails(judged, judged.topic[rows.ranking], rows.rank)
        return judged.total(rows.ranking, self.weighted_gain(rows.gain, rows.rank) * tail) / self.cutoff

    def _tails(self, judged: Judged, topic: Ints, rank: Ints) -> Floats:
        """Return the sum of 1 / ideal DCG@j over j from *rank* to k.

        A gain at a rank counts at every cutoff from this rank to k. The ideal DCG is constant after the end of the
        ideal ranking, so its last entry represents all later cutoffs, and no array needs k columns.
        """
        ideal = judged.ideal(self.gain(judged))
        keep = ideal.rank <= self.cutoff
        length = np.bincount(ideal.ranking[keep], minlength=len(judged.counts))
        amount = np.zeros((len(length), max(int(length.max(initial=0)), 1)))
        amount[ideal.ranking[keep], ideal.rank[keep] - 1] = self.weighted_gain(ideal.gain, ideal.rank)[keep]
        ideal_dcg = np.cumsum(amount, axis=1)
        is_ideal_rank = np.arange(ideal_dcg.shape[1]) < length[:, None]
        inverse = np.divide(1.0, ideal_dcg, out=np.zeros(ideal_dcg.shape), where=is_ideal_rank)
        # The last rank of the ideal ranking counts once for each cutoff from this rank to k.
        last_rank = np.arange(len(length)), np.maximum(length, 1) - 1
        last = inverse[last_rank]
        inverse[last_rank] *= self.cutoff - length + 1
        tails = np.cumsum(inverse[:, ::-1], axis=1)[:, ::-1]
        tail_within_ideal = tails[topic, np.minimum(rank, ideal_dcg.shape[1]) - 1]
        tail_after_ideal: Floats = (self.cutoff - rank + 1) * last[topic]
        return np.where(rank <= length[topic], tail_within_ideal, tail_after_ideal)


_CHUNK = 1 << 20  # ranks summed together, to limit memory for very large cutoffs


class SDCG(Discounted, GradedSum):
    r"""Scaled DCG: DCG divided by the DCG of k documents with gain 1.

    .. math:: SDCG@k = \frac{1}{S_k} \sum_{i \le k} \frac{g_i}{\log_2(1 + i)},
              \qquad S_k = \sum_{i \le k} \frac{1}{\log_2(1 + i)}

    SDCG is a weighted precision with the weights of DCG. Unlike nDCG it does not depend on the recall base, so it is
    defined for every topic, but the best value is less than 1 for topics with few relevant documents. Gains must be
    between 0 and 1: ``unit`` (the grade divided by the top grade) by default, ``exp12`` as in the reference.

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

    cutoff: int = cutoff(high=10_000_000)  # the scale adds up this many terms
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def scale(self, judged: Judged) -> float | Numbers:
        chunks = range(1, self.cutoff + 1, _CHUNK)
        return math.fsum(
            float(self.weight(np.arange(first, min(first + _CHUNK, self.cutoff + 1))).sum()) for first in chunks
        )


class IdealDCG(DiscountParameters):
    r"""The DCG of the ideal ranking of the topic: the divisor of nDCG.

    .. math:: DCG^*@k = \sum_{i \le k} \frac{g^*_i}{\log_2(1 + i)}

    g* are the positive gains of all judged documents of the topic in descending order. The value does not depend on the
    run. A *base* changes the discount as in DCG.

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

    def score(self, judged: Judged) -> Floats:
        ideal = judged.ideal(self.gain(judged))
        keep = slice(None) if self.cutoff is None else ideal.rank <= self.cutoff
        return judged.ideal_total(ideal.ranking[keep], (ideal.gain / discount(ideal.rank, self.base))[keep])
