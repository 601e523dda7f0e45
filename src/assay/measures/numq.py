"""The number of topics."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure
from assay.model.arrays import Floats
from assay.model.judged import Judged


class NumQ(Measure):
    r"""The number of topics that count under the topics policy.

    .. math:: NumQ = \sum_t 1

    References
    ----------
    trec_eval, measure *num_q*.

    Examples
    --------
    >>> NumQ().of([1, 0])
    1.0
    """

    name = "NumQ"
    trec_eval = ("num_q",)
    examples = ("NumQ",)
    bounds = (0.0, np.inf)
    aggregate = "sum"
    order_matters = False

    def score(self, judged: Judged) -> Floats:
        return np.ones(len(judged))
