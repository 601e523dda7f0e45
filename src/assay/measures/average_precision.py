"""Average precision and its variants: sums of the precision at each relevant document."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import Measure, ratio
from assay.measures._document_counts import count_relevant
from assay.measures._parameters import cutoff, param, rel
from assay.model.arrays import Bools, Floats, Ints, Numbers
from assay.model.judged import Judged


def precision_sum(judged: Judged, rel: float, cutoff: int | None) -> Floats:
    """Return SP@k, the sum of the precision at each relevant document of the top k."""
    rows = judged.rows(judged.relevance(rel))
    relevant = judged.cumulative_count(rows)
    keep = slice(None) if cutoff is None else rows.rank <= cutoff
    return judged.total(rows.ranking[keep], (relevant / rows.rank)[keep])


def expected_precision_sum(judged: Judged, rel: float, cutoff: int | None) -> Floats:
    """Return the mean of SP@k over all orders of the tied documents (McSherry & Najork 2008).

    Consider a group of n tied documents with r relevant ones, and c relevant documents above the group. The i-th
    document of the group is relevant with probability r/n. If it is, the expected number of relevant documents above
    it within the group is (i - 1)(r - 1)/(n - 1), so its expected precision is (c + (i - 1)(r - 1)/(n - 1) + 1) / rank.
    """
    group, first = judged.tie_groups()
    relevant = judged.relevance(rel)[judged.code]
    if not len(group):
        return np.zeros(len(judged))
    size = np.bincount(group)
    relevant_inside = np.bincount(group, weights=relevant)
    ranking = judged.ranking()
    running = np.concatenate([[0.0], np.cumsum(relevant)])
    relevant_above = running[first] - running[judged.start[ranking[first]]]
    # All documents of groups with at least one relevant document, and the group of each.
    rows = np.flatnonzero(relevant_inside[group])
    row_group = group[rows]
    n, r = size[row_group], relevant_inside[row_group]
    expected_inside = (rows - first[row_group]) * (r - 1) / np.maximum(n - 1, 1)
    rank = judged.rank()[rows]
    amount = r / n * (1 + relevant_above[row_group] + expected_inside) / rank
    keep = slice(None) if cutoff is None else rank <= cutoff
    return judged.total(ranking[rows][keep], amount[keep])


class PrecisionSum(Measure):
    """A measure that is a function of SP, the sum of the precision at each relevant document.

    The algorithms ``precision-sums`` for bounds and MED use ``normalise`` and ``terms``.
    """

    swap_monotone = True
    swap = True
    replacement = True
    divides_by_retrieved: ClassVar[bool] = False
    """True if ``normalise`` receives the number of relevant documents retrieved instead of the recall base."""

    if TYPE_CHECKING:
        cutoff: int | None
        rel: float

    @property
    def contribution_strategy(self) -> str:
        is_linear = type(self).score is PrecisionSum.score and not self.divides_by_retrieved
        return "precision-sums" if is_linear else "sampled"

    def normalise(self, total: Floats, relevant: Numbers) -> Floats:
        """Return the value, given SP (*total*) and the number of relevant documents."""
        return ratio(total, relevant)

    def terms(self, rank: Ints) -> tuple[Floats, Floats]:
        """Return two terms of the contribution of a relevant document, *first* and *second*, for each rank.

        If all documents are judged and c relevant documents precede the document, it contributes ``first + c *
        second``. In AP, both terms are 1 / rank.
        """
        inverse = np.where(rank <= (self.cutoff or np.inf), 1.0 / rank, 0.0)
        return inverse, inverse

    def score(self, judged: Judged) -> Floats:
        return self.normalise(precision_sum(judged, self.rel, self.cutoff), self._count_relevant(judged))

    def expected_values(self, judged: Judged) -> Floats | None:
        return self.normalise(expected_precision_sum(judged, self.rel, self.cutoff), self._count_relevant(judged))

    def _count_relevant(self, judged: Judged) -> Numbers:
        return count_relevant(judged, self.rel) if self.divides_by_retrieved else judged.recall_base(self.rel)


class AP(PrecisionSum):
    r"""Average precision: the mean of the precision at each relevant document, over all relevant documents.

    .. math:: AP@k = \frac{1}{d} \sum_{i \le k} r_i \, P@i

    r_i is 1 if the document at rank i is relevant and 0 otherwise. The parameter *norm* chooses the divisor d: ``R``
    is the number of relevant documents (the default, as in trec_eval), ``min`` is the smaller of k and R, and ``k`` is
    the cutoff (AP is then SSP). Relevant documents that are not retrieved contribute 0. AP summarises precision over
    all recall levels: it is the expected precision for a user who stops at a randomly chosen relevant document. The
    mean over topics is known as MAP. The expectation over tied documents is exact.

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
    dilutes = True
    bounds_strategy = "precision-sums"
    med_strategy = "precision-sums"

    cutoff: int | None = cutoff(None)
    rel: float = rel()
    norm: str = param(
        "divisor of the sum: R, min(cutoff, R) or the cutoff k", "R", kind="text", choices=("R", "min", "k")
    )

    def check(self) -> None:
        if self.norm != "R" and self.cutoff is None:
            raise MeasureError(f"measure 'AP': norm={self.norm} needs a cutoff, such as AP(norm={self.norm})@10")

    def normalise(self, total: Floats, relevant: Numbers) -> Floats:
        if self.norm == "k":
            return total / float(self.cutoff or 1)
        return ratio(total, relevant if self.norm == "R" else np.minimum(relevant, self.cutoff or 0))

    def is_defined(self, judged: Judged) -> Bools:
        return np.ones(len(judged), dtype=bool) if self.norm == "k" else super().is_defined(judged)


class APStar(PrecisionSum):
    r"""AP*: the mean of the precision at each relevant document, over the relevant documents *retrieved*.

    .. math:: AP^* = \sum_i r_i \, P@i \; / \; \sum_i r_i

    AP* needs no recall base, but retrieving another relevant document at a low rank can lower it. The value is 0 if no
    relevant document is retrieved. The expectation over tied documents is exact.

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
    replacement = False
    bounds_strategy = "precision-sums"
    divides_by_retrieved = True
    cutoff = None

    rel: float = rel()


class SP(PrecisionSum):
    r"""Sum of precisions: the sum of the precision at each relevant document of the top k.

    .. math:: SP@k = \sum_{i \le k} r_i \, P@i

    SP is the numerator of AP. It has no upper bound. The expectation over tied documents is exact.

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
    med_strategy = "precision-sums"

    cutoff: int | None = cutoff(None)
    rel: float = rel()

    def normalise(self, total: Floats, relevant: Numbers) -> Floats:
        return total


class SSP(PrecisionSum):
    r"""Scaled sum of precisions: the sum of the precision at each relevant document of the top k, divided by k.

    .. math:: SSP@k = \frac{1}{k} \sum_{i \le k} r_i \, P@i

    SSP is a variant of AP that does not depend on the recall base. The expectation over tied documents is exact.

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
    med_strategy = "precision-sums"

    cutoff: int = cutoff()
    rel: float = rel()

    def normalise(self, total: Floats, relevant: Numbers) -> Floats:
        return total / self.cutoff


class YAAP(PrecisionSum):
    r"""Yet another average precision: the smoothed log-odds of AP.

    .. math:: YAAP = \ln \frac{1 + s}{1 + R - s}, \qquad s = \sum_i r_i \, P@i

    AP is s / R, and its log-odds are ln(s / (R - s)). Adding 1 to both terms keeps YAAP finite. For a single topic,
    YAAP orders rankings as AP does. Averaged over topics, differences of AP near 0 and 1 have more weight. Values can
    be negative and have no bounds; 0 corresponds to AP = 0.5. The expectation over tied documents is sampled.

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
    uses_recall_base = True
    bounds = (-np.inf, np.inf)
    dilutes = True
    empty_is_zero = False
    bounds_strategy = "precision-sums"
    cutoff = None

    rel: float = rel()

    def normalise(self, total: Floats, relevant: Numbers) -> Floats:
        return np.asarray(np.log((1 + total) / (1 + relevant - total)))

    def expected_values(self, judged: Judged) -> Floats | None:
        # The mean of a logarithm is not the logarithm of the mean, so the closed form of SP does not help.
        return None


EPSILON = 0.00001  # smoothing constant of trec_eval


class infAP(PrecisionSum):
    r"""Inferred AP: an estimate of AP when only a random sample of the pool is judged.

    .. math:: infAP = \frac{1}{R} \sum_{i: r_i = 1} \left( \frac{1}{i} + \frac{d_i}{i} \cdot
              \frac{c_i + \epsilon}{c_i + n_i + 2 \epsilon} \right)

    Above rank i there are :math:`d_i` documents of the pool, judged or not; :math:`c_i` of them are judged relevant and
    :math:`n_i` are judged non-relevant. The last fraction estimates the precision above rank i within the pool;
    :math:`\epsilon = 10^{-5}` avoids division by 0. A negative grade marks a pooled document that is not judged.
    Documents that are not in the qrels are outside the pool and count as non-relevant. If the whole pool is judged,
    infAP equals AP except for the smoothing.

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
    swap_monotone = False
    dilutes = True
    uses_unjudged = True
    bounds_strategy = "precision-sums"
    cutoff = None

    rel: float = rel()

    def terms(self, rank: Ints) -> tuple[Floats, Floats]:
        # If all documents are judged, d = c + n = rank - 1 in the formula of the class.
        documents_above = rank - 1.0
        slope = documents_above / (rank * np.maximum(documents_above + 2 * EPSILON, EPSILON))
        return 1 / rank + EPSILON * slope, slope

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        # Masks over the grade codes: code 0 is a document outside the qrels, that is, outside the pool.
        pooled = judged.count_above(rows, np.concatenate([[False], np.ones(len(judged.levels), dtype=bool)]))
        nonrelevant_levels = (judged.levels >= 0) & (judged.levels < self.rel)
        nonrelevant = judged.count_above(rows, np.concatenate([[False], nonrelevant_levels]))
        relevant = judged.cumulative_count(rows) - 1
        precision_above = (relevant + EPSILON) / (relevant + nonrelevant + 2 * EPSILON)
        total = judged.total(rows.ranking, 1 / rows.rank + pooled / rows.rank * precision_above)
        return self.normalise(total, judged.recall_base(self.rel))

    def expected_values(self, judged: Judged) -> Floats | None:
        return None
