"""Recall."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Additive, cutoff, param, rel
from assay.model.arrays import Numbers
from assay.model.judged import Judged


class R(Additive):
    r"""Recall: the share of the relevant documents that stand in the top k.

    .. math:: R@k = \frac{1}{R} \sum_{i \le k} r_i

    With *capped* the divisor is min(k, R), so that a top k full of relevant documents scores 1 even when
    there are more of them.

    References
    ----------
    van Rijsbergen, *Information Retrieval*, 2nd ed., Butterworths 1979.

    Examples
    --------
    >>> R(cutoff=2).of([1, 1, 0], judged={1: 4, 0: 1})
    0.5
    >>> R(cutoff=2, capped=True).of([1, 1, 0], judged={1: 4, 0: 1})
    1.0
    """

    name = "R"
    aliases = ("Recall", "SetR")
    trec_eval = ("recall_*", "set_recall=R", "relative_P_*=R(capped=true)@*")
    examples = ("R@100", "R(capped=true)@10", "R(rel=2)@100", "R")
    uses_recall_base = True
    swap = True
    replacement = True
    dilutes = True

    cutoff: int | None = cutoff(None)
    rel: float = rel()
    capped: bool = param("divide by min(k, R) instead of R", False, kind="flag")

    def scale(self, judged: Judged) -> float | Numbers:
        base = judged.recall_base(self.rel)
        return np.minimum(base, self.cutoff) if self.capped and self.cutoff is not None else base
