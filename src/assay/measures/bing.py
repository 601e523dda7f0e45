"""Binary G."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, ratio, rel
from assay.model.arrays import Floats
from assay.model.judged import Judged


class BinG(Measure):
    r"""Binary G: each relevant document counts less the more documents above it are not relevant.

    .. math:: BinG = \frac{1}{R} \sum_i \frac{r_i}{\log_2(2 + u_i)}

    where :math:`u_i` documents above rank i are not relevant or unjudged. Unlike the rank in DCG, relevant documents
    above another one take nothing from it. It is G with gains 0 and 1.

    References
    ----------
    trec_eval, measure *binG* (Buckley 2008).

    Examples
    --------
    >>> BinG().of([1, 1, 0, 0, 1], judged={1: 4, 0: 2})
    0.625
    """

    name = "BinG"
    trec_eval = ("binG",)
    examples = ("BinG", "BinG(rel=2)")
    swap_monotone = True
    uses_recall_base = True
    swap = True
    replacement = True
    dilutes = True

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        missed = rows.rank - judged.found(rows)
        return ratio(judged.total(rows.ranking, 1 / np.log2(2.0 + missed)), judged.recall_base(self.rel))
