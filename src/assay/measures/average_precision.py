"""Average precision and its relatives: sums of the precisions at the relevant documents."""

from __future__ import annotations

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import Measure, cutoff, param, ratio, rel
from assay.model.arrays import Bools, Floats
from assay.model.judged import Judged


def precision_sum(judged: Judged, rel: float, cutoff: int | None) -> Floats:
    """SP@k = sum over the relevant documents in the top k of the precision at their ranks."""
    rows = judged.rows(judged.relevance(rel))
    found = judged.found(rows)
    keep = slice(None) if cutoff is None else rows.rank <= cutoff
    return judged.total(rows.ranking[keep], (found / rows.rank)[keep])


def expected_precision_sum(judged: Judged, rel: float, cutoff: int | None) -> Floats:
    """The mean of SP@k over all orders of the tied documents.

    In a group of n tied documents of which r are relevant, with c relevant documents above the group, rank
    number i of the group holds a relevant document with probability r/n, and then (i - 1)(r - 1)/(n - 1)
    others are expected above it in the group (McSherry & Najork 2008).
    """
    group, first = judged.tie_groups()
    relevant = judged.relevance(rel)[judged.code]
    if not len(group):
        return np.zeros(len(judged))
    size = np.bincount(group)
    inside = np.bincount(group, weights=relevant)
    ranking = judged.ranking()
    running = np.concatenate([[0.0], np.cumsum(relevant)])
    above = running[first] - running[judged.start[ranking[first]]]
    rows = np.flatnonzero(inside[group])
    g = group[rows]
    ahead = (rows - first[g]) * (inside[g] - 1) / np.maximum(size[g] - 1, 1)
    rank = judged.rank()[rows]
    amount = inside[g] / size[g] * (1 + above[g] + ahead) / rank
    keep = slice(None) if cutoff is None else rank <= cutoff
    return judged.total(ranking[rows][keep], amount[keep])


class AP(Measure):
    r"""Average precision: the precision at each relevant document, averaged over all relevant documents.

    .. math:: AP@k = \frac{1}{d} \sum_{i \le k} r_i \, P@i

    The divisor d is *norm*: ``R`` the number of relevant documents (trec_eval, the default), ``min`` the smaller
    of k and R, or ``k`` the cutoff (then it is SSP). The mean over topics is known as MAP. Exact under expected
    ties.

    References
    ----------
    Buckley & Voorhees, *Retrieval System Evaluation*, in TREC: Experiment and Evaluation in Information
    Retrieval, MIT Press 2005. Moffat, *Computing maximized effectiveness distance for recall-based metrics*,
    TKDE, eqs. 8-10. McSherry & Najork, ECIR 2008 (ties).

    Examples
    --------
    >>> AP().of([1, 1, 0, 0, 0, 1], judged={1: 3, 0: 3})
    0.8333333333333334
    """

    name = "AP"
    aliases = ("MAP",)
    trec_eval = ("map", "map_cut_*")
    examples = ("AP", "AP@100", "AP(rel=2)@100", "AP(norm=min)@10")
    uses_recall_base = True
    swap_monotone = True
    swap = True
    replacement = True
    dilutes = True

    cutoff: int | None = cutoff(None)
    rel: float = rel()
    norm: str = param("what the sum is divided by", "R", kind="text", choices=("R", "min", "k"))

    def check(self) -> None:
        if self.norm != "R" and self.cutoff is None:
            raise MeasureError(f"measure 'AP': norm={self.norm} needs a cutoff, such as AP(norm={self.norm})@10")

    def score(self, judged: Judged) -> Floats:
        return ratio(precision_sum(judged, self.rel, self.cutoff), self._divisor(judged))

    def expected(self, judged: Judged) -> Floats | None:
        return ratio(expected_precision_sum(judged, self.rel, self.cutoff), self._divisor(judged))

    def defined(self, judged: Judged) -> Bools:
        return np.ones(len(judged), dtype=bool) if self.norm == "k" else super().defined(judged)

    def _divisor(self, judged: Judged) -> Floats:
        base = judged.recall_base(self.rel)
        cut = self.cutoff or 0
        return {"R": base, "min": np.minimum(base, cut), "k": np.full(len(judged), cut)}[self.norm]


class APStar(Measure):
    r"""AP*: the precision at each relevant document, averaged over the relevant documents *found*.

    .. math:: AP^* = \sum_i r_i \, P@i \; / \; \sum_i r_i

    It needs no recall base, but a further relevant document can lower it; 0 if none is found. Exact under
    expected ties.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008),
    section 3.1.

    Examples
    --------
    >>> APStar().of([1, 0, 0]), APStar().of([1, 0, 1])
    (1.0, 0.8333333333333333)
    """

    name = "AP*"
    aliases = ("APStar",)
    examples = ("AP*", "AP*(rel=2)")
    swap_monotone = True
    swap = True
    replacement = False

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return ratio(precision_sum(judged, self.rel, None), self._found(judged))

    def expected(self, judged: Judged) -> Floats | None:
        return ratio(expected_precision_sum(judged, self.rel, None), self._found(judged.fixed()))

    def _found(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        return judged.total(rows.ranking, rows.gain)


class SP(Measure):
    r"""SP: the sum of the precisions at the relevant documents in the top k; AP before it is divided.

    .. math:: SP@k = \sum_{i \le k} r_i \, P@i

    Not bounded by 1. Exact under expected ties.

    References
    ----------
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE.

    Examples
    --------
    >>> SP().of([1, 0, 0, 1, 0])
    1.5
    """

    name = "SP"
    examples = ("SP", "SP@10", "SP(rel=2)@100")
    bounds = (0.0, np.inf)
    swap_monotone = True
    swap = True
    replacement = True

    cutoff: int | None = cutoff(None)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return precision_sum(judged, self.rel, self.cutoff)

    def expected(self, judged: Judged) -> Floats | None:
        return expected_precision_sum(judged, self.rel, self.cutoff)


class SSP(Measure):
    r"""SSP: the sum of the precisions at the relevant documents in the top k, divided by k.

    .. math:: SSP@k = \frac{1}{k} \sum_{i \le k} r_i \, P@i

    AP without the recall base. Exact under expected ties.

    References
    ----------
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, eq. 10.

    Examples
    --------
    >>> SSP(cutoff=5).of([1, 0, 0, 1, 0])
    0.3
    """

    name = "SSP"
    examples = ("SSP@10", "SSP(rel=2)@100")
    swap_monotone = True
    swap = True
    replacement = True

    cutoff: int = cutoff()
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return precision_sum(judged, self.rel, self.cutoff) / self.cutoff

    def expected(self, judged: Judged) -> Floats | None:
        return expected_precision_sum(judged, self.rel, self.cutoff) / self.cutoff


class YAAP(Measure):
    r"""Yet another average precision: AP, smoothed and stretched to the whole line, so that its mean is fair.

    .. math:: YAAP = \ln \frac{1 + s}{1 + R - s}, \qquad s = \sum_i r_i \, P@i

    s / R is AP, and this is its log-odds with one document added to either side. Within a topic it puts rankings in
    the same order as AP, but in the mean over topics small differences near 0 and 1 count more.

    References
    ----------
    Robertson, *On smoothing average precision*, ECIR 2012.

    Examples
    --------
    >>> YAAP().of([1, 0], judged={1: 2, 0: 1})
    0.0
    """

    name = "YAAP"
    trec_eval = ("yaap",)
    examples = ("YAAP", "YAAP(rel=2)")
    swap_monotone = True
    uses_recall_base = True
    bounds = (-np.inf, np.inf)
    swap = True
    replacement = True
    dilutes = True

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        total = precision_sum(judged, self.rel, None)
        return np.asarray(np.log((1 + total) / (1 + judged.recall_base(self.rel) - total)))


EPSILON = 0.00001


class infAP(Measure):
    r"""Inferred AP: AP estimated from a pool of which only a random sample was judged.

    .. math:: infAP = \frac{1}{R} \sum_{i: r_i = 1} \left( \frac{1}{i} + \frac{d_i}{i} \cdot
              \frac{c_i + \epsilon}{c_i + n_i + 2 \epsilon} \right)

    Above rank i stand :math:`d_i` documents of the pool, judged or not, of which :math:`c_i` were judged relevant
    and :math:`n_i` not relevant; :math:`\epsilon = 10^{-5}`. A negative grade marks a document that was pooled but
    not judged; documents that are not in the qrels were not pooled.

    References
    ----------
    Yilmaz & Aslam, *Estimating average precision with incomplete and imperfect judgments*, CIKM 2006.

    Examples
    --------
    >>> round(infAP().of([1, -1, None, 1], judged={1: 2, -1: 5, 0: 3}), 4)
    0.875
    """

    name = "infAP"
    trec_eval = ("infAP",)
    examples = ("infAP", "infAP(rel=2)")
    uses_recall_base = True
    swap = True
    replacement = True
    dilutes = True

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        pooled = judged.above(rows, np.concatenate([[False], np.ones(len(judged.levels), dtype=bool)]))
        below = (judged.levels >= 0) & (judged.levels < self.rel)
        nonrelevant = judged.above(rows, np.concatenate([[False], below]))
        relevant = judged.found(rows) - 1
        share = (relevant + EPSILON) / (relevant + nonrelevant + 2 * EPSILON)
        return ratio(
            judged.total(rows.ranking, 1 / rows.rank + pooled / rows.rank * share), judged.recall_base(self.rel)
        )
