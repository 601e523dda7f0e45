"""Shaw's combination of precision and recall."""

from __future__ import annotations

from assay.measures._base import Measure, cutoff, ratio, rel
from assay.model.arrays import Floats
from assay.model.judged import Judged


class Shaw(Measure):
    r"""Shaw's combination of precision p and recall r at a depth: the overlap of retrieved and relevant documents.

    .. math:: Shaw@k = \frac{1}{1/p + 1/r - 1} = \frac{c}{k + R - c}

    This is the Jaccard coefficient of the two sets, c of the top k being relevant; 0 if p or r is 0.

    References
    ----------
    Shaw, *On the foundation of evaluation*, Journal of the American Society for Information Science 37 (1986);
    recalled in Moffat & Zobel, TOIS 27 (2008).

    Examples
    --------
    >>> Shaw(cutoff=4).of([1, 0, 1, 0], judged={1: 3, 0: 2})
    0.4
    """

    name = "Shaw"
    aliases = ("Jaccard",)
    examples = ("Shaw@10", "Shaw(rel=2)@20")
    uses_recall_base = True
    swap_monotone = True
    swap = True
    replacement = True
    dilutes = True

    cutoff: int = cutoff()
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(judged.relevance(self.rel))
        keep = rows.rank <= self.cutoff
        found = judged.total(rows.ranking[keep], rows.gain[keep])
        return ratio(found, self.cutoff + judged.recall_base(self.rel) - found)
