"""Measures of the retrieved documents, or the top k, as a set."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.measures._base import Additive, Measure, ratio
from assay.measures._counting import count_relevant
from assay.measures._parameters import LARGEST_NUMBER, cutoff, param, rel
from assay.model.arrays import Floats, Ints, Numbers
from assay.model.judged import Judged


class R(Additive):
    r"""Recall: the share of the relevant documents that stand in the top k.

    .. math:: R@k = \frac{1}{R} \sum_{i \le k} r_i

    With *capped* the divisor is min(k, R), so that a top k full of relevant documents scores 1 even when
    there are more of them.

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
    r"""F: the weighted harmonic mean of precision and recall, of the top k or of all that was retrieved.

    .. math:: F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}
              = \frac{(1 + \beta^2) c}{\beta^2 R + n}

    where c of the n documents looked at are relevant. A cutoff fixes n = k, as in P@k; trec_eval's *set_F* with
    parameter x is F with :math:`\beta = \sqrt{x}`.

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
    beta: float = param("how much more recall matters than precision", 1, above=0)
    rel: float = rel()

    def weight(self, rank: Ints) -> Floats:
        return np.full(len(rank), 1.0 + self.beta**2)

    @property
    def med_strategy(self) -> str | None:
        # With a cutoff the divisor is the same for all rankings of a topic; without one it has their length in it.
        return "known-recall-base" if self.cutoff is None else "normalised"

    def scale(self, judged: Judged) -> float | Numbers:
        looked = judged.length if self.cutoff is None else self.cutoff
        return np.asarray(self.beta**2 * judged.recall_base(self.rel) + looked, dtype=np.float64)


class Shaw(Measure):
    r"""Shaw's combination of precision p and recall r at a depth: the overlap of retrieved and relevant documents.

    .. math:: Shaw@k = \frac{1}{1/p + 1/r - 1} = \frac{c}{k + R - c}

    This is the Jaccard coefficient of the two sets, c of the top k being relevant; 0 if p or r is 0.

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
        found = judged.total(rows.ranking[keep], rows.gain[keep])
        return ratio(found, self.cutoff + judged.recall_base(self.rel) - found)


class SetP(Measure):
    r"""Set precision: the share of relevant documents among all that were retrieved.

    .. math:: SetP = \frac{1}{n} \sum_{i \le n} r_i

    n is the number of documents that were retrieved; 0 if there are none. P@k divides by k instead, however few
    documents there are.

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
    r"""Relative set precision: set precision over the best that as many documents could reach.

    .. math:: SetRelP = \frac{1}{\min(n, R)} \sum_{i \le n} r_i

    n is the number of documents that were retrieved; 0 if there are none. At a cutoff, the like is
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
    r"""Set AP: average precision when what was retrieved has no order, which is precision times recall.

    .. math:: SetAP = \frac{c^2}{n R}

    where c of the n documents that were retrieved are relevant: each of them counts with the precision of the set.

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


def _worth(what: str, default: float) -> Any:
    return param(f"what each {what} is worth", default, low=-LARGEST_NUMBER, high=LARGEST_NUMBER)


class Utility(Measure):
    r"""Utility: what the set of retrieved documents is worth when each document, found or missed, has a price.

    .. math:: Utility = w_1 c + w_2 (n - c) + w_3 (R - c) + w_4 (N - n - R + c)

    where c of the n documents that were retrieved are relevant, R are relevant at all and N (*docs*) is the size of
    the collection, which only matters if documents that are neither relevant nor retrieved are worth something. What
    is not judged relevant counts as not relevant. ``rel_ret=3, nonrel_ret=-2`` is the linear utility of the filtering
    track (LF1).

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

    rel_ret: float = _worth("relevant document that was retrieved", 1)
    nonrel_ret: float = _worth("other document that was retrieved", -1)
    rel_missed: float = _worth("relevant document that was not retrieved", 0)
    nonrel_missed: float = _worth("other document that was not retrieved", 0)
    docs: int = param("number of documents in the collection", 0, kind="whole", low=0)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        found, base, length = count_relevant(judged, self.rel), judged.recall_base(self.rel), judged.length
        got = float(self.rel_ret) * found + float(self.nonrel_ret) * (length - found)
        missed = float(self.docs) + found - length - base
        return got + float(self.rel_missed) * (base - found) + float(self.nonrel_missed) * missed
