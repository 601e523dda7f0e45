"""Measures of other measures: geometric means and condensed rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import MeasureError
from assay.measures._base import Measure
from assay.measures._parameters import param
from assay.model.arrays import Bools, Floats
from assay.model.judged import Judged


class Wrapper(Measure):
    """A measure whose value for a topic is that of another measure, ``of_measure``, perhaps of fewer documents.

    Once every document is judged the values are the same, so bounds and MED are those of the other measure.
    """

    bounds_strategy = "inner"
    med_strategy = "inner"

    if TYPE_CHECKING:
        of_measure: Measure

    @property
    def uses_unjudged(self) -> bool:
        return self.of_measure.uses_unjudged

    def select_documents(self, judged: Judged) -> Judged:
        """Return the rankings that the inner measure evaluates."""
        return judged

    def score(self, judged: Judged) -> Floats:
        return self.of_measure.score(self.select_documents(judged))

    def expected(self, judged: Judged) -> Floats | None:
        return self.of_measure.expected(self.select_documents(judged))

    def worth(self, judged: Judged) -> Floats | None:
        return self.of_measure.worth(self.select_documents(judged))

    def defined(self, judged: Judged) -> Bools:
        return self.of_measure.defined(self.select_documents(judged))


class GM(Wrapper):
    r"""A measure whose topics are put together by the geometric mean, which weighs hard topics more.

    .. math:: GM(M) = \exp \left( \frac{1}{|T|} \sum_t \ln \max(M_t, 10^{-5}) \right)

    The values of the topics are those of the measure itself. ``GM(AP)`` is known as GMAP.

    References
    ----------
    Robertson, *On GMAP: and other transformations*, CIKM 2006.

    Examples
    --------
    >>> from assay.measures.average_precision import AP
    >>> GM(of_measure=AP())
    GM(AP)
    """

    name = "GM"
    trec_eval = ("gm_map=GM(AP)", "gm_bpref=GM(bpref)", "gmap=GM(AP)", "GMAP=GM(AP)")
    examples = ("GM(AP)", "GM(nDCG@10)")
    aggregate = "geometric"

    of_measure: Measure = param("the measure of the topics", kind="measure")

    def check(self) -> None:
        if self.of_measure.aggregate != "mean" or self.of_measure.bounds[0] < 0:
            raise MeasureError(
                f"measure 'GM': {self.of_measure} has no geometric mean; use a measure that is never negative"
            )


class Condensed(Wrapper):
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
    >>> from assay.measures.precision import P
    >>> Condensed(of_measure=P(cutoff=2)).of([None, 1, -1, None, 1])
    1.0
    """

    name = "Condensed"
    examples = ("Condensed(AP)", "Condensed(nDCG@10)", "Condensed(AP(rel=2)@100)")
    condenses = True
    uses_unjudged = True

    of_measure: Measure = param("the measure of what is left", kind="measure")

    def check(self) -> None:
        for about in ("aggregate", "bounds", "uses_recall_base"):
            object.__setattr__(self, about, getattr(self.of_measure, about))

    def select_documents(self, judged: Judged) -> Judged:
        return judged.condensed()
