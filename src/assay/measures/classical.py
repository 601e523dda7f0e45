"""Measures from before TREC that compare a ranking with an ideal order, or count the documents a user must read."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import Measure, ratio
from assay.measures._document_counts import count_relevant
from assay.measures._graded import GradedSum
from assay.measures._parameters import cutoff, floor, gains, max_rel, param, rel
from assay.model.arrays import Floats, Ints, Numbers
from assay.model.gains import Gains
from assay.model.judged import Judged


class SlidingRatio(GradedSum):
    r"""Sliding ratio: the gain in the top k, divided by the top-k gain of the same documents in the best order.

    .. math:: SR@k = \sum_{i \le k} g_i \Big/ \sum_{i \le k} g^*_i

    :math:`g^*` are the gains of all *retrieved* documents in descending order. The measure therefore rates only the
    order of the retrieved documents, and documents that were not retrieved do not matter. In nCG, by contrast, the
    ideal ranking contains all judged documents. The value is 0 if no document with a gain was retrieved. Adding
    documents to the end of a ranking can lower the value. The expectation over tied documents is exact.

    With ``rel``, grades below the threshold have no gain: this is the satisfaction of the
    satisfaction-frustration-total measure (SFT).

    References
    ----------
    Pollack, *Measures for the comparison of information retrieval systems*, American Documentation 19 (1968).
    Korfhage, *Information Storage and Retrieval*, Wiley, 1997.

    Examples
    --------
    >>> SlidingRatio(cutoff=2).of([1, 0, 3, 2])
    0.2
    """

    name = "SlidingRatio"
    aliases: ClassVar[tuple[str, ...]] = ("Satisfaction",)
    examples = ("SlidingRatio@10", "SlidingRatio(gains=exp)@10", "SlidingRatio(rel=2)@5")
    swap = True
    replacement = False
    reads_beyond_cutoff = True
    is_plain_sum = False  # the scale depends on the retrieved documents

    cutoff: int = cutoff()
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def check(self) -> None:
        if self.gains.negative:
            raise MeasureError(f"measure '{self.name}': gains={self.gains} can be negative; use gains of at least 0")

    def scale(self, judged: Judged) -> float | Numbers:
        return best_gain(judged, self.gain(judged), self.cutoff)


def best_gain(judged: Judged, gain: Floats, cut: int) -> Floats:
    """Return for each ranking the total gain of the *cut* documents with the highest gains, at any rank."""
    rows = judged.without_ties().rows(gain)
    order = np.lexsort((-rows.gain, rows.ranking))
    best = order[judged.cumulative_count(rows) <= cut]  # sorted by ranking, so the n-th row of a ranking stays its n-th
    return judged.total(rows.ranking[best], rows.gain[best])


class Frustration(Measure):
    r"""Frustration: the number of non-relevant documents in the top k, relative to the worst order.

    .. math:: F@k = (k' - c_k) / \min(k', n)

    :math:`c_k` is the number of relevant documents in the top k, n is the number of non-relevant documents of the
    ranking, and k' is k or the length of the ranking, whichever is smaller. The worst order of the retrieved documents
    has all non-relevant documents first. The value is 0 if every retrieved document is relevant. Lower values are
    better. Unjudged documents count as non-relevant. The expectation over tied documents is exact.

    References
    ----------
    Myaeng & Korfhage, *Integration of user profiles: models and experiments in information retrieval*, Information
    Processing & Management 26 (1990).
    Korfhage, *Information Storage and Retrieval*, Wiley, 1997.

    Examples
    --------
    >>> Frustration(cutoff=2).of([1, 0, 0, 1])
    0.5
    """

    name = "Frustration"
    examples = ("Frustration@10", "Frustration(rel=2)@5")
    reads_beyond_cutoff = True
    lower_is_better = True
    swap = False
    replacement = False

    cutoff: int = cutoff()
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        rows = rows.filter(rows.rank <= self.cutoff)
        seen = np.minimum(judged.length, self.cutoff)
        worst = np.minimum(seen, judged.length - count_relevant(judged, self.rel))
        return ratio(seen - judged.total(rows.ranking, rows.gain), worst)

    def expected_values(self, judged: Judged) -> Floats | None:
        return self.score(judged)


class SFT(SlidingRatio):
    r"""Satisfaction-frustration-total: satisfaction and the absence of frustration, combined with weights.

    .. math:: SFT@k = w \cdot S@k + (1 - w) (1 - F@k)

    The satisfaction S is the sliding ratio of the relevant documents (SlidingRatio with a threshold), and F is
    Frustration. The sources describe the total as a weighted combination without fixing its scale. In this form the
    value is between 0 and 1, and an ideal order of the retrieved documents has the highest value for this set of
    documents. A ranking without relevant documents, or without documents, has the value 0. The expectation over tied
    documents is exact.

    References
    ----------
    Myaeng & Korfhage, *Integration of user profiles: models and experiments in information retrieval*, Information
    Processing & Management 26 (1990).
    Korfhage, *Information Storage and Retrieval*, Wiley, 1997.

    Examples
    --------
    >>> SFT(cutoff=2).of([1, 0, 0, 1])
    0.5
    """

    name = "SFT"
    aliases = ()
    examples = ("SFT@10", "SFT(w=0.8)@10", "SFT(rel=2)@5")

    w: float = param("weight of satisfaction; frustration has the weight 1 - w", 0.5, low=0, high=1)
    cutoff: int = cutoff()
    gains: Gains = gains("identity")
    rel: float = rel()
    max_rel: float | None = max_rel()

    def score(self, judged: Judged) -> Floats:
        frustration = Frustration(cutoff=self.cutoff, rel=self.rel).score(judged)
        total = self.w * super().score(judged) + (1 - self.w) * (1 - frustration)
        return np.where(np.asarray(self.scale(judged)) > 0, total, 0.0)

    def tie_key(self, judged: Judged) -> Floats:
        # A mapping of gains may give a relevant grade the gain 0. Such a document still precedes a non-relevant one.
        return self.gain(judged) + judged.relevance(self.rel)


class NormalizedRecall(Measure):
    r"""Normalised recall: how early the relevant documents are ranked, from 0 (all last) to 1 (all first).

    .. math:: NR = 1 - \frac{\sum_{j=1}^{R} r_j - \sum_{j=1}^{R} j}{R (N - R)}

    :math:`r_j` is the rank of the j-th relevant document in a ranking of the whole collection of N documents. The
    numerator is the area between the recall curves of the ideal ranking and of the ranking. Relevant documents that
    were not retrieved take the last ranks of the collection. By default, N is the length of the longest ranking plus
    R, the smallest collection with room for them; a smaller N is raised to this value. The measure is binary, and a
    single relevant document at a late rank lowers it a lot. The expectation over tied documents is exact.

    References
    ----------
    Rocchio, *Document Retrieval Systems: Optimization and Evaluation*, Harvard University, 1966.
    Korfhage, *Information Storage and Retrieval*, Wiley, 1997.

    Examples
    --------
    >>> NormalizedRecall(documents=10).of([1, 0, 1, 0])
    0.9375
    """

    name = "NormalizedRecall"
    aliases = ("NormRecall",)
    examples = ("NormalizedRecall", "NormalizedRecall(documents=528155)", "NormalizedRecall(rel=2)")
    uses_recall_base = True
    swap_monotone = True
    swap = True
    replacement = True
    uses_max_depth = True

    documents: int | None = param(
        "number of documents N of the collection; none stands for the longest ranking plus R", None, kind="whole", low=1
    )
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        recall_base = judged.recall_base(self.rel).astype(np.float64)
        size = np.maximum(judged.max_depth + recall_base, self.documents or 1)
        missed = recall_base - judged.total(rows.ranking, rows.gain)
        last_ranks = missed * size - missed * (missed - 1) / 2  # N, N - 1, ..., N - missed + 1
        ranks = judged.total(rows.ranking, rows.gain * rows.rank) + last_ranks
        excess = ranks - recall_base * (recall_base + 1) / 2
        largest = recall_base * (size - recall_base)
        return np.where(largest > 0, 1 - ratio(excess, largest), 0.0)

    def expected_values(self, judged: Judged) -> Floats | None:
        return self.score(judged)


class ESL(Measure):
    r"""Expected search length: the number of non-relevant documents before the n-th relevant document.

    .. math:: ESL_n = r_n - n

    :math:`r_n` is the rank of the n-th relevant document. If a topic has fewer than n relevant documents, all of them
    are wanted. The value is infinite if the ranking does not contain them. Lower values are better. Among tied
    documents, Cooper's formula applies (``ties=expected``): if s more relevant documents are wanted from a group with
    r relevant and i non-relevant documents, the user reads :math:`i s / (r + 1)` non-relevant documents of the group on
    average.

    References
    ----------
    Cooper, *Expected search length: a single measure of retrieval effectiveness based on the weak ordering action of
    retrieval systems*, American Documentation 19 (1968).

    Examples
    --------
    >>> ESL(n=2).of([0, 1, 0, 0, 1])
    3.0
    """

    name = "ESL"
    examples = ("ESL", "ESL(n=5)", "ESL(n=2, rel=2)")
    uses_recall_base = True
    lower_is_better = True
    bounds = (0.0, math.inf)
    can_be_infinite = True
    empty_is_zero = False
    swap = False
    replacement = False

    n: int = param("number of relevant documents that the user wants", 1, kind="whole", low=1)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return self._count_before(judged.without_ties())

    def expected_values(self, judged: Judged) -> Floats | None:
        return self._count_before(judged)

    def _count_before(self, judged: Judged) -> Floats:
        """Return the expected number of non-relevant documents that the user reads, by Cooper's formula."""
        group, first = judged.tie_groups()
        ranking = judged.ranking()[first]
        relevant = np.bincount(group, weights=judged.relevance(self.rel)[judged.code], minlength=len(first))
        size = np.bincount(group, minlength=len(first))
        before = _sum_before(ranking, relevant)
        target = np.minimum(self.n, judged.recall_base(self.rel))[ranking]
        # The user stops in the tie group that contains the last wanted relevant document.
        last_group = np.flatnonzero((before < target) & (before + relevant >= target))
        non_relevant = size - relevant
        read = _sum_before(ranking, non_relevant) + non_relevant * (target - before) / (relevant + 1)
        value = np.where(judged.recall_base(self.rel) > 0, np.inf, 0.0)
        value[ranking[last_group]] = read[last_group]
        return value


def _sum_before(ranking: Ints, amount: Numbers) -> Floats:
    """Return the sum of *amount* over the earlier groups of the same ranking; the amounts are whole numbers."""
    total = np.cumsum(amount, dtype=np.float64) - amount
    return np.asarray(total - total[np.searchsorted(ranking, ranking)])


class RankPower(Measure):
    r"""RankPower: the mean rank of the relevant documents in the top k, divided by their number.

    .. math:: RankPower@k = \frac{1}{n^2} \sum_{j=1}^{n} r_j

    :math:`r_1, \dots, r_n` are the ranks of the n relevant documents in the top k. Lower values are better: the value
    is :math:`(n + 1) / (2 n)` if these documents come first, and approaches 1/2 as n grows. The value is infinite if
    there is no relevant document in the top k. Moffat and Zobel (2008) discuss these two anomalies.

    References
    ----------
    Meng & Chen, *Performance evaluation of web search engines by RankPower*, Information Technology: Coding and
    Computing, 2004.

    Examples
    --------
    >>> RankPower().of([1, 0, 1, 0])
    1.0
    """

    name = "RankPower"
    examples = ("RankPower", "RankPower@10", "RankPower(rel=2)@20")
    lower_is_better = True
    bounds = (0.0, math.inf)
    can_be_infinite = True
    empty_is_zero = False
    swap = False
    replacement = False

    cutoff: int | None = cutoff(None)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        rows = rows.filter(rows.rank <= (self.cutoff or math.inf))
        count = judged.total(rows.ranking, rows.gain)
        ranks = judged.total(rows.ranking, rows.gain * rows.rank)
        return np.where(count > 0, ratio(ranks, count**2), np.inf)
