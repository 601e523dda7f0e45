"""nDCG averaged over the ranks where the ideal gain drops."""

from __future__ import annotations

import numpy as np

from assay.measures._base import ratio
from assay.measures._discount import discount
from assay.measures._ideal import BesideIdeal
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged, Rows
from assay.model.scan import down_to, running


class RnDCG(BesideIdeal):
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
        relevant = self.worthy(judged)
        longer = (judged.length > relevant + 1) & (relevant > 0)
        at_end = ratio(judged.total(rows.ranking, amount), judged.ideal_total(ideal.ranking, best))
        looked = np.bincount(ranking, minlength=len(judged)) + longer
        return ratio(judged.total(ranking, reached) + np.where(longer, at_end, 0.0), looked)

    def expected(self, judged: Judged) -> Floats | None:
        # A mean of sums of gains at ranks that do not depend on the order: shared gains give the expectation.
        return self.score(judged)


def _drops(judged: Judged, ideal: Rows) -> tuple[Ints, Ints]:
    """For each ranking, the rows of the ideal ranking that are the last of their gain: the rankings and the rows."""
    drops = (np.diff(ideal.ranking, append=-1) != 0) | (np.diff(ideal.gain, append=0.0) != 0)
    last = np.flatnonzero(drops)
    number = np.bincount(ideal.ranking[last], minlength=len(judged.counts))
    first = np.cumsum(number) - number
    each = number[judged.topic]
    ranking = np.repeat(np.arange(len(judged)), each)
    turn = np.arange(len(ranking)) - np.repeat(np.cumsum(each) - each, each)
    return ranking, last[first[judged.topic][ranking] + turn]
