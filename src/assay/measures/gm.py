"""Geometric means over topics."""

from __future__ import annotations

from assay.errors import MeasureError
from assay.measures._base import Measure, param
from assay.model.arrays import Bools, Floats
from assay.model.judged import Judged


class GM(Measure):
    r"""A measure whose topics are put together by the geometric mean, which weighs hard topics more.

    .. math:: GM(M) = \exp \left( \frac{1}{|T|} \sum_t \ln \max(M_t, 10^{-5}) \right)

    The values of the topics are those of the measure itself. ``GM(AP)`` is known as GMAP.

    References
    ----------
    Robertson, *On GMAP: and other transformations*, CIKM 2006.

    Examples
    --------
    >>> from assay.measures.ap import AP
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

    def score(self, judged: Judged) -> Floats:
        return self.of_measure.score(judged)

    def expected(self, judged: Judged) -> Floats | None:
        return self.of_measure.expected(judged)

    def worth(self, judged: Judged) -> Floats | None:
        return self.of_measure.worth(judged)

    def defined(self, judged: Judged) -> Bools:
        return self.of_measure.defined(judged)
