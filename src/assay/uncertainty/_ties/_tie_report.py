"""``ties``: the effect of the order of tied documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._threshold import refuse_unreached
from assay.model.arguments import check_arguments
from assay.results._evaluate import caveats
from assay.uncertainty._ties.notes import contradiction_notes, sampling_notes, undefined_topic_notes
from assay.uncertainty._ties.orders import evaluate_orders
from assay.uncertainty._ties.report import TieReport
from assay.uncertainty._ties.tied_run import evaluate_tied_run

MEASURES = ("AP", "nDCG@10", "P@10", "RR")
"""Measures that are evaluated by default."""


@check_arguments
def ties(
    campaign: Campaign,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    progress: Progress | None = None,
) -> TieReport:
    """Count tied documents, and report how much their order can change the values of measures.

    Parameters
    ----------
    campaign
        Judgments and runs, best read with ``keep="runs"``: every order is made from the scores, whatever the tie policy
        of the campaign. Its *samples* and *seed* are used where there is no exact value.
    measures
        As in ``evaluate``; by default ``MEASURES``. The first one decides what the summary says on the order of runs.
    progress
        Called with the number of runs done and their total.

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
    refuse_unreached(chosen, campaign.judgments.levels)
    runs = campaign.each_run(lambda run: evaluate_tied_run(campaign, run, chosen), progress)
    over = evaluate_orders(chosen, runs)
    report = TieReport(
        runs=campaign.runs,
        topics=campaign.topics,
        measures=chosen,
        values=over.values,
        exact=over.exact,
        counts=np.stack([run.counts for run in runs], axis=2),
        provenance=campaign.provenance.with_settings(measures=[str(measure) for measure in chosen]),
    )
    notes = [
        *campaign.notes,
        *(note for run in runs for note in run.notes),
        *caveats(chosen),
        *undefined_topic_notes(chosen, runs[0].undefined, campaign),
        *contradiction_notes(report),
        *sampling_notes(report, over.error),
    ]
    return replace(report, notes=tuple(notes))
