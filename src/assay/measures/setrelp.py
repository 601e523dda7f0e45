"""Precision of all that was retrieved, relative to the best possible."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, ratio, rel
from assay.measures._counting import relevant
from assay.model.arrays import Floats
from assay.model.judged import Judged


class SetRelP(Measure):
    r"""Relative set precision: set precision over the best that as many documents could reach.

    .. math:: SetRelP = \frac{1}{\min(n, R)} \sum_{i \le n} r_i

    n is the number of documents that were retrieved; 0 if there are none. At a cutoff, the like is
    ``R(capped=true)@k``, which divides by min(k, R).

    References
    ----------
    trec_eval, measure *set_relative_P*.

    Examples
    --------
    >>> SetRelP().of([1, 0, 1, 0], judged={1: 3, 0: 2})
    0.6666666666666666
    """

    name = "SetRelP"
    aliases = ("SetRelativeP",)
    trec_eval = ("set_relative_P",)
    examples = ("SetRelP", "SetRelP(rel=2)")
    uses_recall_base = True
    order_matters = False
    swap = True
    replacement = True
    dilutes = True

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return ratio(relevant(judged, self.rel), np.minimum(judged.length, judged.recall_base(self.rel)))
