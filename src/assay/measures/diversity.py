"""Novelty and diversity: measures of judgments with subtopics."""

from __future__ import annotations

import math

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import Measure, ratio
from assay.measures._facets import needed_facets
from assay.measures._parameters import cutoff, param, rel
from assay.measures._threshold import threshold
from assay.model.arrays import Bools, Floats
from assay.model.judged import Judged
from assay.model.subtopics import slice_subtopics, weigh_subtopics


def find_subtopics(judged: Judged, rel: float | None, *, declared: bool = False) -> Bools:
    """Return topics x subtopics: True if the subtopic counts, because a document is relevant to it.

    With *rel* None, grades above 0 are relevant. With *declared*, every subtopic in the judgments counts.
    """
    lowest = -math.inf if declared else rel
    return judged.get_or_compute(
        ("subtopics", lowest), lambda: judged.subtopic_table().find_subtopics(len(judged.counts), lowest)
    )


class StRecall(Measure):
    r"""Subtopic recall: the fraction of the subtopics that the top k covers.

    .. math:: StRecall@k = \frac{1}{m} \left| \bigcup_{i \le k} S(d_i) \right|

    S(d) is the set of subtopics to which document d is relevant, and m is the number of subtopics to which at least one
    judged document is relevant. With *all*, m is the number of all subtopics in the judgments. Subtopics count equally,
    even if they have weights. The value is undefined for topics without relevant documents. Judgments that name no
    subtopics, as literal grades, have one subtopic for each topic; the measure is then the same as Success@k.

    References
    ----------
    Zhai, Cohen & Lafferty, *Beyond independent relevance: methods and evaluation metrics for subtopic retrieval*,
    SIGIR 2003; ndeval, measure *strec*.

    Examples
    --------
    >>> StRecall(cutoff=2).of([0, 1, 1])
    1.0
    """

    name = "StRecall"
    aliases = ("strec", "I-rec", "Coverage")
    examples = ("StRecall@10", "StRecall(rel=2)@20", "StRecall(all=true)@20")
    facets = ("subtopic",)
    uses_recall_base = True
    swap = True
    replacement = True

    cutoff: int = cutoff()
    rel: float = rel()
    all: bool = param("count every subtopic in the judgments, even without relevant documents", False, kind="flag")

    def score(self, judged: Judged) -> Floats:
        rows = judged.subtopic_rows()
        covers = (rows.rank <= self.cutoff) & (rows.grade >= self.rel)
        counted = find_subtopics(judged, self.rel, declared=self.all)
        cell = np.unique(rows.ranking[covers] * counted.shape[1] + rows.subtopic[covers])
        covered = np.bincount(cell // counted.shape[1], minlength=len(judged)).astype(np.float64)
        return ratio(covered, counted.sum(axis=1)[judged.topic])

    def is_defined(self, judged: Judged) -> Bools:
        return np.asarray(find_subtopics(judged, self.rel).any(axis=1))[judged.topic]

    def saturation(self, longest: int, gain: float) -> float:
        return 1


class IA(Measure):
    r"""Intent-aware measure: the weighted mean of a measure over the subtopics of the topic.

    .. math:: IA(M) = \sum_s p_s M_s

    M_s is the value of M if only the judgments of subtopic s count, and :math:`p_s` is the weight of the subtopic. The
    weights sum to 1 over the subtopics to which at least one judged document is relevant; they are equal unless weights
    are read (``--subtopic-weights``). The value is undefined for topics without relevant documents. ``IA(AP)`` is known
    as MAP-IA or AP-IA, and ``IA(P@10)`` as P-IA. Judgments that name no subtopics have one subtopic for each topic;
    IA(M) is then M.

    References
    ----------
    Agrawal, Gollapudi, Halverson & Ieong, *Diversifying search results*, WSDM 2009.

    Examples
    --------
    >>> from assay.measures.average_precision import AP
    >>> IA(of_measure=AP()).of([1, 0, 1])
    0.8333333333333333
    """

    name = "IA"
    examples = ("IA(AP)", "IA(nDCG@10)", "IA(P@5)")
    facets = ("subtopic",)
    uses_recall_base = True

    of_measure: Measure = param("measure to average over subtopics", kind="measure")

    def check(self) -> None:
        if self.of_measure.aggregate != "mean" or needed_facets([self.of_measure]):
            raise MeasureError(
                f"measure 'IA': {self.of_measure} has no mean over subtopics; use a measure of plain grades that is "
                "averaged over topics"
            )
        # Measures are immutable, so attributes copied from the inner measure are set with object.__setattr__.
        for attribute in ("bounds", "lower_is_better", "can_be_infinite"):
            object.__setattr__(self, attribute, getattr(self.of_measure, attribute))

    @property
    def uses_unjudged(self) -> bool:
        return self.of_measure.uses_unjudged

    def _counted(self, judged: Judged) -> Bools:
        return find_subtopics(judged, threshold(self.of_measure))

    def score(self, judged: Judged) -> Floats:
        counted = self._counted(judged)
        weights = weigh_subtopics(judged, counted)[judged.topic]
        slices: list[Judged] = judged.get_or_compute("subtopic slices", lambda: list(slice_subtopics(judged)))
        total = np.zeros(len(judged))
        for number, judged_slice in enumerate(slices):
            counts = counted[judged.topic, number]
            value = np.where(counts, self.of_measure.score(judged_slice), 0.0)
            total += weights[:, number] * value
        return total

    def is_defined(self, judged: Judged) -> Bools:
        return np.asarray(self._counted(judged).any(axis=1))[judged.topic]
