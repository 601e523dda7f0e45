"""Effort and gain: the effort that rankings demand of their users, compared with their gain."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay import effort
from assay.effort._against_gain import CLASS_COLUMNS, CLASSES, MIN_POINTS, EffortGain
from assay.model.arrays import competition_ranks
from assay.views.plots import effort_gain
from assay.views.report import many_runs
from assay.views.report.context import ReportContext
from assay.views.report.display_table import DisplayTable, Formats, display
from assay.views.report.figures import MAX_SVG_MARKS, Chart, Figures
from assay.views.report.phrasing import format_percent, is_finite
from assay.views.report.section import Content

FIGURE_WIDTH = 520
MAX_SAVED = 10_000
CLASS_NAMES = dict(zip(CLASS_COLUMNS, CLASSES, strict=True))
INDICATORS = {
    "rho": "recovery ρ",
    "sigma_plus": "space σ+",
    "sigma_minus": "space σ−",
    "sigma": "space σ",
    "twist": "Twist",
}


def compute(context: ReportContext, figures: Figures) -> Content:
    """Compare effort with gain, and tabulate the indicators of effort of each run."""
    against_gain = context.against_gain
    if against_gain is None:
        return "Lower values are better for all measures of this report, so there is no gain to compare with effort."
    if not (context.effort.relevant > 0).any():
        return "No topic has relevant documents, so there is neither gain nor effort to measure."
    classes = against_gain.classes()
    formats = dict.fromkeys((*CLASSES, "upper_right"), format_percent)
    return {
        "first_row": classes.row(0, named=True),
        "few_points": MIN_POINTS,
        "gain": against_gain.measures[0],
        "least_effort": find_least_effort(context),
        "chart": add_points(against_gain, figures),
        "dense": int((against_gain.row[0] >= 0).sum()) > MAX_SVG_MARKS,
        "saves_squares": int((against_gain.row[0] >= 0).sum()) > MAX_SAVED,
        "curves": add_curves(context, figures) if len(context.runs) > many_runs.MIN_RUNS else None,
        "classes": display(
            classes.drop("run", "top_row_right", "q1", "q2", "q3").rename(CLASS_NAMES),
            heads={"upper_right": "upper right"},
            show=formats,
        ),
        "by_run": tabulate_runs(context, against_gain),
    }


def add_points(against_gain: EffortGain, figures: Figures) -> Chart:
    """Add the figure of effort against gain; many points are drawn as densities.

    The page stores at most ``MAX_SAVED`` points for readers to save. If there are more, it stores the squares with
    their numbers of points, and the points that are drawn as dots.
    """
    frame = effort_gain.data(against_gain).frame
    if len(frame) <= MAX_SVG_MARKS:
        return figures.add_frame("effort-gain", frame, wide=FIGURE_WIDTH)
    saved = frame
    if len(frame) > MAX_SAVED:
        squares, dots = effort_gain.bin_points(frame, effort_gain.gain_domain(frame))
        saved = pl.concat([squares, dots.drop("i", "j")], how="diagonal_relaxed")
    return figures.add_frame("effort-gain", frame, draw=effort_gain.draw_density, wide=FIGURE_WIDTH, saved=saved)


def add_curves(context: ReportContext, figures: Figures) -> Chart:
    """Add the bands of the mean curves of all runs, with the curves of the best, the middle and the last run."""
    order = context.order
    chosen = {"best": order[0], "middle": order[len(order) // 2], "last": order[-1]}
    titles = {f"{place}: {context.run_name(run).shown}": run for place, run in chosen.items()}
    report = effort.mean_curve(context.campaign, rel=context.rel, confidence=context.confidence)
    return figures.add_frame("crp-bands", many_runs.tabulate_bands(report, titles), draw=many_runs.draw_bands)


def find_least_effort(context: ReportContext) -> dict[str, Any] | None:
    """Return the run with the best mean Twist and its place by the first measure; None if several runs are best."""
    twist = context.effort.means()["twist"].to_numpy()[:-1]  # The last row is the mean over all runs.
    if len(context.runs) < 2 or np.isnan(twist).all():
        return None
    twist_places = competition_ranks(twist)
    if (twist_places == 1).sum() > 1:
        return None
    best = int(np.argmin(twist_places))
    place = int(context.places[best, 0])
    return {
        "run": context.run_name(best),
        "twist": float(twist[best]),
        "place": place if is_finite(float(context.overall[best, 0])) else None,
        "tied": bool((context.places[:, 0] == place).sum() > 1),
    }


def tabulate_runs(context: ReportContext, against_gain: EffortGain) -> DisplayTable:
    """Tabulate the indicators of effort and the classes of each run, best Twist first."""
    means = context.effort.means().select(*INDICATORS)[:-1]
    first = against_gain.classes(per_run=True).filter(pl.col("measure") == str(against_gain.measures[0]))
    classes = first.select(*CLASS_COLUMNS).rename(CLASS_NAMES)[: len(context.runs)]
    frame = pl.DataFrame({"run": range(len(context.runs))}).hstack(means).hstack(classes)
    frame = frame[np.argsort(-np.nan_to_num(means["twist"].to_numpy(), nan=-1), kind="stable")]
    show: Formats = {"run": context.run_name, **dict.fromkeys(CLASSES, format_percent)}
    return display(frame, heads=INDICATORS, show=show)
