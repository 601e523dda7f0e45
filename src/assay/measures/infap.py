"""Inferred average precision."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, ratio, rel
from assay.model.arrays import Floats
from assay.model.judged import Judged

EPSILON = 0.00001


class infAP(Measure):
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

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        pooled = judged.above(rows, np.concatenate([[False], np.ones(len(judged.levels), dtype=bool)]))
        below = (judged.levels >= 0) & (judged.levels < self.rel)
        nonrelevant = judged.above(rows, np.concatenate([[False], below]))
        relevant = judged.found(rows) - 1
        share = (relevant + EPSILON) / (relevant + nonrelevant + 2 * EPSILON)
        return ratio(
            judged.total(rows.ranking, 1 / rows.rank + pooled / rows.rank * share), judged.recall_base(self.rel)
        )
