"""Topics: which are hard, which are easy, and what was judged of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.model.arrays import subtract
from assay.views.plots import heatmap, judgments, topic_spread
from assay.views.report.context import ReportContext
from assay.views.report.display_table import Cell, DisplayTable, Formats, display
from assay.views.report.figures import Figures
from assay.views.report.names import Name, run_name
from assay.views.report.phrasing import NOTHING, count
from assay.views.report.section import Section

TITLE = "Topics"
ENDS = 8
"""Topics at each end of the table."""
MOST = 60
"""Runs of the heat map."""


def compute(context: ReportContext, figures: Figures) -> Section:
    """Order the topics, hard ones first, and show the values of every run on them."""
    frame = order_topics(context)
    several = len(context.runs) > 1
    relevant = context.judgments.relevant[:, 0]
    content = {
        "measure": context.first,
        "runs": len(context.runs),
        "topics": len(context.topics),
        "ends": find_ends(frame),
        "widest": find_widest(frame) if several else None,
        "irrelevant": [topic for topic, amount in zip(context.topics, relevant, strict=True) if not amount],
        "excluded": context.campaign.policies.undefined == "exclude",
        "most": MOST,
    }
    if content["ends"] is None:
        return Section("topics", TITLE, content, "No topic has a value.")
    results, measure = context.results, str(context.first)
    heat = heatmap.data(results, measure=measure, most=MOST) if several else None
    content |= {
        "heatmap": None if heat is None else figures.add("heatmap", heat.frame),
        "spread_chart": figures.add("topic-spread", topic_spread.data(results, measure=measure).frame),
        "judgments_chart": figures.add("judgments", judgments.data(context.judgments).frame),
        **tabulate(context, frame),
    }
    return Section("topics", TITLE, content)


def order_topics(context: ReportContext) -> pl.DataFrame:
    """Return a row for each topic, hard ones first: topic, judged, relevant, median, low, high, best.

    *best* is the run with the best value; if several share it, minus their number; -1 if all do, or there is no value.
    """
    values = context.results.values[0]
    report = context.judgments
    sign = -1.0 if context.first.lower_is_better else 1.0
    known = ~np.isnan(values)
    there = known.any(axis=0)
    worth = np.where(known, sign * values, -np.inf)
    leaders = (known & (subtract(worth, worth.max(axis=0)) == 0)).sum(axis=0)
    alone = there & (leaders == 1)
    best = np.where(alone, worth.argmax(axis=0), np.where(leaders < known.sum(axis=0), -leaders, -1))
    low = np.where(there, np.where(known, values, np.inf).min(axis=0, initial=np.inf), np.nan)
    high = np.where(there, np.where(known, values, -np.inf).max(axis=0, initial=-np.inf), np.nan)
    order = np.argsort(np.where(there, sign * context.medians, np.inf), kind="stable")
    frame = pl.DataFrame(
        {
            "topic": pl.Series(context.topics, dtype=pl.String),
            "judged": report.judged,
            "relevant": report.relevant[:, 0],
            "median": context.medians,
            "low": low,
            "high": high,
            "best": best,
        }
    )
    return frame[order].with_columns(pl.col("median", "low", "high").fill_nan(None))


def find_ends(frame: pl.DataFrame) -> dict[str, Any] | None:
    """Return the hardest and the easiest topics with their medians; None if no topic has a value."""
    valued = frame.drop_nulls("median")
    if valued.is_empty():
        return None
    medians = valued["median"].to_numpy()
    low, high = medians[0], medians[-1]
    hardest, easiest = (valued.filter(subtract(medians, end) == 0)["topic"].to_list() for end in (low, high))
    return {"topics": len(valued), "low": low, "high": high, "hardest": hardest, "easiest": easiest}


def find_widest(frame: pl.DataFrame) -> dict[str, Any]:
    """Return the topics on which runs differ most, with the range of the first of them."""
    spreads = (frame["high"] - frame["low"]).fill_null(-1.0).to_numpy()
    widest = frame.filter(subtract(spreads, spreads.max()) == 0)
    first = widest.row(0, named=True)
    return {"size": spreads.max(), "topics": widest["topic"].to_list(), "low": first["low"], "high": first["high"]}


def tabulate(context: ReportContext, frame: pl.DataFrame) -> dict[str, Any]:
    """Tabulate every topic; of many, also the hardest and the easiest."""
    heads = {"low": "lowest", "high": "highest", "best": "best run"}
    if len(context.runs) == 1:
        frame, heads = frame.drop("low", "high", "best"), {"median": str(context.first)}

    def best_cell(run: int) -> Cell:
        if run == -1:
            return NOTHING
        return run_name(context, run) if run >= 0 else count(-run, "run")

    def tabulate_part(part: pl.DataFrame) -> DisplayTable:
        show: Formats = {"best": best_cell, "topic": lambda topic: Name(topic, topic)}
        return display(part, heads=heads, show=show, texts=("best",))

    valued = frame.drop_nulls("median")
    many = len(valued) > 2 * ENDS + 4
    return {
        "every": tabulate_part(frame),
        "hardest": tabulate_part(valued[:ENDS]) if many else None,
        "easiest": tabulate_part(valued[-ENDS:][::-1]) if many else None,
    }
