"""Comparison of two runs: differences by topic, significance, and the possible effect of unjudged documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.distance._med.dispatch import Task
from assay.distance.maximized_effectiveness import MedReport
from assay.measures import Measure
from assay.model.arrays import subtract
from assay.significance._compare import Comparison
from assay.significance.base import significance_tests
from assay.significance.corrections import CORRECTIONS
from assay.significance.document_contributions import explain_differences
from assay.significance.separation import separate
from assay.significance.wording import describe_intervals, describe_test, p_label
from assay.views.explorer.med_limits import choose_depth
from assay.views.explorer.overview import reject_single_run
from assay.views.explorer.parameters import Query
from assay.views.explorer.state import CONFIDENCE, TEST, ExplorerState
from assay.views.explorer.texts import add_titles

MAX_DOCUMENTS = 1_000
MAX_SAMPLED_TOPICS = 3
"""Maximum number of topics whose contributions are estimated; measures with a closed form have no limit."""


class PairTest:
    """The significance test of a request: measure, test, correction and confidence."""

    def __init__(self, query: Query) -> None:
        self.measure = query.measure()
        self.test = query.choice("test", significance_tests(), TEST)
        self.correction = query.choice("correction", CORRECTIONS, CORRECTIONS[0])
        self.confidence = query.fraction("confidence", CONFIDENCE)
        self.alpha = round(1 - self.confidence, 12)  # Without rounding, 1 - 0.95 is 0.050000000000000044.

    def compare(self, state: ExplorerState) -> Comparison:
        """Compare all pairs of runs."""
        return state.compare(self.measure, self.test, self.correction, self.alpha)

    def describe(self, comparison: Comparison) -> dict[str, Any]:
        """Return the measure, the test, the correction and its family, and the labels of p and of the interval."""
        return {
            "measure": str(self.measure),
            "lower_is_better": self.measure.lower_is_better,
            "confidence": self.confidence,
            "alpha": self.alpha,
            "test": self.test,
            "corrected": comparison.test.corrected,
            "correction": "none" if comparison.test.corrected else self.correction,
            "family": comparison.family_title,
            "how": describe_test(comparison),
            "interval": describe_intervals(comparison),
            "p_label": p_label(comparison),
            "least_p": comparison.least,
            "notes": list(comparison.notes),
        }


def separation(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Runs that differ significantly from the leader, and runs that do not; p is corrected over all pairs of runs."""
    test = PairTest(query)
    query.reject_unknown_parameters()
    reject_single_run(state)
    comparison = test.compare(state)
    groups = separate(comparison, test.measure)
    return {
        "runs": len(state.campaign.runs),
        "measure": groups.measure,
        "reference": groups.reference,
        "equal": groups.equal_mean,
        "better": groups.better,
        "worse": groups.worse,
        "tied": groups.tied,
        "untested": groups.untested,
        "significant": groups.significant_count,
        "tested": groups.tested_count,
        **test.describe(comparison),
    }


def pair(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Values of two runs by topic, and p of their difference: uncorrected, and corrected for all pairs (p_adjusted)."""
    a, b = query.pair()
    test = PairTest(query)
    query.reject_unknown_parameters()
    comparison = test.compare(state)
    numbers = comparison.between(test.measure, a, b)
    counts = {name: int(numbers.pop(name)) for name in ("topics", "wins", "ties", "losses")}
    verdict = comparison.verdicts(test.measure)[state.run_index[a], state.run_index[b]]
    first, second = state.values(test.measure).select((a, b)).values[0]
    topics = pl.DataFrame({"topic": state.campaign.topics, "relevant": state.relevant, "a": first, "b": second})
    return {
        "a": a,
        "b": b,
        **test.describe(comparison),
        **{name: value for name, value in numbers.items() if name not in ("p_equivalent", "topics_needed")},
        **counts,
        "significant": None if np.isnan(verdict) else bool(verdict),
        "rows": topics.with_columns(difference=subtract(first, second)),
    }


def compute_distance(state: ExplorerState, pair: tuple[str, str], measure: Measure, requested: int | None) -> MedReport:
    """Return the maximized effectiveness distance of two runs by topic, to the requested or a feasible depth."""
    length = state.all_rankings.length[[state.run_index[run] for run in pair]]
    depth = choose_depth(measure, requested, int(length.max(initial=1)), len(state.campaign.topics))
    return state.distance(pair, measure, depth)


def med(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Largest difference over all grades of the unjudged documents (MED), and the difference with current judgments."""
    pair, measure, requested = query.pair(), query.measure(), query.depth()
    query.reject_unknown_parameters()
    report = compute_distance(state, pair, measure, requested)
    frame = report.table("topics").frame.drop("run_a", "run_b", "measure")
    unjudged_to = Task.prepare(measure, report.depth, "exact").depth
    unjudged = [int(topic.ungraded_mask().sum()) for topic in state.campaign.rankings(runs=pair, depth=unjudged_to)]
    is_limited = report.depth is not None and requested is None
    limit_note = (
        f"only the first {report.depth} documents of each ranking are compared: a larger depth would take too long for "
        "this measure"
    )
    return {
        "a": pair[0],
        "b": pair[1],
        "measure": str(report.measures[0]),
        "depth": report.depth,
        "bounded": is_limited,
        "unjudged_to": unjudged_to,
        # Means over topics of M(a) - M(b) and its bounds (difference, smallest, largest), and of the absolute values
        # of the distance and the difference (med, absolute).
        "mean": {**frame.row(-1, named=True), "absolute": float(np.abs(report.difference).mean())},
        "rows": frame.head(-1).with_columns(unjudged=pl.Series(unjudged)),
        "notes": [*report.notes, *([limit_note] if is_limited else [])],
    }


def deciding(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Relevant documents that contribute most to the difference between two runs, on all topics or on one."""
    (a, b), measure, topic = query.pair(), query.measure(), query.optional_topic()
    most = query.integer("most", 50, 1, MAX_DOCUMENTS)
    query.reject_unknown_parameters()
    values = state.values(measure).select((a, b)).values[0]
    topics = state.campaign.topics if topic is None else (topic,)
    compared = [name for name in topics if not np.isnan(values[:, state.topic_index[name]]).any()]
    limited = topic is None and measure.contribution_strategy == "sampled" and len(compared) > MAX_SAMPLED_TOPICS
    if limited:
        difference = {name: abs(np.subtract(*values[:, state.topic_index[name]])) for name in compared}
        compared = sorted(compared, key=lambda name: (-difference[name], name))[:MAX_SAMPLED_TOPICS]
    documents = explain_differences(state.campaign, measure, (b, a), compared).select(
        *("topic", "document", "grade"),
        pl.col("rank_b").alias("rank_a"),
        pl.col("rank_a").alias("rank_b"),
        pl.col("contribution").alias("effect"),
    )
    documents = documents.sort(pl.col("effect").abs(), "topic", "document", descending=[True, False, False])
    better = pl.col("effect") > 0 if not measure.lower_is_better else pl.col("effect") < 0
    favours = pl.when(pl.col("effect") == 0).then(None).when(better).then(pl.lit("a")).otherwise(pl.lit("b"))
    return {
        "a": a,
        "b": b,
        "measure": str(measure),
        "topic": topic,
        "limited": len(compared) if limited else None,
        "documents": len(documents),
        "rows": add_titles(state, documents.with_columns(favours=favours).head(most)),
    }
