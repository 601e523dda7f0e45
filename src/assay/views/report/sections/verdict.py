"""Verdict: the first screen, with the conclusion, a forest plot, and how far the conclusion can be trusted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.engine.campaign import Campaign
from assay.model.arrays import subtract
from assay.significance.topic_report import Topics
from assay.significance.wording import describe_test
from assay.views.report.context import ReportContext
from assay.views.report.figures import Figures
from assay.views.report.forest import build_forest
from assay.views.report.phrasing import FEW_TOPICS, capitalize, format_difference, format_interval, format_p, is_finite
from assay.views.report.section import Content
from assay.views.report.sections.leaderboard import count_leader_ties, describe_leader, group_other_measures
from assay.views.report.sections.uncertainty import count_rivals

NAMED_TOPICS = 3
"""Number of topics that a card names."""


def compute(context: ReportContext, _: Figures) -> Content:
    """Return the conclusion, the forest plot, and the facts of the three cards."""
    topics = int((~np.isnan(context.results.values[0])).any(axis=0).sum())
    return {
        "leader": describe_leader(context),
        "separation": None if context.baseline is not None else count_leader_ties(context),
        "candidate": describe_candidate(context),
        "forest": build_forest(context),
        "chip": describe_family(context),
        "runner_up": describe_runner_up(context),
        "topics": topics,
        "few_topics": topics < FEW_TOPICS,
        "other_leaders": group_other_measures(context),
        "other_verdicts": compare_by_other_measures(context),
        "others": len(context.measures) - 1,
        "judging": describe_judging(context),
        "cases": summarize_cases(context),
        "has_cases": "cases" in context.settings.sections,
    }


def describe_family(context: ReportContext) -> dict[str, Any] | None:
    """Return the test, the corrected family and alpha of all sections but slices; None for a single run."""
    if context.comparison is None:
        return None
    return {
        "test": capitalize(describe_test(context.comparison)),
        "alpha": f"{context.settings.alpha:g}",
        "slices": bool(context.settings.by),
    }


def describe_candidate(context: ReportContext) -> dict[str, Any] | None:
    """Return the comparison of the candidate with the baseline; None without a baseline."""
    if context.baseline is None:
        return None
    pair = _describe_pair(context, context.candidate, context.baseline)
    return {**pair, "is_best_of": len(context.runs) - 1}


def _describe_pair(context: ReportContext, first: int, second: int) -> dict[str, Any]:
    """Return the difference of two runs by the first measure, with interval and p."""
    comparison = context.comparison
    assert comparison is not None, "there are two runs"
    runs, measure = context.runs, context.first_measure
    numbers = comparison.between(measure, runs[first], runs[second])
    verdict = float(comparison.verdicts(measure)[first, second])
    is_tested = not math.isnan(numbers["p_adjusted"])
    has_interval = is_finite(numbers["low"]) and is_finite(numbers["high"])
    low, high = format_difference(numbers["low"]), format_difference(numbers["high"])
    return {
        "first": context.run_name(first),
        "second": context.run_name(second),
        "verdict": None if math.isnan(verdict) else int(verdict),
        "difference": format_difference(numbers["difference"]),
        "values": (float(context.overall[first, 0]), float(context.overall[second, 0])),
        "equal": bool(subtract(context.overall[first, 0], context.overall[second, 0]) == 0),
        "interval": f"{low} to {high}" if has_interval else None,
        "p": format_p(numbers["p"], comparison.least) if is_tested and not comparison.test.corrected else None,
        "p_adjusted": format_p(numbers["p_adjusted"], comparison.least) if is_tested else None,
        "is_corrected": not comparison.test.corrected and len(comparison.pairs) > 1,
        "wins": int(numbers["wins"]),
        "losses": int(numbers["losses"]),
        "topics": int(numbers["topics"]),
    }


def describe_runner_up(context: ReportContext) -> dict[str, Any] | None:
    """Return the comparison of the only leader with the run in second place; None with a baseline or a tie."""
    if context.comparison is None or context.baseline is not None or len(context.leaders_by(0)) != 1:
        return None
    return _describe_pair(context, context.order[0], context.order[1])


def compare_by_other_measures(context: ReportContext) -> dict[str, Any] | None:
    """Group the other measures by the verdict on the candidate; None without a baseline or other measures."""
    comparison, baseline = context.comparison, context.baseline
    if comparison is None or baseline is None or len(context.measures) < 2:
        return None
    groups: dict[str, list[str]] = {"better": [], "worse": [], "tied": [], "untested": []}
    for measure in context.measures[1:]:
        verdict = float(comparison.verdicts(measure)[context.candidate, baseline])
        kind = "untested" if math.isnan(verdict) else {1: "better", -1: "worse", 0: "tied"}[int(verdict)]
        groups[kind].append(str(measure))
    return groups


def describe_judging(context: ReportContext) -> dict[str, Any] | None:
    """Return how many documents of the winner are unjudged, and whether judgments could change the first run."""
    if not isinstance(context.source, Campaign):
        return None
    best, baseline = context.candidate, context.baseline
    shown = [best] if baseline is None else [best, baseline]
    fractions = [float(context.mean_unjudged[run, 0]) for run in shown]
    has_rivals = context.bounds is not None and baseline is None
    return {
        "runs": [context.run_name(run) for run in shown],
        "fractions": fractions if all(map(is_finite, fractions)) else None,
        "rivals": count_rivals(context, context.bounds) if has_rivals and context.bounds is not None else None,
        "bounds": _bound_pair(context) if baseline is not None else None,
    }


def _bound_pair(context: ReportContext) -> list[str] | None:
    """Return the bounds of the candidate and of the baseline by the first measure."""
    if context.bounds is None or context.baseline is None:
        return None
    means = context.bounds.means().filter(measure=str(context.first_measure))
    rows = [means.row(run, named=True) for run in (context.candidate, context.baseline)]
    if not all(is_finite(row["low"]) and is_finite(row["high"]) for row in rows):
        return None
    return [format_interval(row["low"], row["high"], 3) for row in rows]


def summarize_cases(context: ReportContext) -> dict[str, Any] | None:
    """Return the topics that the winner fails, or that the candidate fixes and breaks; None without rankings."""
    if not isinstance(context.source, Campaign):
        return None
    report = context.cases
    if not isinstance(report, Topics) or report.rows.is_empty():
        return None
    rows = report.rows
    if report.a is None:
        answerable = rows.filter(rows["relevant"] > 0)
        failing = answerable.filter(status="fails")
        hardest = answerable.head(NAMED_TOPICS)
        return {
            "run": context.run_name(context.candidate),
            "topics": len(answerable),
            "failing": failing["topic"].to_list(),
            "hardest": list(hardest.select("topic", "value_b").iter_rows()),
        }
    status = rows["status"]
    names = {name: rows.filter(status == name)["topic"].to_list() for name in ("fixed", "broken", "better", "worse")}
    losses = rows.sort("difference", descending=context.first_measure.lower_is_better, nulls_last=True)
    worst = losses.filter(losses["status"].is_in(["worse", "broken"])).head(NAMED_TOPICS)
    return {
        **{name: len(topics) for name, topics in names.items()},
        "same": int((status == "same").sum()),
        "fixed_topics": names["fixed"],
        "broken_topics": names["broken"],
        "worst": list(worst.select("topic", "difference").iter_rows()),
        "slices": [row for row in report.by_slice().iter_rows(named=True) if row["attribute"]],
    }
