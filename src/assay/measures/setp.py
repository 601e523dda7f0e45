"""Precision of all that was retrieved."""

from __future__ import annotations

from assay.measures._base import Measure, ratio, rel
from assay.measures._counting import relevant
from assay.model.arrays import Floats
from assay.model.judged import Judged


class SetP(Measure):
    r"""Set precision: the share of relevant documents among all that were retrieved.

    .. math:: SetP = \frac{1}{n} \sum_{i \le n} r_i

    n is the number of documents that were retrieved; 0 if there are none. P@k divides by k instead, however few
    documents there are.

    References
    ----------
    van Rijsbergen, *Information Retrieval*, 2nd ed., Butterworths 1979.

    Examples
    --------
    >>> SetP().of([1, 0, 1, None])
    0.5
    """

    name = "SetP"
    trec_eval = ("set_P",)
    examples = ("SetP", "SetP(rel=2)")
    order_matters = False
    swap = True
    replacement = True

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return ratio(relevant(judged, self.rel), judged.length)
