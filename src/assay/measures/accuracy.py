"""How often a relevant document stands above another."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, cutoff, ratio, rel
from assay.model.arrays import Floats
from assay.model.judged import Judged


class Accuracy(Measure):
    r"""Accuracy: the chance that a relevant document of the top k stands above one of it that is not relevant.

    .. math:: Accuracy@k = 1 - \frac{1}{c \, (n - c)} \sum_{i \le k} r_i \sum_{j < i} (1 - r_j)

    c of the n documents of the top k that were retrieved are relevant; without a cutoff it is the area under the ROC
    curve of the ranking. It tells how well a ranker sorts what it was given, not what was found. 0 when no relevant
    document is there, 1 when there are no others. Exact under expected ties without a cutoff.

    References
    ----------
    Hanley & McNeil, *The meaning and use of the area under a receiver operating characteristic (ROC) curve*,
    Radiology 143 (1982). MacAvaney, Macdonald & Ounis, *Streamlining evaluation with ir-measures*, ECIR 2022.

    Examples
    --------
    >>> Accuracy().of([1, 0, 1, 0])
    0.75
    """

    name = "Accuracy"
    examples = ("Accuracy", "Accuracy@10", "Accuracy(rel=2)@100")
    swap = True
    replacement = False

    cutoff: int | None = cutoff(None)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        keep = slice(None) if self.cutoff is None else rows.rank <= self.cutoff
        ranking, rank, gain = rows.ranking[keep], rows.rank[keep], rows.gain[keep]
        # Tied documents share their gains, which leaves sums over the ranking but for rounding as they are.
        relevant = np.rint(judged.total(ranking, gain))
        others = np.minimum(judged.length, np.inf if self.cutoff is None else self.cutoff) - relevant
        others_above = judged.total(ranking, gain * rank) - relevant * (relevant + 1) / 2
        return np.where(relevant > 0, 1 - ratio(others_above, relevant * others), 0.0)

    def expected(self, judged: Judged) -> Floats | None:
        return self.score(judged) if self.cutoff is None else None
