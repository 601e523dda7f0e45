"""R-precision."""

from __future__ import annotations

from assay.measures._base import Additive, rel
from assay.model.arrays import Numbers
from assay.model.judged import Judged


class Rprec(Additive):
    r"""R-precision: precision at the rank R, the number of relevant documents of the topic.

    .. math:: Rprec = \frac{1}{R} \sum_{i \le R} r_i

    References
    ----------
    Buckley & Voorhees, *Retrieval System Evaluation*, in TREC: Experiment and Evaluation in Information
    Retrieval, MIT Press 2005.

    Examples
    --------
    >>> Rprec().of([1, 0, 1, 0], judged={1: 2, 0: 2})
    0.5
    """

    name = "Rprec"
    aliases = ("R-precision", "RPrec")
    trec_eval = ("Rprec",)
    examples = ("Rprec", "Rprec(rel=2)")
    uses_recall_base = True
    swap = True
    replacement = True

    rel: float = rel()

    def depth(self, judged: Judged) -> float | Numbers:
        return judged.recall_base(self.rel)

    def scale(self, judged: Judged) -> float | Numbers:
        return judged.recall_base(self.rel)
