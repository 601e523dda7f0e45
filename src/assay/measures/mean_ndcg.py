"""nDCG averaged over the prefixes of a ranking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.measures._base import Additive, cutoff, floor, gains, max_rel
from assay.measures._discount import base, discount
from assay.measures.ndcg import nDCG
from assay.model.gains import Gains
from assay.model.judged import Judged


@dataclass(frozen=True, repr=False)
class MeanNDCG(Additive):
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
    >>> MeanNDCG(cutoff=2).of([0, 1], judged={1: 1, 0: 1}) == nDCG(cutoff=2).of([0, 1]) / 2
    True
    """

    name = "MeanNDCG"
    aliases = ("mnDCG",)
    examples = ("MeanNDCG@10", "MeanNDCG(gains=exp)@20", "MeanNDCG(base=10, gains=base5)@100")
    uses_recall_base = True

    cutoff: int = cutoff()
    base: float | None = base()
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def __post_init__(self) -> None:
        super().__post_init__()
        self._whole()

    def gain(self, judged: Judged) -> np.ndarray:
        return self.gains.table(judged.levels, self.rel, self.max_rel)

    def score(self, judged: Judged) -> np.ndarray:
        rows = self.within(judged)
        tail = self._tails(judged)[judged.topic[rows.ranking], rows.rank - 1]
        return judged.total(rows.ranking, rows.gain / discount(rows.rank, self.base) * tail) / self.cutoff

    def defined(self, judged: Judged) -> np.ndarray:
        return self._whole().defined(judged)

    def _whole(self) -> nDCG:
        return nDCG(cutoff=self.cutoff, gains=self.gains, base=self.base, rel=self.rel, max_rel=self.max_rel)

    def _tails(self, judged: Judged) -> np.ndarray:
        """For each topic and rank i, the sum over the prefixes j >= i of 1 / ideal DCG@j."""
        ideal = judged.ideal(self.gain(judged))
        keep = ideal.rank <= self.cutoff
        amount = np.zeros((len(judged.counts), self.cutoff))
        amount[ideal.ranking[keep], ideal.rank[keep] - 1] = (ideal.gain / discount(ideal.rank, self.base))[keep]
        whole = np.cumsum(amount, axis=1)
        inverse = np.divide(1.0, whole, out=np.zeros(whole.shape), where=whole > 0)
        return np.cumsum(inverse[:, ::-1], axis=1)[:, ::-1]
