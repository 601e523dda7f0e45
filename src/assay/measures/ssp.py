"""The scaled sum of precisions."""

from __future__ import annotations

from assay.measures._base import Measure, cutoff, rel
from assay.measures._precision_sum import expected_precision_sum, precision_sum
from assay.model.arrays import Floats
from assay.model.judged import Judged


class SSP(Measure):
    r"""SSP: the sum of the precisions at the relevant documents in the top k, divided by k.

    .. math:: SSP@k = \frac{1}{k} \sum_{i \le k} r_i \, P@i

    AP without the recall base. Exact under expected ties.

    References
    ----------
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, eq. 10.

    Examples
    --------
    >>> SSP(cutoff=5).of([1, 0, 0, 1, 0])
    0.3
    """

    name = "SSP"
    examples = ("SSP@10", "SSP(rel=2)@100")
    swap_monotone = True
    swap = True
    replacement = True

    cutoff: int = cutoff()
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return precision_sum(judged, self.rel, self.cutoff) / self.cutoff

    def expected(self, judged: Judged) -> Floats | None:
        return expected_precision_sum(judged, self.rel, self.cutoff) / self.cutoff
