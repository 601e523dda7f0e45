"""nDCG averaged over the prefixes of a ranking."""

from __future__ import annotations

import numpy as np

from assay.measures._base import cutoff, floor, gains, max_rel
from assay.measures._discount import Discounted, base
from assay.measures._graded import Normalised
from assay.model.arrays import Floats, Ints
from assay.model.gains import Gains
from assay.model.judged import Judged


class MeanNDCG(Discounted, Normalised):
    r"""The mean of nDCG over the prefixes of the top k.

    .. math:: MeanNDCG@k = \frac{1}{k} \sum_{i \le k} nDCG@i

    A ranking shorter than k keeps the DCG of its last document. Each gain counts once for every prefix that
    holds it, so the sum is additive with weights that depend on the ideal ranking of the topic.

    References
    ----------
    Järvelin & Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, TOIS 20 (2002); recalled in
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE.

    Examples
    --------
    >>> from assay.measures.ndcg import nDCG
    >>> MeanNDCG(cutoff=2).of([0, 1], judged={1: 1, 0: 1}) == nDCG(cutoff=2).of([0, 1]) / 2
    True
    """

    name = "MeanNDCG"
    aliases = ("mnDCG",)
    examples = ("MeanNDCG@10", "MeanNDCG(gains=exp)@20", "MeanNDCG(base=10, gains=base5)@100")
    swap = True
    replacement = True
    dilutes = True

    cutoff: int = cutoff()
    base: float | None = base()
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def score(self, judged: Judged) -> Floats:
        rows = self.within(judged)
        tail = self._tails(judged, judged.topic[rows.ranking], rows.rank)
        return judged.total(rows.ranking, self.weighed(rows.gain, rows.rank) * tail) / self.cutoff

    def _tails(self, judged: Judged, topic: Ints, rank: Ints) -> Floats:
        """The sum over the prefixes j >= rank of 1 / ideal DCG@j; beyond the end of the ideal ranking all are equal."""
        ideal = judged.ideal(self.gain(judged))
        keep = ideal.rank <= self.cutoff
        length = np.bincount(ideal.ranking[keep], minlength=len(judged.counts))
        amount = np.zeros((len(length), max(int(length.max(initial=0)), 1)))
        amount[ideal.ranking[keep], ideal.rank[keep] - 1] = self.weighed(ideal.gain, ideal.rank)[keep]
        whole = np.cumsum(amount, axis=1)
        inside = np.arange(whole.shape[1]) < length[:, None]
        inverse = np.divide(1.0, whole, out=np.zeros(whole.shape), where=inside)
        every = np.arange(len(length)), np.maximum(length, 1) - 1
        last = inverse[every]
        inverse[every] *= self.cutoff - length + 1
        tails = np.cumsum(inverse[:, ::-1], axis=1)[:, ::-1]
        within = tails[topic, np.minimum(rank, whole.shape[1]) - 1]
        beyond: Floats = (self.cutoff - rank + 1) * last[topic]
        return np.where(rank <= length[topic], within, beyond)
