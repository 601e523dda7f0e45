"""Steps of Algorithm 1 of the MED paper, as a table to follow by hand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.distance._med.normalised import NormalisedMed, NormalisedTopic
from assay.errors import MeasureError
from assay.measures import Measure
from assay.measures._base import Additive
from assay.measures._graded import Normalised
from assay.model.rankings import Rankings, TopicRankings


class TraceStep(NamedTuple):
    """A step of Algorithm 1: one more document is labelled relevant.

    Attributes
    ----------
    run_a, run_b, measure, topic
        The pair of runs, the measure and the topic.
    favours
        The run that the labels favour. A first pass favours run_a, a second pass favours run_b.
    step
        Number of labelled documents. At step 0, only the judgments count.
    document
        The document that gets a label in this step; None at step 0.
    weight_a, weight_b, difference
        Weight of the rank of this document in run_a and in run_b, and weight_a - weight_b.
    relevant
        R: the number of relevant documents, judged or labelled, but for nDCG and nCG at most the cutoff.
    numerator, denominator, ratio
        The difference of the two values in favour of the run: numerator / denominator. The ratio is NaN if there are no
        relevant documents.
    largest
        True for the first step of both passes with the largest ratio.
    """

    run_a: str
    run_b: str
    measure: str
    topic: str
    favours: str
    step: int
    document: str | None
    weight_a: float | None
    weight_b: float | None
    difference: float | None
    relevant: int
    numerator: float
    denominator: float
    ratio: float
    largest: bool


def require_traceable(measure: Measure) -> Additive:
    """Return the measure if Algorithm 1 applies to it; otherwise raise an error."""
    if measure.med_strategy != "normalised" or not isinstance(measure, Additive):
        raise MeasureError(
            f"measure '{measure}': a trace shows Algorithm 1, which is for nDCG, nCG, recall and F@k; name one of these"
        )
    return measure


def trace_algorithm_1(rankings: Rankings, measure: Additive, topic: TopicRankings, a: int, b: int) -> list[TraceStep]:
    """Return the steps of both passes for a pair of runs; *topic* is cut at the depth of the measure.

    A pass labels the free documents whose weight is larger in the favoured run, in descending order of the difference.
    The labels are grade 0 and the grade with the largest gain. With binary relevance, the largest ratio is MED. With
    several gains it is a lower bound.
    """
    data = NormalisedMed(measure, max_grade=True).prepare(topic)
    names = rankings.names(topic)
    relevant = int(topic.counts[(topic.levels >= 0) & (data.labels.by_level > 0)].sum())
    is_capped = isinstance(measure, Normalised) or getattr(measure, "capped", False)
    cutoff = getattr(measure, "cutoff", None) if is_capped else None
    steps = [
        TraceStep(
            run_a=rankings.runs[a],
            run_b=rankings.runs[b],
            measure=str(measure),
            topic=topic.topic,
            favours=rankings.runs[favoured],
            step=step,
            document=None if document is None else names[document],
            weight_a=None if document is None else float(data.by_run[a, document]),
            weight_b=None if document is None else float(data.by_run[b, document]),
            difference=None if document is None else float(data.by_run[a, document] - data.by_run[b, document]),
            relevant=min(relevant + step, cutoff or relevant + step),
            numerator=float(numerator),
            denominator=float(denominator),
            ratio=float(numerator / denominator) if denominator > 0 else np.nan,
            largest=False,
        )
        for favoured, other in ((a, b), (b, a))
        for step, (document, numerator, denominator) in enumerate(_trace_pass(data, favoured, other))
    ]
    ratios = np.array([step.ratio for step in steps])
    if not np.isnan(ratios).all():
        best = int(np.nanargmax(ratios))
        steps[best] = steps[best]._replace(largest=True)
    return steps


def _trace_pass(data: NormalisedTopic, favoured: int, other: int) -> list[tuple[int | None, float, float]]:
    """Return the labelled document, the numerator and the denominator of each step; no document at step 0."""
    quotients = data.quotients(np.array([favoured]), np.array([other]))
    if not len(quotients.step):  # no grade has a gain
        return [(None, float(quotients.numerator[0]), float(quotients.divisor[0]))]
    documents = data.table.order_free_documents(data.by_run, favoured, other)
    labelled = int((data.by_run[favoured, documents] > data.by_run[other, documents]).sum())
    numerators = (quotients.numerator[0] + quotients.step[0] * quotients.prefix_sums[0, : labelled + 1]).tolist()
    denominators = (quotients.divisor[0] + quotients.divisor_parts[0, : labelled + 1]).tolist()
    return list(zip([None, *documents[:labelled].tolist()], numerators, denominators, strict=True))
