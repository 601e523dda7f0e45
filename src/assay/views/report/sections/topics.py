"""Topics: the hardest and easiest topics, and their judgments."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.model.arrays import subtract
from assay.views.report.context import MAX_TOPICS_DRAWN, ReportContext
from assay.views.report.display_table import Cell, DisplayTable, display
from assay.views.report.figures import Figures
from assay.views.report.phrasing import NO_VALUE, count
from assay.views.report.section import Content

TOPICS_PER_TABLE = 8
"""Number of topics in the table of the hardest topics, and in the table of the easiest topics."""
MAX_RUNS_IN_HEATMAP = 60
"""Number of runs in the heat map."""
MAX_TOPICS_LISTED = 500
"""Number of topics in the table of all topics."""


def compute(context: ReportContext, figures: Figures) -> Content:
    """Sort the topics, hardest first, and show the values of all runs."""
    frame = order_topics(context)
    has_several_runs = len(context.runs) > 1
    relevant = context.judgments.relevant[:, 0]
    content = {
        "topics": len(context.topics),
        "ends": find_ends(frame),
        "widest": find_widest(frame) if has_several_runs else None,
        "irrelevant": [topic for topic, number in zip(context.topics, relevant, strict=True) if not number],
        "excluded": context.campaign.policies.undefined == "exclude",
        "most": MAX_RUNS_IN_HEATMAP,
    }
    if content["ends"] is None:
        return {**content, "absence": "No topic has a value."}
    return {**content, **draw_topics(context, figures), **tabulate(context, frame), "listed": MAX_TOPICS_LISTED}


def draw_topics(context: ReportContext, figures: Figures) -> dict[str, Any]:
    """Draw the values and the judgments of all topics; with very many topics, there are no such figures."""
    names = ("heatmap", "spread_chart", "judgments_chart")
    if len(context.topics) > MAX_TOPICS_DRAWN:
        return {**dict.fromkeys(names), "undrawn": MAX_TOPICS_DRAWN}
    results, measure = context.results, str(context.first_measure)
    has_several_runs = len(context.runs) > 1
    heatmap = figures.add("heatmap", results, measure=measure, most=MAX_RUNS_IN_HEATMAP) if has_several_runs else None
    spread = figures.add("topic-spread", results, measure=measure)
    judgments = figures.add("judgments", context.judgments)
    return {**dict(zip(names, (heatmap, spread, judgments), strict=True)), "undrawn": 0}


def order_topics(context: ReportContext) -> pl.DataFrame:
    """Return a row for each topic, hardest first: topic, judged, relevant, median, low, high, best.

    *best* is the index of the run with the best value. If several runs share the best value, *best* is minus the number
    of these runs. It is -1 if all runs share the best value, or if no run has a value.
    """
    values = context.results.values[0]
    report = context.judgments
    sign = -1.0 if context.first_measure.lower_is_better else 1.0
    has_value = ~np.isnan(values)
    any_value = has_value.any(axis=0)
    quality = np.where(has_value, sign * values, -np.inf)  # Higher is better, also for costs.
    leader_count = (has_value & (subtract(quality, quality.max(axis=0)) == 0)).sum(axis=0)
    has_single_leader = any_value & (leader_count == 1)
    shared = np.where(leader_count < has_value.sum(axis=0), -leader_count, -1)
    best = np.where(has_single_leader, quality.argmax(axis=0), shared)
    median, low, high = context.topic_summary
    order = np.argsort(np.where(any_value, sign * median, np.inf), kind="stable")
    frame = pl.DataFrame(
        {
            "topic": pl.Series(context.topics, dtype=pl.String),
            "judged": report.judged,
            "relevant": report.relevant[:, 0],
            "median": median,
            "low": low,
            "high": high,
            "best": best,
        }
    )
    return frame[order].with_columns(pl.col("median", "low", "high").fill_nan(None))


def find_ends(frame: pl.DataFrame) -> dict[str, Any] | None:
    """Return the hardest topics and the easiest topics with their medians; None if no topic has a value."""
    topics = frame.drop_nulls("median")
    if topics.is_empty():
        return None
    medians = topics["median"].to_numpy()
    low, high = medians[0], medians[-1]
    hardest, easiest = (topics.filter(subtract(medians, end) == 0)["topic"].to_list() for end in (low, high))
    return {"topics": len(topics), "low": low, "high": high, "hardest": hardest, "easiest": easiest}


def find_widest(frame: pl.DataFrame) -> dict[str, Any]:
    """Return the topics on which runs differ most, and the range of values on the first of these topics."""
    spreads = (frame["high"] - frame["low"]).fill_null(-1.0).to_numpy()
    widest = frame.filter(subtract(spreads, spreads.max()) == 0)
    first = widest.row(0, named=True)
    return {"size": spreads.max(), "topics": widest["topic"].to_list(), "low": first["low"], "high": first["high"]}


def tabulate(context: ReportContext, frame: pl.DataFrame) -> dict[str, Any]:
    """Tabulate all topics; if there are many, also the hardest and the easiest."""
    heads = {"low": "lowest", "high": "highest", "best": "best run"}
    if len(context.runs) == 1:
        frame, heads = frame.drop("low", "high", "best"), {"median": str(context.first_measure)}

    def best_cell(run: int) -> Cell:
        if run == -1:
            return NO_VALUE
        return context.run_name(run) if run >= 0 else count(-run, "run")

    def tabulate_rows(rows: pl.DataFrame) -> DisplayTable:
        return display(rows, heads=heads, show={"best": best_cell}, texts=("best",))

    with_value = frame.drop_nulls("median")
    has_many = len(with_value) > 2 * TOPICS_PER_TABLE + 4
    return {
        "every": tabulate_rows(frame[:MAX_TOPICS_LISTED]),
        "hardest": tabulate_rows(with_value[:TOPICS_PER_TABLE]) if has_many else None,
        "easiest": tabulate_rows(with_value[-TOPICS_PER_TABLE:][::-1]) if has_many else None,
    }
