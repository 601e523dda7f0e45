"""Precision at a cutoff."""

from __future__ import annotations

from assay.measures._base import Additive, cutoff, rel
from assay.model.arrays import Numbers
from assay.model.judged import Judged


class P(Additive):
    r"""Precision: the share of relevant documents in the top k.

    .. math:: P@k = \frac{1}{k} \sum_{i \le k} r_i

    Ranks that the run leaves empty count as not relevant.

    References
    ----------
    van Rijsbergen, *Information Retrieval*, 2nd ed., Butterworths 1979.

    Examples
    --------
    >>> P(cutoff=5).of([1, 0, 1])
    0.4
    """

    name = "P"
    aliases = ("Precision",)
    trec_eval = ("P_*",)
    examples = ("P@10", "P(rel=2)@5")
    swap = True
    replacement = True

    cutoff: int = cutoff()
    rel: float = rel()

    def scale(self, judged: Judged) -> float | Numbers:
        return float(self.cutoff)
