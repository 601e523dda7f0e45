"""Measures that compare a ranking with the ideal ranking, rank by rank."""

from __future__ import annotations

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import Measure, ratio
from assay.measures._graded import Graded
from assay.measures._parameters import floor, gains, max_rel, rel
from assay.measures.dcg import discount
from assay.model.arrays import Bools, Floats, Ints
from assay.model.gains import Gains
from assay.model.judged import Judged, Rows
from assay.model.segmented_scan import accumulate, value_at_depth


class IdealComparison(Graded):
    """A graded measure that compares the ranking with the ideal ranking at the same ranks."""

    uses_recall_base = True

    def check(self) -> None:
        if self.gains.negative:
            raise MeasureError(
                f"measure '{self.name}': gains={self.gains} can be negative; {self.name} needs gains of at least 0"
            )

    def is_defined(self, judged: Judged) -> Bools:
        return self.count_gains(judged) > 0

    def count_gains(self, judged: Judged) -> Ints:
        """Return, for each ranking, the number of judged documents of its topic that have a gain."""
        return _ideal_lengths(judged, judged.ideal(self.gain(judged)))[judged.topic]


class PlainIdealComparison(IdealComparison):
    """A comparison with the ideal ranking that has no parameters except those of the gains."""

    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()


def sum_ideal_gains(judged: Judged, ideal: Rows, amount: Floats, rows: Rows) -> Floats:
    """Return the sum of *amount* over the ideal ranking, down to the rank of each row or to the end."""
    length = _ideal_lengths(judged, ideal)
    start = np.cumsum(length) - length
    topic = judged.topic[rows.ranking]
    sums = np.concatenate([[0.0], accumulate(np.add, ideal.ranking, amount)])
    return np.where(length[topic] > 0, sums[start[topic] + np.minimum(rows.rank, length[topic])], 0.0)


def _ideal_lengths(judged: Judged, ideal: Rows) -> Ints:
    """Return the length of the ideal ranking of each topic."""
    return np.bincount(ideal.ranking, minlength=len(judged.counts))


class nDCGrel(PlainIdealComparison):
    r"""The mean of nDCG at the ranks of the relevant documents, as AP is the mean of precision at these ranks.

    .. math:: nDCGrel = \frac{1}{R} \left( \sum_{i \le n} [g_i > 0] \frac{DCG@i}{DCG^*@i}
              + (R - c) \frac{DCG@n}{DCG^*@R} \right)

    R documents of the topic have a gain, and c of these documents are among the n retrieved documents. A document that
    is not retrieved contributes the nDCG at the end of the ranking. The discount is log2(1 + rank). The value is
    undefined for topics in which no document has a gain.

    References
    ----------
    trec_eval, measure *ndcg_rel*; Järvelin & Kekäläinen, *Cumulated gain-based evaluation of IR techniques*,
    TOIS 20 (2002).

    Examples
    --------
    >>> round(nDCGrel().of([2, 0, 1], judged={2: 1, 1: 1, 0: 1}), 4)
    0.9751
    """

    name = "nDCGrel"
    trec_eval = ("ndcg_rel",)
    examples = ("nDCGrel", "nDCGrel(gains=exp)", "nDCGrel(gains={1:3,2:9})", "nDCGrel(rel=2)")
    swap_monotone = True
    swap = False
    replacement = False

    def score(self, judged: Judged) -> Floats:
        gain = self.gain(judged)
        rows, ideal = judged.rows(gain), judged.ideal(gain)
        amount, ideal_amount = rows.gain / discount(rows.rank, None), ideal.gain / discount(ideal.rank, None)
        ndcg = ratio(accumulate(np.add, rows.ranking, amount), sum_ideal_gains(judged, ideal, ideal_amount, rows))
        has_gain = rows.gain > 0
        relevant = self.count_gains(judged)
        # A document that is not retrieved contributes the nDCG at the end of the ranking.
        missed = relevant - np.bincount(rows.ranking[has_gain], minlength=len(judged))
        missed_total = ratio(
            missed * judged.total(rows.ranking, amount), judged.ideal_total(ideal.ranking, ideal_amount)
        )
        return ratio(judged.total(rows.ranking[has_gain], ndcg[has_gain]) + missed_total, relevant)


class RnDCG(PlainIdealComparison):
    r"""R-nDCG: the mean of nDCG at the ranks where the gain of the ideal ranking drops.

    .. math:: RnDCG = \frac{1}{|B|} \sum_{b \in B} \frac{DCG@b}{DCG^*@b}

    RnDCG generalises R-precision to graded gains. B contains the last rank of each gain in the ideal ranking: with 5
    documents of gain 3 and 2 documents of gain 1, B is {5, 7}. Let R be the largest rank in B. As in trec_eval, a
    ranking with more than R + 1 documents is evaluated once more, at its end. After the end of a shorter ranking, its
    DCG stays constant. The discount is log2(1 + rank). The expectation over tied documents is exact.

    References
    ----------
    trec_eval, measure *Rndcg*; Järvelin & Kekäläinen, *Cumulated gain-based evaluation of IR techniques*,
    TOIS 20 (2002).

    Examples
    --------
    >>> round(RnDCG().of([2, 0, 1], judged={2: 1, 1: 1, 0: 1}), 4)
    0.8801
    """

    name = "RnDCG"
    trec_eval = ("Rndcg",)
    examples = ("RnDCG", "RnDCG(gains=exp)", "RnDCG(gains={1:3,2:9})", "RnDCG(rel=2)")
    swap_monotone = True
    swap = True
    replacement = True

    def score(self, judged: Judged) -> Floats:
        gain = self.gain(judged)
        rows, ideal = judged.rows(gain), judged.ideal(gain)
        amount, ideal_amount = rows.gain / discount(rows.rank, None), ideal.gain / discount(ideal.rank, None)
        # nDCG at each rank where the ideal gain drops.
        ranking, drop = _find_gain_drops(judged, ideal)
        dcg = value_at_depth(
            rows.ranking, rows.rank, accumulate(np.add, rows.ranking, amount), ranking, ideal.rank[drop]
        )
        ndcg = dcg / accumulate(np.add, ideal.ranking, ideal_amount)[drop]
        # As in trec_eval, a ranking with more than R + 1 documents is evaluated once more, at its end.
        relevant = self.count_gains(judged)
        is_longer = (judged.length > relevant + 1) & (relevant > 0)
        ndcg_at_end = ratio(judged.total(rows.ranking, amount), judged.ideal_total(ideal.ranking, ideal_amount))
        term_count = np.bincount(ranking, minlength=len(judged)) + is_longer
        return ratio(judged.total(ranking, ndcg) + np.where(is_longer, ndcg_at_end, 0.0), term_count)

    def expected_values(self, judged: Judged) -> Floats | None:
        # The value is a mean of DCG at ranks that do not depend on the order of the documents, so it is a sum of gains.
        # Judged.rows divides the gains of tied documents equally, which yields the expectation of such a sum.
        return self.score(judged)


def _find_gain_drops(judged: Judged, ideal: Rows) -> tuple[Ints, Ints]:
    """Return the ranks at which the ideal gain drops, as two arrays: the ranking, and the index of the row in *ideal*.

    These rows are the last rows with a given gain in the ideal ranking of a topic.
    """
    is_drop = (np.diff(ideal.ranking, append=-1) != 0) | (np.diff(ideal.gain, append=0.0) != 0)
    last = np.flatnonzero(is_drop)
    # The rows belong to topics; repeat them for each ranking of the topic.
    count = np.bincount(ideal.ranking[last], minlength=len(judged.counts))
    first = np.cumsum(count) - count
    per_ranking = count[judged.topic]
    ranking = np.repeat(np.arange(len(judged)), per_ranking)
    offset = np.arange(len(ranking)) - np.repeat(np.cumsum(per_ranking) - per_ranking, per_ranking)
    return ranking, last[first[judged.topic][ranking] + offset]


class G(PlainIdealComparison):
    r"""G: the sum of gains, discounted by how much cumulated gain the ranking lacks, instead of by rank.

    .. math:: G = \frac{1}{\sum_j g^*_j} \sum_i \frac{g_i}{\log_2(2 + C_i - S_i)},
              \qquad S_i = \sum_{j \le i} g_j, \; C_i = \sum_{j \le i} \max(g^*_j, 1)

    g_i and g*_i are the gains of the ranking and of the ideal ranking, which contains every judged document of the
    topic in descending order of gain; g* is 0 after its end. The discount depends on the lag C_i - S_i, the difference
    between the cumulated gain of the ideal ranking and that of the ranking. Each rank adds at least 1 to C, so
    non-relevant documents increase the lag. A ranking in ideal order is not discounted if all its gains are at least 1.

    References
    ----------
    trec_eval, measure *G* (Buckley 2008).

    Examples
    --------
    >>> round(G().of([2, 0, 1], judged={2: 1, 1: 2, 0: 1}), 4)
    0.6577
    """

    name = "G"
    trec_eval = ("G",)
    examples = ("G", "G(gains=exp)", "G(gains={1:3,2:9})", "G(rel=2)")
    swap = False

    def score(self, judged: Judged) -> Floats:
        gain = self.gain(judged)
        rows, ideal = judged.rows(gain), judged.ideal(gain)
        ranks_after_ideal = np.maximum(rows.rank - self.count_gains(judged)[rows.ranking], 0)
        cost = sum_ideal_gains(judged, ideal, np.maximum(ideal.gain, 1), rows) + ranks_after_ideal
        lag = cost - accumulate(np.add, rows.ranking, rows.gain)
        # No ranking is ahead of the ideal ranking, but rounding of huge gains can make the lag slightly negative.
        lag[(lag < 0) & (lag > -1e-9 * cost)] = 0
        total = judged.total(rows.ranking, rows.gain / np.log2(2 + lag))
        return ratio(total, judged.ideal_total(ideal.ranking, ideal.gain))


class BinG(Measure):
    r"""Binary G: relevant documents discounted by the number of non-relevant documents above them.

    .. math:: BinG = \frac{1}{R} \sum_i \frac{r_i}{\log_2(2 + u_i)}

    :math:`u_i` is the number of non-relevant or unjudged documents above rank i. Unlike in DCG, the discount does not
    depend on the relevant documents above rank i. Relevant documents that are not retrieved contribute 0. BinG is G
    with gains 0 and 1.

    References
    ----------
    trec_eval, measure *binG* (Buckley 2008).

    Examples
    --------
    >>> BinG().of([1, 1, 0, 0, 1], judged={1: 4, 0: 2})
    0.625
    """

    name = "BinG"
    trec_eval = ("binG",)
    examples = ("BinG", "BinG(rel=2)")
    swap_monotone = True
    uses_recall_base = True
    swap = True
    replacement = True
    dilutes = True
    vanishes = True

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        nonrelevant = rows.rank - judged.cumulative_count(rows)
        return ratio(judged.total(rows.ranking, 1 / np.log2(2.0 + nonrelevant)), judged.recall_base(self.rel))
