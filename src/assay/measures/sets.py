"""Set measures, which ignore the order of the retrieved documents or of the top k."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.measures._base import Additive, Measure, ratio
from assay.measures._document_counts import count_relevant
from assay.measures._parameters import LARGEST_NUMBER, cutoff, param, rel
from assay.model.arrays import Floats, Ints, Numbers
from assay.model.judged import Judged


class R(Additive):
    r"""Recall: the fraction of the relevant documents of the topic that are in the top k.

    .. math:: R@k = \frac{1}{R} \sum_{i \le k} r_i

    Without a cutoff all retrieved documents count. The highest possible value is less than 1 for topics with more than
    k relevant documents. With *capped* the divisor is min(k, R), so the value is 1 if all top k documents are relevant.
    The value is undefined for topics without relevant documents.

    References
    ----------
    van Rijsbergen, *Information Retrieval*, 2nd ed., Butterworths 1979.

    Examples
    --------
    >>> R(cutoff=2).of([1, 1, 0], judged={1: 4, 0: 1})
    0.5
    >>> R(cutoff=2, capped=True).of([1, 1, 0], judged={1: 4, 0: 1})
    1.0
    """

    name = "R"
    aliases = ("Recall", "SetR")
    trec_eval = ("recall_*", "set_recall=R", "relative_P_*=R(capped=true)@*")
    examples = ("R@100", "R(capped=true)@10", "R(rel=2)@100", "R")
    uses_recall_base = True
    swap = True
    replacement = True
    dilutes = True
    vanishes = True
    med_strategy = "normalised"

    cutoff: int | None = cutoff(None)
    rel: float = rel()
    capped: bool = param("divide by min(k, R) instead of R", False, kind="flag")

    def scale(self, judged: Judged) -> float | Numbers:
        base = judged.recall_base(self.rel)
        return np.minimum(base, self.cutoff) if self.capped and self.cutoff is not None else base

    def saturation(self, longest: int, gain: float) -> float:
        return self.cutoff if self.capped and self.cutoff is not None else math.inf


class F(Additive):
    r"""F-measure: the weighted harmonic mean of precision and recall of the top k, or of all retrieved documents.

    .. math:: F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}
              = \frac{(1 + \beta^2) c}{\beta^2 R + n}

    c is the number of relevant documents among the n retrieved documents. With a cutoff, n is k as in P@k, even if
    fewer documents are retrieved. beta > 1 emphasises recall, and beta < 1 emphasises precision. The measure *set_F* of
    trec_eval with parameter x is F with :math:`\beta = \sqrt{x}`. The value is 0 if no relevant document is retrieved.

    References
    ----------
    van Rijsbergen, *Information Retrieval*, 2nd ed., Butterworths 1979, chapter 7.

    Examples
    --------
    >>> F().of([1, 0, 1, 0], judged={1: 2, 0: 2})
    0.6666666666666666
    """

    name = "F"
    aliases = ("F1", "SetF")
    trec_eval = ("set_F", "set_F_*=SetF(beta=*)")
    examples = ("F@10", "F", "F(beta=2, rel=2)@20")
    uses_recall_base = True
    swap = True
    replacement = True
    dilutes = True
    vanishes = True

    cutoff: int | None = cutoff(None)
    beta: float = param("importance of recall relative to precision", 1, above=0)
    rel: float = rel()

    def weight(self, rank: Ints) -> Floats:
        return np.full(len(rank), 1.0 + self.beta**2)

    @property
    def med_strategy(self) -> str | None:
        # With a cutoff, the divisor is the same for all rankings of a topic; without one, it depends on their length.
        return "known-recall-base" if self.cutoff is None else "normalised"

    def scale(self, judged: Judged) -> float | Numbers:
        depth = judged.length if self.cutoff is None else self.cutoff
        return np.asarray(self.beta**2 * judged.recall_base(self.rel) + depth, dtype=np.float64)


class Shaw(Measure):
    r"""Shaw's measure: the Jaccard coefficient of the top k and the set of relevant documents.

    .. math:: Shaw@k = \frac{1}{1/p + 1/r - 1} = \frac{c}{k + R - c}

    p and r are precision and recall at k, and c is the number of relevant documents in the top k. The value is 0 if c
    is 0. If fewer than k documents are retrieved, the missing ranks count as non-relevant. The value is undefined for
    topics without relevant documents.

    References
    ----------
    Shaw, *On the foundation of evaluation*, Journal of the American Society for Information Science 37 (1986);
    recalled in Moffat & Zobel, TOIS 27 (2008).

    Examples
    --------
    >>> Shaw(cutoff=4).of([1, 0, 1, 0], judged={1: 3, 0: 2})
    0.4
    """

    name = "Shaw"
    aliases = ("Jaccard",)
    examples = ("Shaw@10", "Shaw(rel=2)@20")
    uses_recall_base = True
    swap_monotone = True
    swap = True
    replacement = True
    dilutes = True
    vanishes = True

    cutoff: int = cutoff()
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        keep = rows.rank <= self.cutoff
        retrieved = judged.total(rows.ranking[keep], rows.gain[keep])
        return ratio(retrieved, self.cutoff + judged.recall_base(self.rel) - retrieved)


class SetP(Measure):
    r"""Set precision: the fraction of the retrieved documents that are relevant.

    .. math:: SetP = \frac{1}{n} \sum_{i \le n} r_i

    n is the number of retrieved documents; the value is 0 if n is 0. P@k divides by k instead, even if fewer documents
    are retrieved.

    References
    ----------
    van Rijsbergen, *Information Retrieval*, 2nd ed., Butterworths 1979.

    Examples
    --------
    >>> SetP().of([1, 0, 1, None])
    0.5
    """

    name = "SetP"
    trec_eval = ("set_P",)
    examples = ("SetP", "SetP(rel=2)")
    order_matters = False
    swap = True
    replacement = True

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return ratio(count_relevant(judged, self.rel), judged.length)


class SetRelP(Measure):
    r"""Relative set precision: set precision divided by its highest possible value.

    .. math:: SetRelP = \frac{1}{\min(n, R)} \sum_{i \le n} r_i

    n is the number of retrieved documents; the value is 0 if n is 0. The corresponding measure with a cutoff is
    ``R(capped=true)@k``, which divides by min(k, R).

    References
    ----------
    trec_eval, measure *set_relative_P*.

    Examples
    --------
    >>> SetRelP().of([1, 0, 1, 0], judged={1: 3, 0: 2})
    0.6666666666666666
    """

    name = "SetRelP"
    aliases = ("SetRelativeP",)
    trec_eval = ("set_relative_P",)
    examples = ("SetRelP", "SetRelP(rel=2)")
    uses_recall_base = True
    order_matters = False
    swap = True
    replacement = True
    dilutes = True

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return ratio(count_relevant(judged, self.rel), np.minimum(judged.length, judged.recall_base(self.rel)))

    def saturation(self, longest: int, gain: float) -> float:
        return longest


class SetAP(Measure):
    r"""Set AP: average precision of an unordered set, which is precision times recall.

    .. math:: SetAP = \frac{c^2}{n R}

    c is the number of relevant documents among the n retrieved documents. Each of these c documents contributes c / n,
    the precision of the whole set. The value is 0 if no document is retrieved.

    References
    ----------
    trec_eval, measure *set_map*.

    Examples
    --------
    >>> SetAP().of([1, 0, 1, 0], judged={1: 4, 0: 2})
    0.25
    """

    name = "SetAP"
    trec_eval = ("set_map",)
    examples = ("SetAP", "SetAP(rel=2)")
    uses_recall_base = True
    order_matters = False
    swap = True
    replacement = True
    dilutes = True
    vanishes = True

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return ratio(count_relevant(judged, self.rel) ** 2, judged.length * judged.recall_base(self.rel))


def _utility(kind: str, default: float) -> Any:
    """Declare the utility of each document of a kind."""
    return param(f"utility of each {kind}", default, low=-LARGEST_NUMBER, high=LARGEST_NUMBER)


class Utility(Measure):
    r"""Utility: the sum of the utilities of all documents, retrieved or not.

    .. math:: Utility = w_1 c + w_2 (n - c) + w_3 (R - c) + w_4 (N - n - R + c)

    c is the number of relevant documents among the n retrieved documents. R is the number of relevant documents of the
    topic, and N (*docs*) is the size of the collection. The utilities are w_1 = ``rel_ret``, w_2 = ``nonrel_ret``,
    w_3 = ``rel_missed`` and w_4 = ``nonrel_missed``. N matters only if w_4 is not 0. Unjudged documents count as
    non-relevant. Use it for filtering and other tasks that return a set.
    ``rel_ret=3, nonrel_ret=-2`` is the linear utility LF1 of the TREC filtering track.

    References
    ----------
    Hull & Robertson, *The TREC-8 Filtering Track Final Report*, TREC-8 (1999); trec_eval, measure *utility*.

    Examples
    --------
    >>> Utility().of([1, 0, 1, None, 1])
    1.0
    >>> Utility(rel_missed=-0.5).of([1, 0, 1, None, 1], judged={1: 5, 0: 1})
    0.0
    """

    name = "Utility"
    trec_eval = ("utility",)
    examples = ("Utility", "Utility(rel_ret=3, nonrel_ret=-2)", "Utility(rel=2)")
    bounds = (-math.inf, math.inf)
    order_matters = False
    bounds_strategy = "counts"
    swap = True
    replacement = True

    rel_ret: float = _utility("relevant document that is retrieved", 1)
    nonrel_ret: float = _utility("non-relevant document that is retrieved", -1)
    rel_missed: float = _utility("relevant document that is not retrieved", 0)
    nonrel_missed: float = _utility("non-relevant document that is not retrieved", 0)
    docs: int = param("number of documents in the collection", 0, kind="whole", low=0)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        relevant, base, length = count_relevant(judged, self.rel), judged.recall_base(self.rel), judged.length
        retrieved_utility = float(self.rel_ret) * relevant + float(self.nonrel_ret) * (length - relevant)
        nonrel_missed = float(self.docs) + relevant - length - base
        missed_utility = float(self.rel_missed) * (base - relevant)
        return retrieved_utility + missed_utility + float(self.nonrel_missed) * nonrel_missed
