"""Two runs: their differences on topics, how sure they are, and how far unjudged documents could move them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl

from assay.distance.maximized import MedReport
from assay.distance.med.choice import Task
from assay.errors import InputError
from assay.measures import Measure
from assay.model.arrays import subtract
from assay.significance._compare import Comparison
from assay.significance.base import significance_tests
from assay.significance.corrections import CORRECTIONS
from assay.significance.deciding import deciding as documents_that_decide
from assay.significance.separation import separate
from assay.views.compare import how, interval_words, p_label
from assay.views.explorer.campaign import DEFAULT_MEASURES, Campaign
from assay.views.explorer.metadata import CONFIDENCE, TEST
from assay.views.explorer.overview import refuse_one_run
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
    """The test that compares all pairs of runs by a measure, and its correction."""

    def __init__(self, query: Query) -> None:
        self.measure = query.measure(DEFAULT_MEASURES[0])
        self.test = query.choice("test", significance_tests(), TEST)
        self.correction = query.choice("correction", CORRECTIONS, CORRECTIONS[0])
        self.confidence = query.share("confidence", CONFIDENCE)
        self.alpha = level(self.confidence)

    def compare(self, of: Campaign) -> Comparison:
        """Compare all pairs of runs."""
        return of.compare(self.measure, self.test, self.correction, self.alpha)

    def named(self, comparison: Comparison) -> dict[str, Any]:
        """Return the names of the measure, the test, the correction and its family, and what the two kinds of p are."""
        return {
            "measure": str(self.measure),
            "lower_is_better": self.measure.lower_is_better,
            "confidence": self.confidence,
            "alpha": self.alpha,
            "test": self.test,
            "corrected": comparison.test.corrected,
            "correction": "none" if comparison.test.corrected else self.correction,
            "family": comparison.family_title,
            "how": how(comparison),
            "interval": interval_words(comparison),
            "p_label": p_label(comparison),
            "least_p": comparison.least,
            "notes": list(comparison.notes),
        }


def separation(of: Campaign, query: Query) -> dict[str, Any]:
    """The runs that differ significantly from the leader, and those that are tied with it, within all pairs."""
    test = Test(query)
    query.end()
    refuse_one_run(of)
    comparison = test.compare(of)
    return {"runs": len(of.runs), **asdict(separate(comparison, test.measure)), **test.named(comparison)}


def pair(of: Campaign, query: Query) -> dict[str, Any]:
    """The values of two runs on each topic, and whether they differ: alone (p), and within all pairs (p_adjusted)."""
    a, b = two(query)
    test = Test(query)
    query.end()
    comparison = test.compare(of)
    numbers = comparison.between(test.measure, a, b)
    counts = {name: int(numbers.pop(name)) for name in ("topics", "wins", "ties", "losses")}
    verdicts = comparison.verdicts(test.measure)[of.run_number[a], of.run_number[b]]
    first, second = of.values(test.measure).only((a, b)).values[0]
    topics = pl.DataFrame({"topic": of.topics, "relevant": of.relevant, "a": first, "b": second})
    return {
        "a": a,
        "b": b,
        **test.named(comparison),
        **{name: value for name, value in numbers.items() if name not in ("p_equivalent", "topics_needed")},
        **counts,
        "significant": None if np.isnan(verdicts) else bool(verdicts),
        "rows": topics.with_columns(difference=subtract(first, second)),
    }


def distance_of(of: Campaign, a: str, b: str, measure: Measure, asked: int | None) -> MedReport:
    """Return the maximized effectiveness distance of two runs on each topic, to the depth that is feasible."""
    length = of.whole.length[[of.run_number[a], of.run_number[b]]]
    return of.distance(a, b, measure, reach(measure, asked, int(length.max(initial=1)), len(of.topics)))


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
