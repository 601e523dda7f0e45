"""The number of relevant documents."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, rel
from assay.model.arrays import Floats
from assay.model.judged import Judged


class NumRel(Measure):
    r"""The number of relevant documents of the topic, retrieved or not, summed over topics.

    .. math:: NumRel = R

    References
    ----------
    trec_eval, measure *num_rel*.

    Examples
    --------
    >>> NumRel().of([1, 0], judged={1: 7, 0: 1})
    7.0
    """

    name = "NumRel"
    trec_eval = ("num_rel",)
    examples = ("NumRel", "NumRel(rel=2)")
    bounds = (0.0, np.inf)
    aggregate = "sum"
    order_matters = False

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return judged.recall_base(self.rel).astype(np.float64)
