"""Two runs: their differences on topics, how sure they are, and how far unjudged documents could move them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from assay.analyses.compare.comparing import Comparison, compare
from assay.analyses.compare.deciding import deciding as documents_that_decide
from assay.analyses.compare.testing import significance_tests
from assay.analyses.distance.maximized import MedReport, distances
from assay.analyses.distance.med.asked import Asked
from assay.analyses.distance.med.choice import Task
from assay.errors import InputError
from assay.measures import Measure
from assay.views.explorer.about import CONFIDENCE, TEST
from assay.views.explorer.campaign import DEFAULT_MEASURES, Campaign
from assay.views.explorer.parameters import LARGEST_WHOLE, Query
from assay.views.explorer.reach import reach

MOST_DOCUMENTS = 1_000


def two(query: Query) -> tuple[str, str]:
    """The two runs of a request."""
    a, b = query.run("a"), query.run("b")
    if a == b:
        raise InputError(f"a and b are both {a!r}; a run cannot be compared with itself")
    return a, b


def level(confidence: float) -> float:
    """The level of significance that goes with a confidence, without the rounding of a difference.

    >>> level(0.95)
    0.05
    """
    return round(1 - confidence, 12)


class Test:
    """How two runs are compared."""

    def __init__(self, query: Query) -> None:
        self.measure = query.measure(DEFAULT_MEASURES[0])
        self.test = query.choice("test", significance_tests(), TEST)
        self.confidence = query.share("confidence", CONFIDENCE)
        self.alpha = level(self.confidence)

    def compare(self, of: Campaign, a: str, b: str) -> Comparison:
        """Two runs, alone: nothing is corrected for other comparisons."""
        results = of.values(self.measure).only((a, b))
        return compare(results, test=self.test, correction="none", alpha=self.alpha)


def pair(of: Campaign, query: Query) -> dict[str, Any]:
    """The values of two runs on each topic, and whether they differ."""
    a, b = two(query)
    how = Test(query)
    query.end()
    found = how.compare(of, a, b)
    whole = found.frame().drop("measure", "run_a", "run_b", "p_adjusted", "p_equivalent", "topics_needed")
    first, second = found.results.values[0]
    topics = pl.DataFrame({"topic": of.topics, "relevant": of.relevant, "a": first, "b": second})
    return {
        "a": a,
        "b": b,
        "measure": str(how.measure),
        "lower_is_better": how.measure.lower_is_better,
        "confidence": how.confidence,
        "least_p": found.least,
        **whole.row(0, named=True),
        "rows": topics.with_columns(difference=pl.col("a") - pl.col("b")),
        "notes": list(found.notes),
    }


def distance_of(of: Campaign, a: str, b: str, measure: Measure, asked: int | None) -> MedReport:
    """How far apart judging could put two runs, topic by topic, as deep as that can be done."""
    chosen = [of.run_number[a], of.run_number[b]]
    rankings = replace(of.whole, runs=(a, b), start=of.whole.start[chosen], stop=of.whole.stop[chosen])
    depth = reach(measure, asked, int(rankings.length.max(initial=1)), len(of.topics))

    def make() -> MedReport:
        return distances(rankings, Asked((measure,), depth), of.ready.provenance)

    return of.distances.get((a, b, measure, depth), make)


def med(of: Campaign, query: Query) -> dict[str, Any]:
    """The largest difference that labels of unjudged documents can make, beside the difference as judged so far."""
    a, b = two(query)
    measure = query.measure(DEFAULT_MEASURES[0])
    asked = query.maybe_whole("depth", 1, LARGEST_WHOLE)
    query.end()
    report = distance_of(of, a, b, measure, asked)
    frame = report.frame(per_topic=True).drop("run_a", "run_b", "measure")
    unjudged_to = Task.of(measure, report.depth, "exact").depth
    return {
        "a": a,
        "b": b,
        "measure": str(report.measures[0]),
        "depth": report.depth,
        "bounded": report.depth is not None and asked is None,
        "unjudged_to": unjudged_to,
        # Means over topics: of M(a) - M(b) and its ends (difference, smallest, largest), and of sizes (med, absolute).
        "mean": {**frame.row(-1, named=True), "absolute": float(np.abs(report.difference).mean())},
        "rows": frame.head(-1).with_columns(unjudged=pl.Series(_count_unjudged(of, a, b, unjudged_to))),
        "notes": [*report.notes, *_bounded(report, asked)],
    }


def _bounded(report: MedReport, asked: int | None) -> list[str]:
    if report.depth is None or asked is not None:
        return []
    return [f"only the first {report.depth} documents of each ranking are compared: deeper takes long by this measure"]


def deciding(of: Campaign, query: Query) -> dict[str, Any]:
    """The relevant documents that make most of the difference between two runs, on all topics or on one."""
    a, b = two(query)
    measure = query.measure(DEFAULT_MEASURES[0])
    topics = query.topics(1)
    most = query.whole("most", 50, 1, MOST_DOCUMENTS)
    query.end()
    known = ~np.isnan(of.values(measure).only((a, b)).values[0]).any(axis=0)
    counted = [topic for topic, there in zip(of.topics, known, strict=True) if there and topic in (topics or of.topics)]
    found = documents_that_decide(of.rankings, measure, a, b, topics=counted, policies=of.policies)
    better = pl.col("effect") > 0 if not measure.lower_is_better else pl.col("effect") < 0
    favours = pl.when(pl.col("effect") == 0).then(None).when(better).then(pl.lit("a")).otherwise(pl.lit("b"))
    return {
        "a": a,
        "b": b,
        "measure": str(measure),
        "topic": topics[0] if topics else None,
        "documents": len(found),
        "rows": found.with_columns(favours=favours).head(most),
    }


def _count_unjudged(of: Campaign, a: str, b: str, depth: int | None) -> list[int]:
    """Count, for each topic, the unjudged documents that either ranking has within *depth*."""
    judged = np.concatenate([[False], of.whole.levels >= 0])
    pair = [of.run_number[a], of.run_number[b]]
    counts = []
    for topic in range(len(of.topics)):
        ends = zip(of.whole.start[pair, topic].tolist(), of.whole.stop[pair, topic].tolist(), strict=True)
        place = np.concatenate([np.arange(start, stop)[:depth] for start, stop in ends])
        counts.append(len(np.unique(of.whole.key[place[~judged[of.whole.code[place]]]])))
    return counts
