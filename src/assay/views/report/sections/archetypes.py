"""Archetypes: the shapes of the curves of cumulated relative position."""

from __future__ import annotations

import polars as pl

from assay.effort.archetypes import MEANING, NAMES
from assay.views.report.context import ReportContext
from assay.views.report.display_table import display
from assay.views.report.figures import Figures
from assay.views.report.phrasing import format_percent
from assay.views.report.section import Content

MIN_RANKINGS_FOR_PERCENTAGES = 20
"""Below this number of rankings, counts are shown instead of percentages."""


def compute(context: ReportContext, figures: Figures) -> Content:
    """Count the archetypes, over all runs and by run."""
    counts = context.effort.by_archetype().with_columns(curves=pl.sum_horizontal(NAMES))
    total = counts.row(-1, named=True)
    if not total["curves"]:
        return "No topic has relevant documents, so there are no curves to classify."
    rows = [(kind, total[kind], total[kind] / total["curves"], MEANING[kind]) for kind in NAMES]
    archetypes = pl.DataFrame(rows, schema=["archetype", "rankings", "share", "meaning"], orient="row")
    present = [kind for kind in NAMES if total[kind]]
    by_run = counts[:-1].select(pl.Series("run", range(len(context.runs))), "curves", *present)[context.order]
    return {
        **summarize(total),
        "chart": figures.add("census", context.effort),
        "archetypes": display(archetypes, show={"share": format_percent}),
        "by_run": display(by_run, heads={"curves": "rankings"}, show={"run": context.run_name}),
    }


def summarize(total: dict[str, int]) -> dict[str, object]:
    """Return the most frequent archetype, and count the ideal rankings and the rankings without relevant documents."""
    kind = max(NAMES, key=lambda kind: total[kind])
    return {
        "kind": kind,
        "meaning": MEANING[kind],
        "amount": total[kind],
        "rankings": total["curves"],
        "few": total["curves"] < MIN_RANKINGS_FOR_PERCENTAGES,
        "ideal": total["ideal"],
        "worst": total["worst"],
    }
