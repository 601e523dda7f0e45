"""Binary preference."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, param, ratio, rel
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
