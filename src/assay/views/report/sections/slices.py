"""Slices: values and comparisons of the runs in slices of topics."""

from __future__ import annotations

import polars as pl

from assay.significance.slice_comparison import SliceComparison
from assay.significance.wording import describe_test, p_label
from assay.views.plots._figures import figure
from assay.views.plots._panels import MAX_PANELS, tabulate_slices
from assay.views.report.context import ReportContext
from assay.views.report.display_table import DisplayTable, display
from assay.views.report.figures import Figures
from assay.views.report.phrasing import capitalize, format_p_cell
from assay.views.report.section import Content

MAX_RUNS_SHOWN = 10
"""Number of runs in each panel of the figure."""
MAX_ROWS = 40
"""Number of pairs of runs in the table of interactions."""


def compute(context: ReportContext, figures: Figures) -> Content:
    """Show the values of the runs in each slice, and test whether differences depend on the slice."""
    sliced, comparison = context.sliced, context.slice_comparison
    options = {"measure": str(context.first_measure), "most": MAX_RUNS_SHOWN, "confidence": context.confidence}
    data = tabulate_slices(figure("leaderboard"), context.results, sliced.slices, options)
    return {
        "attributes": ", ".join(sliced.slices.attributes),
        "slices": len(sliced.slices.slices),
        "panels": MAX_PANELS,
        "most": MAX_RUNS_SHOWN,
        "chart": figures.add_frame("leaderboard", data.frame),
        "values": tabulate_values(context),
        "sentences": [] if comparison is None else describe_first_measure(context, comparison),
        "interactions": None if comparison is None else tabulate_interactions(comparison),
        "rows": MAX_ROWS,
        "test": "" if comparison is None else capitalize(describe_test(next(iter(comparison.parts), comparison))),
        "min_topics": 0 if comparison is None else comparison.min_topics,
    }


def describe_first_measure(context: ReportContext, comparison: SliceComparison) -> list[str]:
    """Return the sentences on the first measure."""
    prefix = f"{context.first_measure}: "
    sentences = [text for text in comparison.describe_interactions() if text.startswith(prefix)]
    return [f"By {context.first_measure}, {text.removeprefix(prefix)}" for text in sentences]


def tabulate_values(context: ReportContext) -> DisplayTable:
    """Tabulate the mean of each run by the first measure over all topics and in each slice, best run first."""
    table = context.sliced.table().compact
    if "measure" in table.columns:
        table = table.filter(pl.col("measure") == str(context.first_measure)).drop("measure")
    rows = table.with_columns(pl.Series("run", range(len(context.runs))))[context.order]
    return display(rows, show={"run": context.run_name})


def tabulate_interactions(comparison: SliceComparison) -> DisplayTable | None:
    """Tabulate the tests whether the difference of two runs by the first measure depends on the slice."""
    frame = comparison.interaction().filter(pl.col("measure") == str(comparison.results.measures[0]))
    if frame.is_empty():
        return None
    columns = ["attribute", "run_a", "run_b", "slices", pl.col("statistic").alias("F"), "p", "p_adjusted"]
    rows = frame.sort("p", nulls_last=True, maintain_order=True).head(MAX_ROWS).select(columns)
    show = {"p": format_p_cell, "p_adjusted": format_p_cell}
    heads = {"run_a": "run", "run_b": "other run", "p_adjusted": p_label(comparison)}
    return display(rows.drop("p") if p_label(comparison) == "p" else rows, heads=heads, show=show)
