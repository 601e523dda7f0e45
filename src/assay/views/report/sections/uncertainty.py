"""Uncertainty: what was not judged, and how much values could still change."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from assay.analyses.uncertainty.bounding import Bounds
from assay.analyses.uncertainty.residuals import ResidualCurves
from assay.evaluation import evaluated
from assay.measures.rbp import RBP
from assay.measures.rbpresidual import RBPresidual
from assay.model.arrays import Floats, subtract
from assay.views.plots.rbp_bounds import shaped as bands
from assay.views.plots.residual_depth import shaped
from assay.views.report.display_table import DisplayTable, display
from assay.views.report.figures import Figures
from assay.views.report.material import LOOKED_AT, PERSISTENCES, Material
from assay.views.report.phrasing import (
    NOTHING,
    count,
    format_interval,
    format_number,
    format_percent,
    format_share,
)
from assay.views.report.prose import Phrase, Sentence, enumerate_names, sentence
from assay.views.report.run_names import run_name
from assay.views.report.section import Section

TITLE = "Uncertainty"
DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
PANELS = 3
"""Measures whose bounds are drawn."""
_SMALL = 0.0005  # invisible in three digits


def compute(material: Material, figures: Figures) -> Section:
    """Count what is unjudged, and bound the values that it leaves open."""
    best = material.order[0]
    content = {
        "deeper": describe_unjudged(material, 1),
        "bounds": None if material.bounds is None else show_bounds(material, material.bounds, figures),
        "measure": material.first,
        "residual": describe_residual(material),
        "curves": figures.add("residual-depth", shaped(residual_curves(material, best))),
        "best": run_name(material, best),
        "best_run": material.runs[best],
        "residuals": tabulate_residuals(material),
    }
    return Section("uncertainty", TITLE, (describe_unjudged(material, 0),), content)


def show_bounds(material: Material, bounds: Bounds, figures: Figures) -> dict[str, Any]:
    """Return sentences, figure and table of the bounds."""
    drawn = [str(measure) for measure in material.measures[:PANELS]]
    return {
        "sentences": [describe_leader_bounds(material, bounds), describe_rivals(material, bounds)],
        "chart": figures.add("rbp-bounds", bands(bounds).filter(pl.col("measure").is_in(drawn))),
        "table": tabulate_bounds(material, bounds),
    }


# Sentences -----------------------------------------------------------------------------------------------------


def _unjudged_shares(material: Material, place: int) -> Floats:
    """Return the mean share of unjudged documents of each run, over the topics for which it has some."""
    values = material.unjudged[:, :, place]
    known = ~np.isnan(values)
    total, topics = np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1)
    shares: Floats = np.divide(total, topics, out=np.full(len(total), np.nan), where=topics > 0)
    return shares


def describe_unjudged(material: Material, place: int) -> str | Sentence | None:
    """Say how many of the first documents are unjudged; *place* is that of their number in ``LOOKED_AT``."""
    shares = _unjudged_shares(material, place)
    if np.isnan(shares).all():
        return "No run has retrieved anything." if place == 0 else None
    documents = f"first {LOOKED_AT[place]}{' documents of each ranking' if place == 0 else ''}"
    low, high = float(np.nanmin(shares)), float(np.nanmax(shares))
    if high == 0:
        return f"The {documents} are all judged."
    if len(material.runs) == 1 or subtract(low, high) == 0:
        return f"Of the {documents}, {format_percent(high)} are unjudged in the mean."
    worst = np.flatnonzero(subtract(shares, high) == 0).tolist()
    return sentence(
        "Of the {documents}, from {low} to {high} are unjudged, depending on the run; the most are of {runs}.",
        documents=documents,
        low=format_percent(low),
        high=format_percent(high),
        runs=enumerate_names((run_name(material, run) for run in worst), 3),
    )


def _mean_bounds(material: Material, bounds: Bounds, measure: int = 0) -> pl.DataFrame:
    return bounds.means().filter(pl.col("measure") == str(material.measures[measure]))


def describe_leader_bounds(material: Material, bounds: Bounds) -> Sentence | None:
    """Return the bounds of the first run."""
    best = material.order[0]
    row = _mean_bounds(material, bounds).row(best, named=True)
    if row["low"] is None or row["high"] is None:
        return None
    certain = row["high"] - row["low"] < _SMALL
    change = "hardly changes." if certain else "lies from {ends}; as judged it is {value}."
    return sentence(
        "Whatever the unjudged documents are, {measure} of {run} " + change,
        measure=material.first,
        run=run_name(material, best),
        ends=format_interval(row["low"], row["high"], 3),
        value=format_number(row["value"]),
    )


def describe_rivals(material: Material, bounds: Bounds) -> str | None:
    """Count the runs that could be better than the first one if judging went their way."""
    if len(material.runs) < 2:
        return None
    means, best = _mean_bounds(material, bounds), material.order[0]
    low, high = means["low"].to_numpy(), means["high"].to_numpy()
    if material.first.lower_is_better:
        low, high = -high, -low
    if np.isnan(low[best]):
        return None
    rivals = int((np.delete(high, best) >= low[best]).sum())
    if rivals == 0:
        return "No other run can overtake it, whatever they are."
    return (
        f"The bounds of {count(rivals, 'other run')} reach its worst possible value: "
        "judging more documents might change who is first."
    )


def describe_residual(material: Material) -> str | None:
    """Return the residuals of RBP with a persistence of 0.8."""
    values = material.residuals.overall()[:, PERSISTENCES.index(0.8)]
    if np.isnan(values).all():
        return None
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if len(material.runs) == 1 or subtract(low, high) == 0:
        return f"The residual of RBP with p = 0.8 is {format_number(high)}."
    return f"The residual of RBP with p = 0.8 goes from {format_number(low)} to {format_number(high)} over the runs."


# Tables and curves ---------------------------------------------------------------------------------------------


def tabulate_bounds(material: Material, bounds: Bounds) -> DisplayTable:
    """Tabulate the shares of unjudged documents and the bounds of every measure, best run first."""
    order = list(material.order)
    columns: dict[str, Any] = {"run": order}
    heads: dict[str, str] = {}
    show: dict[str, Callable[[Any], Phrase]] = {"run": partial(run_name, material)}
    for i, depth in enumerate(LOOKED_AT):
        columns[f"u{depth}"] = _unjudged_shares(material, i)[order]
        heads[f"u{depth}"] = f"unjudged @{depth}"
        show[f"u{depth}"] = format_share
    for i, measure in enumerate(material.measures):
        ends = _mean_bounds(material, bounds, i)[order].select("low", "high").rows()
        columns[f"b{i}"] = [
            NOTHING if low is None or high is None else format_interval(low, high, 3) for low, high in ends
        ]
        heads[f"b{i}"] = f"{measure} from … to"
    return display(pl.DataFrame(columns), heads=heads, show=show)


def residual_curves(material: Material, run: int) -> ResidualCurves:
    """Return the bounds of RBP of one run by depth of evaluation."""
    grid = [(p, depth) for p in PERSISTENCES for depth in DEPTHS]
    lowest = [RBP(p=p, rel=material.rel, cutoff=depth) for p, depth in grid]
    measures = (*lowest, *(RBPresidual(p=p, cutoff=depth) for p, depth in grid))
    values = evaluated(material.only(run), measures).overall().T
    shape = (2, len(PERSISTENCES), len(DEPTHS), 1)
    lower, left = np.moveaxis(values.reshape(shape), 3, 1)[:, :, None]
    return ResidualCurves(
        runs=(material.runs[run],),
        pools=(None,),
        persistences=PERSISTENCES,
        depths=DEPTHS,
        lower=lower,
        residual=left,
        provenance=material.pools.provenance.as_dict(),
        notes=(),
    )


def tabulate_residuals(material: Material) -> DisplayTable:
    """Tabulate the residuals of RBP, best run first."""
    order = list(material.order)
    values = material.residuals.overall()[order]
    columns = {f"p = {p:g}": values[:, i] for i, p in enumerate(PERSISTENCES)}
    return display(pl.DataFrame({"run": order, **columns}), show={"run": partial(run_name, material)})
