"""Average precision of a set."""

from __future__ import annotations

from assay.measures._base import Measure, ratio, rel
from assay.measures._counting import relevant
from assay.model.arrays import Floats
from assay.model.judged import Judged


class SetAP(Measure):
    r"""Set AP: average precision when what was retrieved has no order, which is precision times recall.

    .. math:: SetAP = \frac{c^2}{n R}

    where c of the n documents that were retrieved are relevant: each of them counts with the precision of the set.

    References
    ----------
    trec_eval, measure *set_map*.

    Examples
    --------
    >>> SetAP().of([1, 0, 1, 0], judged={1: 4, 0: 2})
    0.25
    """

    name = "SetAP"
    trec_eval = ("set_map",)
    examples = ("SetAP", "SetAP(rel=2)")
    uses_recall_base = True
    order_matters = False
    swap = True
    replacement = True
    dilutes = True

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return ratio(relevant(judged, self.rel) ** 2, judged.length * judged.recall_base(self.rel))
