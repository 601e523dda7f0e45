"""The number of unjudged documents retrieved."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure
from assay.measures._counting import retrieved, unjudged
from assay.model.arrays import Floats
from assay.model.judged import Judged


class NumUnjudgedRet(Measure):
    r"""The number of documents retrieved that were not judged, summed over topics.

    .. math:: NumUnjudgedRet = \sum_i [d_i \text{ is not judged}]

    Documents with a negative grade count as unjudged, as in trec_eval.

    References
    ----------
    trec_eval, measure *num_nonjudged_ret*.

    Examples
    --------
    >>> NumUnjudgedRet().of([1, 0, 0, None, -1])
    2.0
    """

    name = "NumUnjudgedRet"
    trec_eval = ("num_nonjudged_ret",)
    examples = ("NumUnjudgedRet",)
    lower_is_better = True
    bounds = (0.0, np.inf)
    aggregate = "sum"
    order_matters = False

    def score(self, judged: Judged) -> Floats:
        return retrieved(judged, unjudged(judged))
