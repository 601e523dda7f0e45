"""A measure of the judged documents only."""

from __future__ import annotations

from assay.measures._base import Measure, param
from assay.model.arrays import Bools, Floats
from assay.model.judged import Judged


class Condensed(Measure):
    r"""A measure of the condensed ranking: unjudged documents are taken out and the ranks close up.

    .. math:: Condensed(M) = M(d_i : d_i \text{ was judged})

    Documents with a negative grade go as well, as with ``-J`` of trec_eval. The policy ``unjudged=condensed`` does
    this to all measures of an evaluation; here only one is asked for, beside others of the whole ranking. What
    ir_measures writes ``AP(judged_only=True)`` reads as ``Condensed(AP)``. Bounds, and how topics are put together,
    are those of the measure.

    References
    ----------
    Sakai, *Alternatives to bpref*, SIGIR 2007.

    Examples
    --------
    >>> from assay.measures.p import P
    >>> Condensed(of_measure=P(cutoff=2)).of([None, 1, -1, None, 1])
    1.0
    """

    name = "Condensed"
    examples = ("Condensed(AP)", "Condensed(nDCG@10)", "Condensed(AP(rel=2)@100)")

    of_measure: Measure = param("the measure of what is left", kind="measure")

    def check(self) -> None:
        for about in ("aggregate", "bounds", "uses_recall_base"):
            object.__setattr__(self, about, getattr(self.of_measure, about))

    def score(self, judged: Judged) -> Floats:
        return self.of_measure.score(judged.condensed())

    def expected(self, judged: Judged) -> Floats | None:
        return self.of_measure.expected(judged.condensed())

    def worth(self, judged: Judged) -> Floats | None:
        return self.of_measure.worth(judged.condensed())

    def defined(self, judged: Judged) -> Bools:
        return self.of_measure.defined(judged.condensed())
