"""``ties``: effect of the order of tied documents on the values of measures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._threshold import check_thresholds
from assay.model.arguments import check_arguments
from assay.uncertainty._ties.notes import note_contradictions, note_sampling, note_undefined_topics
from assay.uncertainty._ties.orders import evaluate_orders
from assay.uncertainty._ties.report import TieReport
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
        *note_undefined_topics(chosen, runs[0].undefined, campaign),
        *note_contradictions(report),
        *note_sampling(report, evaluated.error),
    ]
    return replace(report, notes=tuple(notes))
