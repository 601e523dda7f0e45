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
from assay.model.segmented_scan import down_to, running


class ComparedWithIdeal(Graded):
    """A graded measure whose value at a rank depends on the ideal ranking at the same rank."""

    uses_recall_base = True

    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def check(self) -> None:
        if self.gains.negative:
            raise MeasureError(
                f"measure '{self.name}': gains={self.gains} can be negative; {self.name} needs gains of at least 0"
            )

    def defined(self, judged: Judged) -> Bools:
        return self._count_gains(judged) > 0

    def _count_gains(self, judged: Judged) -> Ints:
        """Return, for each ranking, the number of judged documents of its topic with a gain."""
        return _lengths(judged, judged.ideal(self.gain(judged)))[judged.topic]


def add_ideal_gains(judged: Judged, ideal: Rows, amount: Floats, rows: Rows) -> Floats:
    """Add up *amount* over the ideal ranking, down to the rank of each row or to its end."""
    length = _lengths(judged, ideal)
    start = np.cumsum(length) - length
    topic = judged.topic[rows.ranking]
    sums = np.concatenate([[0.0], running(np.add, ideal.ranking, amount)])
    return np.where(length[topic] > 0, sums[start[topic] + np.minimum(rows.rank, length[topic])], 0.0)


def _lengths(judged: Judged, ideal: Rows) -> Ints:
    """Return the length of the ideal ranking of each topic."""
    return np.bincount(ideal.ranking, minlength=len(judged.counts))


class nDCGrel(ComparedWithIdeal):
    r"""The mean of nDCG at the ranks of the relevant documents, as AP is the mean of the precision there.

    .. math:: nDCGrel = \frac{1}{R} \left( \sum_{i \le n} [g_i > 0] \frac{DCG@i}{DCG^*@i}
              + (R - c) \frac{DCG@n}{DCG^*@R} \right)

    R documents of the topic have a gain, and c of them are among the n that were retrieved. The others count with
    the value at the end of the ranking. The discount is log2(1 + rank).

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
        amount, best = rows.gain / discount(rows.rank, None), ideal.gain / discount(ideal.rank, None)
        reached = ratio(running(np.add, rows.ranking, amount), add_ideal_gains(judged, ideal, best, rows))
        found = rows.gain > 0
        relevant = self._count_gains(judged)
        missed = relevant - np.bincount(rows.ranking[found], minlength=len(judged))
        at_end = ratio(missed * judged.total(rows.ranking, amount), judged.ideal_total(ideal.ranking, best))
        return ratio(judged.total(rows.ranking[found], reached[found]) + at_end, relevant)


class RnDCG(ComparedWithIdeal):
    r"""The mean of nDCG at the ranks where the gain of the ideal ranking drops: R-precision for graded gains.

    .. math:: RnDCG = \frac{1}{|B|} \sum_{b \in B} \frac{DCG@b}{DCG^*@b}

    With 5 documents of gain 3, 2 of gain 1 and no others worth something, B is {5, 7}. A ranking of more than R + 1
    documents is looked at once more at its end, where R is the largest of B (trec_eval looks there only if it has
    not come to the end of the ranking one rank behind R). A shorter ranking keeps the DCG of its last document. The
    discount is log2(1 + rank). Exact under expected ties.

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
        amount, best = rows.gain / discount(rows.rank, None), ideal.gain / discount(ideal.rank, None)
        ranking, place = _drops(judged, ideal)
        met = down_to(rows.ranking, rows.rank, running(np.add, rows.ranking, amount), ranking, ideal.rank[place])
        reached = met / running(np.add, ideal.ranking, best)[place]
        relevant = self._count_gains(judged)
        longer = (judged.length > relevant + 1) & (relevant > 0)
        at_end = ratio(judged.total(rows.ranking, amount), judged.ideal_total(ideal.ranking, best))
        looked = np.bincount(ranking, minlength=len(judged)) + longer
        return ratio(judged.total(ranking, reached) + np.where(longer, at_end, 0.0), looked)

    def expected(self, judged: Judged) -> Floats | None:
        # A mean of sums of gains at ranks that do not depend on the order: shared gains give the expectation.
        return self.score(judged)


def _drops(judged: Judged, ideal: Rows) -> tuple[Ints, Ints]:
    """Return, for each ranking, the rows of the ideal ranking that are the last of their gain."""
    drops = (np.diff(ideal.ranking, append=-1) != 0) | (np.diff(ideal.gain, append=0.0) != 0)
    last = np.flatnonzero(drops)
    number = np.bincount(ideal.ranking[last], minlength=len(judged.counts))
    first = np.cumsum(number) - number
    each = number[judged.topic]
    ranking = np.repeat(np.arange(len(judged)), each)
    turn = np.arange(len(ranking)) - np.repeat(np.cumsum(each) - each, each)
    return ranking, last[first[judged.topic][ranking] + turn]


class G(ComparedWithIdeal):
    r"""G: each gain counts less the further the ranking lags behind the ideal one, not the deeper it stands.

    .. math:: G = \frac{1}{\sum_j g^*_j} \sum_i \frac{g_i}{\log_2(2 + C_i - S_i)},
              \qquad S_i = \sum_{j \le i} g_j, \; C_i = \sum_{j \le i} \max(g^*_j, 1)

    g* are the gains of the ideal ranking, every judged document of the topic best first, and 0 behind its end.
    Each rank costs at least 1, so that documents worth nothing make the ranking lag behind.

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
        beyond = np.maximum(rows.rank - self._count_gains(judged)[rows.ranking], 0)
        cost = add_ideal_gains(judged, ideal, np.maximum(ideal.gain, 1), rows) + beyond
        lag = cost - running(np.add, rows.ranking, rows.gain)
        # No ranking is ahead of the ideal one; when gains are huge, rounding can make it seem so.
        lag[(lag < 0) & (lag > -1e-9 * cost)] = 0
        total = judged.total(rows.ranking, rows.gain / np.log2(2 + lag))
        return ratio(total, judged.ideal_total(ideal.ranking, ideal.gain))


class BinG(Measure):
    r"""Binary G: each relevant document counts less the more documents above it are not relevant.

    .. math:: BinG = \frac{1}{R} \sum_i \frac{r_i}{\log_2(2 + u_i)}

    where :math:`u_i` documents above rank i are not relevant or unjudged. Unlike the rank in DCG, relevant documents
    above another one take nothing from it. It is G with gains 0 and 1.

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
        missed = rows.rank - judged.found(rows)
        return ratio(judged.total(rows.ranking, 1 / np.log2(2.0 + missed)), judged.recall_base(self.rel))
