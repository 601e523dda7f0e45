"""``tie_report(qrels, runs, measures)``: how much the order of tied documents matters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.engine.joining import each_run
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._threshold import refuse_unreached
from assay.model.arguments import check_arguments
from assay.model.policies import Policies
from assay.results._evaluate import caveats, described
from assay.uncertainty.ties.notes import not_by_score, sampled, undefined_topics
from assay.uncertainty.ties.one_run import tied_run
from assay.uncertainty.ties.orders import over_orders
from assay.uncertainty.ties.report import TieReport

if TYPE_CHECKING:
    from assay.engine.workers import Progress


@check_arguments
def tie_report(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    topics: str = "qrels",
    undefined: str = "zero",
    unjudged: str = "nonrelevant",
    samples: int = 100,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress | None = None,
) -> TieReport:
    """Count tied documents, and tell how much their order can change the values of measures.

    The arguments are those of ``evaluate``; *samples* orders are drawn from *seed* for what has no exact value.

    References
    ----------
    McSherry & Najork, *Computing information retrieval performance measures efficiently in the presence of tied
    scores*, ECIR 2008.

    Examples
    --------
    >>> from assay.uncertainty.ties import ORDERS
    >>> report = tie_report({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}, "RR")
    >>> values = dict(zip(ORDERS, report.values.ravel().tolist()))
    >>> {order: values[order] for order in ("trec_eval-10", "score-file", "score-id", "expected", "min", "max")}
    {'trec_eval-10': 0.5, 'score-file': 1.0, 'score-id': 1.0, 'expected': 0.75, 'min': 0.5, 'max': 1.0}
    """
    policies = Policies("expected", topics, undefined, unjudged, samples, seed)
    chosen = parse_measures(measures)
    judgments, found = each_run(
        qrels, runs, lambda ready, run: tied_run(ready, run, chosen, policies), lenient, progress
    )
    refuse_unreached(chosen, judgments.levels)
    names, provenance, notes = described(judgments, runs, found, policies)
    over = over_orders(chosen, found)
    report = TieReport(
        runs=names,
        topics=judgments.topics,
        measures=chosen,
        values=over.values,
        exact=over.exact,
        counts=np.stack([one.counts for one in found], axis=2),
        provenance=provenance,
    )
    more = [
        *caveats(chosen),
        *undefined_topics(chosen, found[0].undefined, judgments.topics, policies),
        *not_by_score(report),
        *sampled(report, over.error),
    ]
    return replace(report, notes=(*notes, *more))
