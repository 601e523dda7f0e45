"""Measures of document pairs: how often a relevant document precedes a non-relevant one."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, ratio
from assay.measures._parameters import cutoff, param, rel
from assay.model.arrays import Floats
from assay.model.judged import Judged


class Bpref(Measure):
    r"""bpref: the fraction of pairs in which a relevant document precedes a judged non-relevant one.

    .. math:: bpref_k = \frac{1}{R} \sum_{r} \left( 1 - \frac{\min(n_r, R + k)}{\min(N_0, R + k)} \right)

    The sum is over the retrieved relevant documents r. :math:`n_r` is the number of judged non-relevant documents above
    r, and :math:`N_0` is the number of judged non-relevant documents of the topic. At most R + k non-relevant documents
    count: k = 0 is bpref of trec_eval, k = 10 is bpref-10. Relevant documents that are not retrieved contribute 0.
    Unjudged documents are ignored: bpref is designed for incomplete judgments. As in trec_eval, documents with a
    negative grade count as unjudged. The value is undefined for topics without relevant documents.

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

    k: int = param("number of non-relevant documents that count in addition to R", 0, kind="whole", low=0)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        nonrelevant = np.concatenate([[False], (judged.levels >= 0) & (judged.levels < self.rel)])
        nonrelevant_above = judged.count_above(rows, nonrelevant)
        base = judged.recall_base(self.rel)
        limit = base + self.k
        max_count = np.minimum(limit, judged.judged_below(self.rel))[rows.ranking]
        penalty = ratio(np.minimum(nonrelevant_above, limit[rows.ranking]), max_count)
        return ratio(judged.total(rows.ranking, 1 - penalty), base)


class Accuracy(Measure):
    r"""Accuracy: the probability that a relevant document of the top k precedes a non-relevant one.

    .. math:: Accuracy@k = 1 - \frac{1}{c \, (n - c)} \sum_{i \le k} r_i \sum_{j < i} (1 - r_j)

    The top k contains n documents (n < k for a short ranking), c of which are relevant. Without a cutoff, Accuracy is
    the area under the ROC curve of the ranking. It evaluates only the order of the retrieved documents, which is what a
    reranker changes, and ignores relevant documents that are not retrieved. The value is 0 if no document of the top k
    is relevant, and 1 if all documents of the top k are relevant. The expectation over tied documents is exact without
    a cutoff.

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
        # The gains of tied documents are divided equally, which changes the sum over a ranking only by rounding errors.
        # Rounding to whole numbers restores the number of relevant documents.
        relevant = np.rint(judged.total(ranking, gain))
        nonrelevant = np.minimum(judged.length, np.inf if self.cutoff is None else self.cutoff) - relevant
        misordered_pairs = judged.total(ranking, gain * rank) - relevant * (relevant + 1) / 2
        return np.where(relevant > 0, 1 - ratio(misordered_pairs, relevant * nonrelevant), 0.0)

    def expected_values(self, judged: Judged) -> Floats | None:
        return self.score(judged) if self.cutoff is None else None
