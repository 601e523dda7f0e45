"""Average precision over the relevant documents found."""

from __future__ import annotations

from assay.measures._base import Measure, ratio, rel
from assay.measures._precision_sum import expected_precision_sum, precision_sum
from assay.model.arrays import Floats
from assay.model.judged import Judged


class APStar(Measure):
    r"""AP*: the precision at each relevant document, averaged over the relevant documents *found*.

    .. math:: AP^* = \sum_i r_i \, P@i \; / \; \sum_i r_i

    It needs no recall base, but a further relevant document can lower it; 0 if none is found. Exact under
    expected ties.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008),
    section 3.1.

    Examples
    --------
    >>> APStar().of([1, 0, 0]), APStar().of([1, 0, 1])
    (1.0, 0.8333333333333333)
    """

    name = "AP*"
    aliases = ("APStar",)
    examples = ("AP*", "AP*(rel=2)")
    swap_monotone = True
    swap = True
    replacement = False

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return ratio(precision_sum(judged, self.rel, None), self._found(judged))

    def expected(self, judged: Judged) -> Floats | None:
        return ratio(expected_precision_sum(judged, self.rel, None), self._found(judged.fixed()))

    def _found(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        return judged.total(rows.ranking, rows.gain)
