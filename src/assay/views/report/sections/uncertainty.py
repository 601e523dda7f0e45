"""Uncertainty: unjudged documents, and the effect that their judgments could have on the values."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.measures.rank_biased import RBP, RBPresidual
from assay.model.arrays import Floats, subtract
from assay.results._evaluate import evaluate
from assay.uncertainty._bounds import Bounds
from assay.uncertainty._residual import ResidualCurves
from assay.views.plots import rbp_bounds
from assay.views.report.context import PERSISTENCES, UNJUDGED_DEPTHS, ReportContext
from assay.views.report.display_table import DisplayTable, Formats, display
from assay.views.report.figures import Figures
from assay.views.report.phrasing import NO_VALUE, format_interval, format_percent_cell
from assay.views.report.section import Content

DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
PANELS = 3
"""Number of measures whose bounds are drawn."""
SMALL_WIDTH = 0.0005
"""Bounds that differ by less than this width are equal in three decimal places."""


def compute(context: ReportContext, figures: Figures) -> Content:
    """Count unjudged documents, and bound the values over all their grades."""
    best = context.order[0]
    residuals = context.residuals.overall()[:, PERSISTENCES.index(0.8)]
    return {
        "depths": UNJUDGED_DEPTHS,
        "unjudged": [find_unjudged_range(context, depth) for depth in range(2)],
        "bounds": None if context.bounds is None else describe_bounds(context, context.bounds, figures),
        "residual": _find_range(residuals),
        "chart": figures.add("residual-depth", residual_curves(context, best)),
        "best": context.run_name(best),
        "best_run": context.runs[best],
        "residuals": tabulate_residuals(context),
    }


def _find_range(values: Floats) -> dict[str, Any] | None:
    """Return the smallest and the largest value, and whether both are equal up to rounding; None without values."""
    if np.isnan(values).all():
        return None
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return {"low": low, "high": high, "equal": bool(subtract(low, high) == 0)}


def find_unjudged_range(context: ReportContext, depth: int) -> dict[str, Any] | None:
    """Return the smallest and the largest fraction of unjudged documents, and the runs with the largest.

    *depth* is an index of ``UNJUDGED_DEPTHS``.
    """
    fractions = context.mean_unjudged[:, depth]
    value_range = _find_range(fractions)
    if value_range is None:
        return None
    worst = np.flatnonzero(subtract(fractions, value_range["high"]) == 0).tolist()
    return {**value_range, "worst": [context.run_name(run) for run in worst]}


def describe_bounds(context: ReportContext, bounds: Bounds, figures: Figures) -> dict[str, Any]:
    """Return the bounds of the leader, the number of runs with overlapping bounds, the figure and the table."""
    shown = [str(measure) for measure in context.measures[:PANELS]]
    drawn = rbp_bounds.data(bounds).frame.filter(pl.col("measure").is_in(shown))
    leader = context.order[0]
    row = _mean_bounds(context, bounds).row(leader, named=True)
    is_known = row["low"] is not None and row["high"] is not None
    return {
        "leader": row if is_known else None,
        "all_judged": not (context.unjudged[leader, :, -1] > 0).any(),
        "exact": is_known and bool(subtract(row["high"], row["low"]) == 0),
        "narrow": is_known and row["high"] - row["low"] < SMALL_WIDTH,
        "width": SMALL_WIDTH,
        "rivals": count_rivals(context, bounds),
        "chart": figures.add_frame("rbp-bounds", drawn),
        "table": tabulate_bounds(context, bounds),
    }


def _mean_bounds(context: ReportContext, bounds: Bounds, measure: int = 0) -> pl.DataFrame:
    return bounds.means().filter(pl.col("measure") == str(context.measures[measure]))


def count_rivals(context: ReportContext, bounds: Bounds) -> int | None:
    """Count the runs whose best possible value exceeds the worst possible value of the leader; None for a single run.

    The bounds of two runs may belong to different judgments. Therefore such a run cannot necessarily overtake the
    leader.
    """
    means, best = _mean_bounds(context, bounds), context.order[0]
    low, high = means["low"].to_numpy(), means["high"].to_numpy()
    if context.first_measure.lower_is_better:
        low, high = -high, -low
    if len(context.runs) < 2 or np.isnan(low[best]):
        return None
    rivals = np.delete(high, best)
    return int((subtract(rivals, low[best]) > 0).sum())


def tabulate_bounds(context: ReportContext, bounds: Bounds) -> DisplayTable:
    """Tabulate the fractions of unjudged documents and the bounds of every measure, best run first."""
    order = context.order
    unjudged = {f"unjudged @{depth}": context.mean_unjudged[order, i] for i, depth in enumerate(UNJUDGED_DEPTHS)}
    intervals = {}
    for i, measure in enumerate(context.measures):
        ends = _mean_bounds(context, bounds, i)[order].select("low", "high").rows()
        intervals[f"{measure} bounds"] = [
            NO_VALUE if low is None or high is None else format_interval(low, high, 3) for low, high in ends
        ]
    show: Formats = {"run": context.run_name, **dict.fromkeys(unjudged, format_percent_cell)}
    return display(pl.DataFrame({"run": order, **unjudged, **intervals}), show=show)


def residual_curves(context: ReportContext, run: int) -> ResidualCurves:
    """Return the bounds of RBP of one run by evaluation depth."""
    grid = [(p, depth) for p in PERSISTENCES for depth in DEPTHS]
    lower_bounds = [RBP(p=p, rel=context.rel, cutoff=depth) for p, depth in grid]
    measures = (*lower_bounds, *(RBPresidual(p=p, cutoff=depth) for p, depth in grid))
    values = evaluate(context.campaign_with_unjudged.select(context.runs[run]), measures).overall().T
    # ResidualCurves needs the shape runs x pools x persistences x depths, here with one run and one pool.
    shape = (2, len(PERSISTENCES), len(DEPTHS), 1)
    lower, residual = np.moveaxis(values.reshape(shape), 3, 1)[:, :, None]
    return ResidualCurves(
        runs=(context.runs[run],),
        pools=(None,),
        persistences=PERSISTENCES,
        depths=DEPTHS,
        lower=lower,
        residual=residual,
        provenance=context.campaign.provenance,
        notes=(),
    )


def tabulate_residuals(context: ReportContext) -> DisplayTable:
    """Tabulate the residuals of RBP, best run first."""
    order = context.order
    values = context.residuals.overall()[order]
    columns = {f"p = {p:g}": values[:, i] for i, p in enumerate(PERSISTENCES)}
    return display(pl.DataFrame({"run": order, **columns}), show={"run": context.run_name})
