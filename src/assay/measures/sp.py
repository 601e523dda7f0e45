"""The sum of precisions."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, cutoff, rel
from assay.measures._precision_sum import expected_precision_sum, precision_sum
from assay.model.arrays import Floats
from assay.model.judged import Judged


class SP(Measure):
    r"""SP: the sum of the precisions at the relevant documents in the top k; AP before it is divided.

    .. math:: SP@k = \sum_{i \le k} r_i \, P@i

    Not bounded by 1. Exact under expected ties.

    References
    ----------
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE.

    Examples
    --------
    >>> SP().of([1, 0, 0, 1, 0])
    1.5
    """

    name = "SP"
    examples = ("SP", "SP@10", "SP(rel=2)@100")
    bounds = (0.0, np.inf)
    swap_monotone = True
    swap = True
    replacement = True

    cutoff: int | None = cutoff(None)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return precision_sum(judged, self.rel, self.cutoff)

    def expected(self, judged: Judged) -> Floats | None:
        return expected_precision_sum(judged, self.rel, self.cutoff)
