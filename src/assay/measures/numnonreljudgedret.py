"""The number of judged documents retrieved that are not relevant."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, rel
from assay.measures._counting import retrieved
from assay.model.arrays import Floats
from assay.model.judged import Judged


class NumNonrelJudgedRet(Measure):
    r"""The number of documents retrieved that were judged not relevant, summed over topics.

    .. math:: NumNonrelJudgedRet = \sum_i [d_i \text{ is judged}] (1 - r_i)

    Documents with a negative grade count as unjudged, as in trec_eval.

    References
    ----------
    trec_eval, measure *num_nonrel_judged_ret*.

    Examples
    --------
    >>> NumNonrelJudgedRet().of([1, 0, 0, None, -1])
    2.0
    """

    name = "NumNonrelJudgedRet"
    trec_eval = ("num_nonrel_judged_ret",)
    examples = ("NumNonrelJudgedRet", "NumNonrelJudgedRet(rel=2)")
    lower_is_better = True
    bounds = (0.0, np.inf)
    aggregate = "sum"
    order_matters = False
    swap = True
    replacement = False

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return retrieved(judged, np.concatenate([[False], (judged.levels >= 0) & (judged.levels < self.rel)]))
