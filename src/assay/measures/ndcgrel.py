"""nDCG averaged over the relevant documents."""

from __future__ import annotations

import numpy as np

from assay.measures._base import ratio
from assay.measures._discount import discount
from assay.measures._ideal import BesideIdeal, ideal_up_to
from assay.model.arrays import Floats
from assay.model.judged import Judged
from assay.model.scan import running


class nDCGrel(BesideIdeal):
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
        reached = ratio(running(np.add, rows.ranking, amount), ideal_up_to(judged, ideal, best, rows))
        found = rows.gain > 0
        relevant = self.worthy(judged)
        missed = relevant - np.bincount(rows.ranking[found], minlength=len(judged))
        at_end = ratio(missed * judged.total(rows.ranking, amount), judged.ideal_total(ideal.ranking, best))
        return ratio(judged.total(rows.ranking[found], reached[found]) + at_end, relevant)
