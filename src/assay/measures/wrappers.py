"""Measures that modify another measure: geometric means and condensed rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import MeasureError
from assay.measures._base import Measure
from assay.measures._parameters import param
from assay.model.arrays import Bools, Floats
from assay.model.judged import Judged


class Wrapper(Measure):
    """A measure that evaluates each topic by an inner measure, ``of_measure``, possibly on fewer documents.

    If every document is judged, the values equal the values of the inner measure. Bounds and MED consider complete
    judgments, so they are the same as for the inner measure.
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

    def expected_values(self, judged: Judged) -> Floats | None:
        return self.of_measure.expected_values(self.select_documents(judged))

    def tie_key(self, judged: Judged) -> Floats | None:
        return self.of_measure.tie_key(self.select_documents(judged))

    def is_defined(self, judged: Judged) -> Bools:
        return self.of_measure.is_defined(self.select_documents(judged))


class GM(Wrapper):
    r"""Geometric mean of a measure over topics, which emphasises hard topics.

    .. math:: GM(M) = \exp \left( \frac{1}{|T|} \sum_t \ln \max(M_t, 10^{-5}) \right)

    T is the set of topics, and M_t is the value for topic t. Use it to compare systems on hard topics: doubling a low
    value has the same effect as doubling a high value. Values below 0.00001 count as 0.00001, because the logarithm of
    0 is not finite. M must not be negative. The values of single topics are the values of M. ``GM(AP)`` is known as
    GMAP.

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

    of_measure: Measure = param("measure to average", kind="measure")

    def check(self) -> None:
        if self.of_measure.aggregate != "mean" or self.of_measure.bounds[0] < 0:
            raise MeasureError(
                f"measure 'GM': {self.of_measure} has no geometric mean; use a measure that is never negative and is "
                "averaged over topics"
            )


class Condensed(Wrapper):
    r"""A measure of the condensed ranking, from which unjudged documents are removed.

    .. math:: Condensed(M) = M(d_i : d_i \text{ is judged})

    The remaining documents move up. Documents with a negative grade are removed as well, as with option ``-J`` of
    trec_eval. Use it with incomplete judgments, where other measures count unjudged documents as non-relevant. The
    policy ``unjudged=condensed`` condenses the rankings for all measures of an evaluation; ``Condensed`` condenses them
    for a single measure. ``AP(judged_only=True)`` of ir_measures is ``Condensed(AP)``. Bounds and aggregation are the
    same as for M.

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

    of_measure: Measure = param("measure of the condensed ranking", kind="measure")

    def check(self) -> None:
        # Measures are immutable, so attributes copied from the inner measure are set with object.__setattr__.
        for attribute in ("aggregate", "bounds", "uses_recall_base"):
            object.__setattr__(self, attribute, getattr(self.of_measure, attribute))

    def select_documents(self, judged: Judged) -> Judged:
        return judged.condense()
