"""Rank-biased precision with grades scaled by the topic."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Additive, cutoff, floor, param
from assay.model.arrays import Floats, Ints, Numbers
from assay.model.gains import Gains
from assay.model.judged import Judged


class RBPnorm(Additive):
    r"""RBP whose gains are the grades over the largest grade of the topic.

    .. math:: RBPnorm = \frac{1 - p}{\max(1, G)} \sum_i g_i \, p^{i-1}

    G is the largest grade that any document of the topic was judged with, so the same grade is worth more in a topic
    that has none above it; ``RBP(gains=unit)`` scales all topics alike. This is what trec_eval 10 calls *rbp*.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008);
    trec_eval, measure *rbp*.

    Examples
    --------
    >>> RBPnorm(p=0.5).of([2, 0, 1], judged={4: 1, 2: 1, 1: 3, 0: 1})
    0.28125
    """

    name = "RBPnorm"
    trec_eval = ("rbp=RBPnorm(p=0.9)",)
    examples = ("RBPnorm(p=0.9)", "RBPnorm(p=0.5)@20", "RBPnorm(p=0.8, rel=2)")
    swap = True
    replacement = True

    p: float = param("persistence: probability of looking at the next document", low=0, below=1)
    cutoff: int | None = cutoff(None)
    rel: float | None = floor()

    def gain(self, judged: Judged) -> Floats:
        return Gains("identity").table(judged.levels, self.rel, None)

    def weight(self, rank: Ints) -> Floats:
        return np.asarray((1 - self.p) * np.power(float(self.p), rank - 1.0))

    def scale(self, judged: Judged) -> float | Numbers:
        largest = np.max(np.where(judged.counts > 0, judged.levels, 1.0), axis=1, initial=1.0)
        return np.asarray(largest[judged.topic])
