"""Measures of pairs: how often a relevant document precedes a non-relevant one."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, ratio
from assay.measures._parameters import cutoff, param, rel
from assay.model.arrays import Floats
from assay.model.judged import Judged


class Bpref(Measure):
    r"""bpref: how rarely judged non-relevant documents stand above relevant ones; unjudged ones are skipped.

    .. math:: bpref_k = \frac{1}{R} \sum_{r} \left( 1 - \frac{\min(n_r, R + k)}{\min(N_0, R + k)} \right)

    The sum goes over the retrieved relevant documents; :math:`n_r` counts the judged non-relevant documents
    above one of them, :math:`N_0` all of the topic. k = 0 is bpref as in trec_eval, k = 10 is bpref-10. Documents
    with a negative grade count as unjudged here, as in trec_eval.

    References
    ----------
    Buckley & Voorhees, *Retrieval evaluation with incomplete information*, SIGIR 2004.
    Soboroff, *Dynamic test collections*, SIGIR 2006.

    Examples
    --------
    >>> Bpref().of([1, 0, None, 1, 0, 0, 1, 0], judged={1: 4, 0: 4})
    0.5
    """

    name = "bpref"
    trec_eval = ("bpref",)
    examples = ("bpref", "bpref(k=10)", "bpref(rel=2)")
    uses_recall_base = True
    swap_monotone = True
    swap = True
    replacement = True
    uses_unjudged = True
    bounds_strategy = "bpref"

    k: int = param("how many more non-relevant documents than R are looked at", 0, kind="whole", low=0)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        nonrelevant = np.concatenate([[False], (judged.levels >= 0) & (judged.levels < self.rel)])
        above = judged.above(rows, nonrelevant)
        base = judged.recall_base(self.rel)
        limit = base + self.k
        most = np.minimum(limit, judged.judged_below(self.rel))[rows.ranking]
        lost = ratio(np.minimum(above, limit[rows.ranking]), most)
        return ratio(judged.total(rows.ranking, 1 - lost), base)


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
    bounds_strategy = "accuracy"

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
