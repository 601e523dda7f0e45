"""The number of documents retrieved."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure
from assay.model.arrays import Floats
from assay.model.judged import Judged


class NumRet(Measure):
    r"""The number of documents retrieved, summed over topics.

    .. math:: NumRet = n

    References
    ----------
    trec_eval, measure *num_ret*.

    Examples
    --------
    >>> NumRet().of([1, 0, None])
    3.0
    """

    name = "NumRet"
    trec_eval = ("num_ret",)
    examples = ("NumRet",)
    bounds = (0.0, np.inf)
    aggregate = "sum"
    order_matters = False

    def score(self, judged: Judged) -> Floats:
        return judged.length.astype(np.float64)
