"""``ties``: effect of the order of tied documents on the values of measures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._facets import refuse_facets
from assay.measures._threshold import check_thresholds
from assay.model.arguments import check_arguments
from assay.model.arrays import Bools, Floats
from assay.model.notes import join_names, pluralize
from assay.results._evaluate import note_undefined
from assay.uncertainty._ties.orders import evaluate_orders
from assay.uncertainty._ties.report import ORDERS, TieReport
from assay.uncertainty._ties.tied_run import evaluate_tied_run

MEASURES = ("AP", "nDCG@10", "P@10", "RR")
"""Default measures."""


@check_arguments
def ties(
    campaign: Campaign,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    progress: Progress | None = None,
) -> TieReport:
    """Count tied documents, and report how much their order changes the values of measures.

    Parameters
    ----------
    campaign
        Judgments and runs, preferably read with ``keep="runs"``. All orders are derived from the scores, under any tie
        policy of the campaign. The policies *samples* and *seed* apply to values that have no exact algorithm.
    measures
        As in ``evaluate``; by default ``MEASURES``. The summary compares the order of runs by the first measure.
    progress
        Called with the number of runs done and the total number of runs.

    References
    ----------
    McSherry & Najork, *Computing information retrieval performance measures efficiently in the presence of tied
    scores*, ECIR 2008.

    Examples
    --------
    >>> import assay
    >>> from assay.uncertainty._ties import ORDERS
    >>> report = ties(assay.read({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}), "RR")
    >>> values = dict(zip(ORDERS, report.values.ravel().tolist()))
    >>> {order: values[order] for order in ("trec_eval-10", "score-file", "score-id", "expected", "min", "max")}
    {'trec_eval-10': 0.5, 'score-file': 1.0, 'score-id': 1.0, 'expected': 0.75, 'min': 0.5, 'max': 1.0}
    """
    chosen = parse_measures(MEASURES if measures is None else measures)
    check_thresholds(chosen, campaign.judgments.levels)
    refuse_facets(chosen, "ranges over ties")
    runs = campaign.each_run(lambda run: evaluate_tied_run(campaign, run, chosen), progress)
    evaluated = evaluate_orders(chosen, runs)
    report = TieReport(
        runs=campaign.runs,
        topics=campaign.topics,
        measures=chosen,
        values=evaluated.values,
        exact=evaluated.exact,
        counts=np.stack([run.counts for run in runs], axis=2),
        provenance=campaign.provenance.with_settings(measures=[str(measure) for measure in chosen]),
    )
    notes = [
        *campaign.notes,
        *(note for run in runs for note in run.notes),
        *_note_undefined_topics(chosen, runs[0].undefined, campaign),
        *_note_contradictions(report),
        *_note_sampling(report, evaluated.error),
    ]
    return replace(report, notes=tuple(notes))


def _note_undefined_topics(measures: tuple[Measure, ...], undefined: Bools, campaign: Campaign) -> list[str]:
    """Note the topics for which a measure is undefined; *undefined* is measures x topics."""
    topics = [[campaign.topics[i] for i in np.flatnonzero(row)] for row in undefined]
    pairs = zip(measures, topics, strict=True)
    return [note for measure, names in pairs for note in note_undefined(measure, names, campaign.policies)]


def _note_contradictions(report: TieReport) -> list[str]:
    """Note the runs whose ranks or lines contradict their scores.

    A contradiction is detected only if it moves the value of a measure outside its range over all orders of tied
    documents.
    """
    exact = report.exact[ORDERS.index("min")]
    low, high = (report.values[ORDERS.index(extreme)][exact] for extreme in ("min", "max"))
    tolerance = 1e-9 * np.maximum(1.0, np.abs(high))
    notes = []
    for order, subject in (("rank", "the rank column"), ("file", "the order of the lines")):
        value = report.values[ORDERS.index(order)][exact]
        outside = ((value < low - tolerance) | (value > high + tolerance)).any(axis=(0, 2))
        if outside.any():
            names = [report.runs[i] for i in np.flatnonzero(outside)]
            notes.append(
                f"{order}: {subject} contradicts the scores in {pluralize(len(names), 'run')}: {join_names(names)}"
            )
    return notes


def _note_sampling(report: TieReport, error: Floats) -> list[str]:
    """Note the values estimated from sampled orders; *error* is the largest standard error of each measure."""
    policies = report.provenance.policies
    sample = f"{policies.samples} sampled orders (seed {policies.seed})"
    numbered = list(enumerate(report.measures))
    means = [f"{measure} ({error[i]:.2g})" for i, measure in numbered if error[i] > 0]
    ranges = [str(measure) for i, measure in numbered if not report.exact[ORDERS.index("min"), i]]
    notes = [f"expected values are means over {sample}; largest standard errors: {', '.join(means)}"] if means else []
    if ranges:
        notes.append(f"lowest and highest values are from {sample}; the true range may be wider: {', '.join(ranges)}")
    return notes
