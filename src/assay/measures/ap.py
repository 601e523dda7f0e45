"""Average precision."""

from __future__ import annotations

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import Measure, cutoff, param, ratio, rel
from assay.measures._precision_sum import expected_precision_sum, precision_sum
from assay.model.arrays import Bools, Floats
from assay.model.judged import Judged


class AP(Measure):
    r"""Average precision: the precision at each relevant document, averaged over all relevant documents.

    .. math:: AP@k = \frac{1}{d} \sum_{i \le k} r_i \, P@i

    The divisor d is *norm*: ``R`` the number of relevant documents (trec_eval, the default), ``min`` the smaller
    of k and R, or ``k`` the cutoff (then it is SSP). The mean over topics is known as MAP. Exact under expected
    ties.

    References
    ----------
    Buckley & Voorhees, *Retrieval System Evaluation*, in TREC: Experiment and Evaluation in Information
    Retrieval, MIT Press 2005. Moffat, *Computing maximized effectiveness distance for recall-based metrics*,
    TKDE, eqs. 8-10. McSherry & Najork, ECIR 2008 (ties).

    Examples
    --------
    >>> AP().of([1, 1, 0, 0, 0, 1], judged={1: 3, 0: 3})
    0.8333333333333334
    """

    name = "AP"
    aliases = ("MAP",)
    trec_eval = ("map", "map_cut_*")
    examples = ("AP", "AP@100", "AP(rel=2)@100", "AP(norm=min)@10")
    uses_recall_base = True
    swap_monotone = True
    swap = True
    replacement = True
    dilutes = True

    cutoff: int | None = cutoff(None)
    rel: float = rel()
    norm: str = param("what the sum is divided by", "R", kind="text", choices=("R", "min", "k"))

    def check(self) -> None:
        if self.norm != "R" and self.cutoff is None:
            raise MeasureError(f"measure 'AP': norm={self.norm} needs a cutoff, such as AP(norm={self.norm})@10")

    def score(self, judged: Judged) -> Floats:
        return ratio(precision_sum(judged, self.rel, self.cutoff), self._divisor(judged))

    def expected(self, judged: Judged) -> Floats | None:
        return ratio(expected_precision_sum(judged, self.rel, self.cutoff), self._divisor(judged))

    def defined(self, judged: Judged) -> Bools:
        return np.ones(len(judged), dtype=bool) if self.norm == "k" else super().defined(judged)

    def _divisor(self, judged: Judged) -> Floats:
        base = judged.recall_base(self.rel)
        cut = self.cutoff or 0
        return {"R": base, "min": np.minimum(base, cut), "k": np.full(len(judged), cut)}[self.norm]
