"""Comparison of two runs: differences by topic, significance, and the possible effect of unjudged documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.distance._med.dispatch import Task
from assay.distance.maximized_effectiveness import MedReport
from assay.errors import InputError
from assay.measures import Measure
from assay.model.arrays import subtract
from assay.significance._compare import Comparison
from assay.significance.base import significance_tests
from assay.significance.corrections import CORRECTIONS
from assay.significance.deciding_documents import rank_deciding_documents
from assay.significance.separation import separate
from assay.significance.wording import describe_intervals, describe_test, p_label
from assay.views.explorer.med_limits import choose_depth
from assay.views.explorer.metadata import CONFIDENCE, TEST
from assay.views.explorer.overview import reject_single_run
from assay.views.explorer.parameters import MAX_INTEGER, Query
from assay.views.explorer.state import DEFAULT_MEASURES, ExplorerState

MAX_DOCUMENTS = 1_000


def read_pair(query: Query) -> tuple[str, str]:
    """Return the two runs of a request."""
    a, b = query.run("a"), query.run("b")
    if a == b:
        raise InputError(f"a and b are both {a!r}; choose two different runs")
    return a, b


def significance_level(confidence: float) -> float:
    """Return the significance level of a confidence level, without the rounding error of the subtraction.

    >>> significance_level(0.95)
    0.05
    """
    return round(1 - confidence, 12)


class PairTest:
    """The significance test of a request: measure, test, correction and confidence."""

    def __init__(self, query: Query) -> None:
        self.measure = query.measure(DEFAULT_MEASURES[0])
        self.test = query.choice("test", significance_tests(), TEST)
        self.correction = query.choice("correction", CORRECTIONS, CORRECTIONS[0])
        self.confidence = query.fraction("confidence", CONFIDENCE)
        self.alpha = significance_level(self.confidence)

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
    a, b = read_pair(query)
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


def compute_distance(state: ExplorerState, a: str, b: str, measure: Measure, requested: int | None) -> MedReport:
    """Return the maximized effectiveness distance of two runs by topic, to the requested or a feasible depth."""
    length = state.all_rankings.length[[state.run_index[a], state.run_index[b]]]
    depth = choose_depth(measure, requested, int(length.max(initial=1)), len(state.campaign.topics))
    return state.distance(a, b, measure, depth)


def med(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Largest difference over all grades of the unjudged documents (MED), and the difference with current judgments."""
    a, b = read_pair(query)
    measure = query.measure(DEFAULT_MEASURES[0])
    requested = query.optional_integer("depth", 1, MAX_INTEGER)
    query.reject_unknown_parameters()
    report = compute_distance(state, a, b, measure, requested)
    frame = report.table("topics").frame.drop("run_a", "run_b", "measure")
    unjudged_to = Task.prepare(measure, report.depth, "exact").depth
    return {
        "a": a,
        "b": b,
        "measure": str(report.measures[0]),
        "depth": report.depth,
        "bounded": report.depth is not None and requested is None,
        "unjudged_to": unjudged_to,
        # Means over topics of M(a) - M(b) and its bounds (difference, smallest, largest), and of the absolute values
        # of the distance and the difference (med, absolute).
        "mean": {**frame.row(-1, named=True), "absolute": float(np.abs(report.difference).mean())},
        "rows": frame.head(-1).with_columns(unjudged=pl.Series(_count_unjudged(state, a, b, unjudged_to))),
        "notes": [*report.notes, *_depth_notes(report, requested)],
    }


def _depth_notes(report: MedReport, requested: int | None) -> list[str]:
    if report.depth is None or requested is not None:
        return []
    reason = "a larger depth would take too long for this measure"
    return [f"only the first {report.depth} documents of each ranking are compared: {reason}"]


def deciding(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Relevant documents that contribute most to the difference between two runs, on all topics or on one."""
    a, b = read_pair(query)
    measure = query.measure(DEFAULT_MEASURES[0])
    topics = query.topics(1)
    most = query.integer("most", 50, 1, MAX_DOCUMENTS)
    query.reject_unknown_parameters()
    has_values = ~np.isnan(state.values(measure).select((a, b)).values[0]).any(axis=0)
    compared = [topic for topic in topics or state.campaign.topics if has_values[state.topic_index[topic]]]
    documents = rank_deciding_documents(state.campaign, measure, a, b, topics=compared)
    better = pl.col("effect") > 0 if not measure.lower_is_better else pl.col("effect") < 0
    favours = pl.when(pl.col("effect") == 0).then(None).when(better).then(pl.lit("a")).otherwise(pl.lit("b"))
    return {
        "a": a,
        "b": b,
        "measure": str(measure),
        "topic": topics[0] if topics else None,
        "documents": len(documents),
        "rows": documents.with_columns(favours=favours).head(most),
    }


def _count_unjudged(state: ExplorerState, a: str, b: str, depth: int | None) -> list[int]:
    """Return for each topic the number of unjudged documents in the first *depth* ranks of either run."""
    rankings = state.campaign.rankings(runs=(a, b), depth=depth)
    return [int(topic.ungraded_mask().sum()) for topic in rankings]
