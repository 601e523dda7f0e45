"""Average precision and its relatives: sums of the precisions at the relevant documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import Measure, ratio
from assay.measures._parameters import cutoff, param, rel
from assay.model.arrays import Bools, Floats, Ints, Numbers
from assay.model.judged import Judged


def precision_sum(judged: Judged, rel: float, cutoff: int | None) -> Floats:
    """Return SP@k: the sum of the precisions at the relevant documents in the top k."""
    rows = judged.rows(judged.relevance(rel))
    found = judged.found(rows)
    keep = slice(None) if cutoff is None else rows.rank <= cutoff
    return judged.total(rows.ranking[keep], (found / rows.rank)[keep])


def expected_precision_sum(judged: Judged, rel: float, cutoff: int | None) -> Floats:
    """Return the mean of SP@k over all orders of the tied documents.

    In a group of n tied documents of which r are relevant, with c relevant documents above the group, the i-th rank of
    the group holds a relevant document with probability r/n, and then (i - 1)(r - 1)/(n - 1) others are expected
    above it in the group (McSherry & Najork 2008).
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


class PrecisionSum(Measure):
    """A measure that is a function of the sum of the precisions at the relevant documents.

    The algorithms ``precision-sums`` of bounds and MED use ``normalise`` and ``terms``.
    """

    divides_by_found: ClassVar[bool] = False
    """True if ``normalise`` takes the number of relevant documents retrieved instead of the recall base."""

    if TYPE_CHECKING:
        cutoff: int | None
        rel: float

    def normalise(self, total: Floats, relevant: Numbers) -> Floats:
        """Return the values for sums of precisions and numbers of relevant documents."""
        raise NotImplementedError

    def terms(self, rank: Ints) -> tuple[Floats, Floats]:
        """Return what a relevant document at a rank adds to the sum, and how much more for each relevant one above.

        All documents are judged. Both are 1 / rank in AP.
        """
        inverse = np.where(rank <= (self.cutoff or np.inf), 1.0 / rank, 0.0)
        return inverse, inverse

    def score(self, judged: Judged) -> Floats:
        return self.normalise(precision_sum(judged, self.rel, self.cutoff), judged.recall_base(self.rel))

    def expected(self, judged: Judged) -> Floats | None:
        return self.normalise(expected_precision_sum(judged, self.rel, self.cutoff), judged.recall_base(self.rel))


class AP(PrecisionSum):
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
    bounds_strategy = "precision-sums"
    med_strategy = "precision-sums"

    cutoff: int | None = cutoff(None)
    rel: float = rel()
    norm: str = param("what the sum is divided by", "R", kind="text", choices=("R", "min", "k"))

    def check(self) -> None:
        if self.norm != "R" and self.cutoff is None:
            raise MeasureError(f"measure 'AP': norm={self.norm} needs a cutoff, such as AP(norm={self.norm})@10")

    def normalise(self, total: Floats, relevant: Numbers) -> Floats:
        if self.norm == "k":
            return total / float(self.cutoff or 1)
        return ratio(total, relevant if self.norm == "R" else np.minimum(relevant, self.cutoff or 0))

    def defined(self, judged: Judged) -> Bools:
        return np.ones(len(judged), dtype=bool) if self.norm == "k" else super().defined(judged)


class APStar(PrecisionSum):
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
    bounds_strategy = "precision-sums"
    divides_by_found = True
    cutoff = None

    rel: float = rel()

    def normalise(self, total: Floats, relevant: Numbers) -> Floats:
        return ratio(total, relevant)

    def score(self, judged: Judged) -> Floats:
        return self.normalise(precision_sum(judged, self.rel, None), self._found(judged))

    def expected(self, judged: Judged) -> Floats | None:
        return self.normalise(expected_precision_sum(judged, self.rel, None), self._found(judged.fixed()))

    def _found(self, judged: Judged) -> Floats:
        """Count the relevant documents that each ranking retrieves."""
        rows = judged.rows(judged.relevance(self.rel))
        return judged.total(rows.ranking, rows.gain)


class SP(PrecisionSum):
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
    med_strategy = "precision-sums"

    cutoff: int | None = cutoff(None)
    rel: float = rel()

    def normalise(self, total: Floats, relevant: Numbers) -> Floats:
        return total


class SSP(PrecisionSum):
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
    med_strategy = "precision-sums"

    cutoff: int = cutoff()
    rel: float = rel()

    def normalise(self, total: Floats, relevant: Numbers) -> Floats:
        return total / self.cutoff


class YAAP(PrecisionSum):
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
    empty_is_zero = False
    bounds_strategy = "precision-sums"
    cutoff = None

    rel: float = rel()

    def normalise(self, total: Floats, relevant: Numbers) -> Floats:
        return np.asarray(np.log((1 + total) / (1 + relevant - total)))

    def expected(self, judged: Judged) -> Floats | None:
        return None  # the mean of a logarithm is not the logarithm of the mean


EPSILON = 0.00001


class infAP(PrecisionSum):
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
    uses_unjudged = True
    bounds_strategy = "precision-sums"
    cutoff = None

    rel: float = rel()

    def normalise(self, total: Floats, relevant: Numbers) -> Floats:
        return ratio(total, relevant)

    def terms(self, rank: Ints) -> tuple[Floats, Floats]:
        others = rank - 1.0
        smooth = others / (rank * np.maximum(others + 2 * EPSILON, EPSILON))
        return 1 / rank + EPSILON * smooth, smooth

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        pooled = judged.above(rows, np.concatenate([[False], np.ones(len(judged.levels), dtype=bool)]))
        below = (judged.levels >= 0) & (judged.levels < self.rel)
        nonrelevant = judged.above(rows, np.concatenate([[False], below]))
        relevant = judged.found(rows) - 1
        share = (relevant + EPSILON) / (relevant + nonrelevant + 2 * EPSILON)
        total = judged.total(rows.ranking, 1 / rows.rank + pooled / rows.rank * share)
        return self.normalise(total, judged.recall_base(self.rel))

    def expected(self, judged: Judged) -> Floats | None:
        return None
