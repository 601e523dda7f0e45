"""Counts and fractions of topics and documents: retrieved, relevant, judged."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Additive, Measure
from assay.measures._document_counts import count_retrieved
from assay.measures._parameters import cutoff, rel
from assay.model.arrays import Floats, Numbers
from assay.model.grade_codes import ungraded_codes
from assay.model.judged import Judged


class SummedCount(Measure):
    """A count that is summed over topics and does not depend on the order of the documents."""

    bounds = (0.0, np.inf)
    aggregate = "sum"
    bounds_strategy = "counts"
    order_matters = False


class NumQ(SummedCount):
    r"""The number of topics that are evaluated.

    .. math:: NumQ = \sum_t 1

    The policy ``missing`` decides whether topics without results count. The value of a single topic is 1.

    References
    ----------
    trec_eval, measure *num_q*.

    Examples
    --------
    >>> NumQ().of([1, 0])
    1.0
    """

    name = "NumQ"
    trec_eval = ("num_q",)
    examples = ("NumQ",)
    empty_is_zero = False

    def score(self, judged: Judged) -> Floats:
        return np.ones(len(judged))


class NumRet(SummedCount):
    r"""The number of retrieved documents, summed over topics.

    .. math:: NumRet = n

    n is the length of the ranking.

    References
    ----------
    trec_eval, measure *num_ret*.

    Examples
    --------
    >>> NumRet().of([1, 0, None])
    3.0
    """

    name = "NumRet"
    trec_eval = ("num_ret",)
    examples = ("NumRet",)

    def score(self, judged: Judged) -> Floats:
        return judged.length.astype(np.float64)


class NumRel(SummedCount):
    r"""The number of relevant documents of the topic, retrieved or not, summed over topics.

    .. math:: NumRel = R

    R is the recall base: the number of judged documents with at least grade ``rel``. It does not depend on the run.

    References
    ----------
    trec_eval, measure *num_rel*.

    Examples
    --------
    >>> NumRel().of([1, 0], judged={1: 7, 0: 1})
    7.0
    """

    name = "NumRel"
    trec_eval = ("num_rel",)
    examples = ("NumRel", "NumRel(rel=2)")
    empty_is_zero = False

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return judged.recall_base(self.rel).astype(np.float64)


class NumRelRet(Additive):
    r"""The number of relevant documents retrieved, summed over topics.

    .. math:: NumRelRet = \sum_i r_i

    r_i is 1 if the document at rank i is relevant and 0 otherwise.

    References
    ----------
    trec_eval, measure *num_rel_ret*.

    Examples
    --------
    >>> NumRelRet().of([1, 0, 2, None])
    2.0
    """

    name = "NumRelRet"
    trec_eval = ("num_rel_ret",)
    examples = ("NumRelRet", "NumRelRet(rel=2)")
    bounds = (0.0, np.inf)
    aggregate = "sum"
    bounds_strategy = "counts"
    swap = True
    replacement = True

    rel: float = rel()


class NumNonrelJudgedRet(SummedCount):
    r"""The number of retrieved documents that are judged non-relevant, summed over topics.

    .. math:: NumNonrelJudgedRet = \sum_i [d_i \text{ is judged}] (1 - r_i)

    Documents with a negative grade count as unjudged, as in trec_eval.

    References
    ----------
    trec_eval, measure *num_nonrel_judged_ret*.

    Examples
    --------
    >>> NumNonrelJudgedRet().of([1, 0, 0, None, -1])
    2.0
    """

    name = "NumNonrelJudgedRet"
    trec_eval = ("num_nonrel_judged_ret",)
    examples = ("NumNonrelJudgedRet", "NumNonrelJudgedRet(rel=2)")
    lower_is_better = True
    uses_unjudged = True
    swap = True
    replacement = False

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return count_retrieved(judged, np.concatenate([[False], (judged.levels >= 0) & (judged.levels < self.rel)]))


class NumUnjudgedRet(SummedCount):
    r"""The number of retrieved documents that are unjudged, summed over topics.

    .. math:: NumUnjudgedRet = \sum_i [d_i \text{ is not judged}]

    Documents with a negative grade count as unjudged, as in trec_eval.

    References
    ----------
    trec_eval, measure *num_nonjudged_ret*.

    Examples
    --------
    >>> NumUnjudgedRet().of([1, 0, 0, None, -1])
    2.0
    """

    name = "NumUnjudgedRet"
    trec_eval = ("num_nonjudged_ret",)
    examples = ("NumUnjudgedRet",)
    lower_is_better = True
    uses_unjudged = True

    def score(self, judged: Judged) -> Floats:
        return count_retrieved(judged, ungraded_codes(judged.levels))


class JudgedAt(Additive):
    r"""Judged: the fraction of the top k documents that are judged, with any grade.

    .. math:: Judged@k = \frac{1}{\min(k, n)} \sum_{i \le k} [d_i \text{ is in the qrels}]

    n is the number of retrieved documents; the value is 0 if n is 0. Report Judged next to other measures: a low value
    means that their values depend on the assumption that unjudged documents are non-relevant. Unlike in Unjudged,
    documents with a negative grade count as judged.

    References
    ----------
    MacAvaney, Macdonald & Ounis, *Streamlining evaluation with ir-measures*, ECIR 2022.

    Examples
    --------
    >>> JudgedAt(cutoff=4).of([1, 0, None, 0, None])
    0.75
    """

    name = "Judged"
    examples = ("Judged@10", "Judged")
    uses_unjudged = True
    bounds_strategy = "counts"
    med_strategy = None

    cutoff: int | None = cutoff(None)

    def gain(self, judged: Judged) -> Floats:
        return np.concatenate([[0.0], np.ones(len(judged.levels))])

    def scale(self, judged: Judged) -> float | Numbers:
        return judged.length if self.cutoff is None else np.minimum(judged.length, self.cutoff)


class Unjudged(Additive):
    r"""Unjudged: the fraction of the top k ranks with an unjudged document.

    .. math:: Unjudged@k = \frac{1}{k} \sum_{i \le k} [d_i \text{ is not judged}]

    As in trec_eval, documents with a negative grade count as unjudged, and the divisor is k even if fewer documents are
    retrieved. Judged@k differs in both respects: any grade counts as a judgment, and the divisor is at most the number
    of retrieved documents. A high value means that the judgments say little about the run.

    References
    ----------
    trec_eval, measure *unj* (Soboroff 2023).

    Examples
    --------
    >>> Unjudged(cutoff=5).of([1, None, -1, 0])
    0.4
    """

    name = "Unjudged"
    aliases = ("Unj",)
    trec_eval = ("unj_*",)
    examples = ("Unjudged@10", "Unjudged@100")
    lower_is_better = True
    uses_unjudged = True
    bounds_strategy = "counts"
    med_strategy = None

    cutoff: int = cutoff()

    def gain(self, judged: Judged) -> Floats:
        return ungraded_codes(judged.levels).astype(np.float64)

    def scale(self, judged: Judged) -> float | Numbers:
        return float(self.cutoff)
