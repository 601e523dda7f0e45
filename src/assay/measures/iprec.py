"""Interpolated precision."""

from __future__ import annotations

from assay.measures._base import Measure, param, rel
from assay.measures._interpolated import ROUNDING, interpolated
from assay.model.arrays import Floats
from assay.model.judged import Judged


class IPrec(Measure):
    r"""Interpolated precision: the best precision at any rank where recall has reached the level x.

    .. math:: IPrec@x = \max \{ P@i : \textstyle\sum_{j \le i} r_j \ge x R \}

    0 if the level is never reached. trec_eval rounds x R to a number of documents, and its versions do so in
    different ways; ``rounding`` follows either, the default is the definition.

    References
    ----------
    Manning, Raghavan & Schütze, *Introduction to Information Retrieval*, Cambridge 2008, section 8.4.

    Examples
    --------
    >>> IPrec(recall=0.5).of([0, 1, 1, 0], judged={1: 2, 0: 2})
    0.6666666666666666
    """

    name = "IPrec"
    aliases = ("InterpolatedPrecision",)
    trec_eval = ("iprec_at_recall_*=IPrec(rounding=trec_eval-10)@*",)
    examples = ("IPrec@0.1", "IPrec(rounding=trec_eval-9)@0.5", "IPrec(rel=2)@0")
    uses_recall_base = True
    swap_monotone = True
    swap = True
    replacement = True
    dilutes = True

    recall: float = param("recall level", low=0, high=1, at=True)
    rel: float = rel()
    rounding: str = param("how a recall level becomes a number of documents", "exact", kind="text", choices=ROUNDING)

    def score(self, judged: Judged) -> Floats:
        return interpolated(judged, self.rel, self.recall, self.rounding)
