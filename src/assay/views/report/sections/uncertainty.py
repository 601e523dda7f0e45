"""Uncertainty: what was not judged, and how much values could still change."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from assay.measures.rank_biased import RBP
from assay.measures.rbpresidual import RBPresidual
from assay.model.arrays import Floats, subtract
from assay.results._evaluate import evaluated
from assay.uncertainty.bounding import Bounds
from assay.uncertainty.residuals import ResidualCurves
from assay.views.plots.rbp_bounds import shaped as bands
from assay.views.plots.residual_depth import shaped
from assay.views.report.display_table import Cell, DisplayTable, display
from assay.views.report.figures import Figures
from assay.views.report.material import LOOKED_AT, PERSISTENCES, Material
from assay.views.report.names import run_name
from assay.views.report.phrasing import NOTHING, format_interval, format_share
from assay.views.report.section import Section

TITLE = "Uncertainty"
DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
PANELS = 3
"""Measures whose bounds are drawn."""
_SMALL = 0.0005  # invisible in three digits


def compute(material: Material, figures: Figures) -> Section:
    """Count what is unjudged, and bound the values that it leaves open."""
    best = material.order[0]
    residuals = material.residuals.overall()[:, PERSISTENCES.index(0.8)]
    content = {
        "runs": len(material.runs),
        "measure": material.first,
        "depths": LOOKED_AT,
        "unjudged": [find_most_unjudged(material, place) for place in range(2)],
        "bounds": None if material.bounds is None else describe_bounds(material, material.bounds, figures),
        "residual": _ends(residuals),
        "chart": figures.add("residual-depth", shaped(residual_curves(material, best))),
        "best": run_name(material, best),
        "best_run": material.runs[best],
        "residuals": tabulate_residuals(material),
    }
    return Section("uncertainty", TITLE, content)


def _ends(values: Floats) -> dict[str, Any] | None:
    """Return the least and the greatest value, and whether they are equal up to rounding; None without values."""
    if np.isnan(values).all():
        return None
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return {"low": low, "high": high, "equal": bool(subtract(low, high) == 0)}


def find_most_unjudged(material: Material, place: int) -> dict[str, Any] | None:
    """Return the least and the greatest share of unjudged documents, and the runs that have the greatest."""
    shares = unjudged_shares(material, place)
    ends = _ends(shares)
    if ends is None:
        return None
    worst = np.flatnonzero(subtract(shares, ends["high"]) == 0).tolist()
    return {**ends, "worst": [run_name(material, run) for run in worst]}


def unjudged_shares(material: Material, place: int) -> Floats:
    """Return the mean share of unjudged documents of each run, over the topics for which it has some."""
    values = material.unjudged[:, :, place]
    known = ~np.isnan(values)
    total, topics = np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1)
    shares: Floats = np.divide(total, topics, out=np.full(len(total), np.nan), where=topics > 0)
    return shares


def describe_bounds(material: Material, bounds: Bounds, figures: Figures) -> dict[str, Any]:
    """Return the bounds of the first run, the number of runs that could overtake it, the figure and the table."""
    drawn = [str(measure) for measure in material.measures[:PANELS]]
    row = _mean_bounds(material, bounds).row(material.order[0], named=True)
    known = row["low"] is not None and row["high"] is not None
    return {
        "leader": row if known else None,
        "certain": known and row["high"] - row["low"] < _SMALL,
        "rivals": count_rivals(material, bounds),
        "chart": figures.add("rbp-bounds", bands(bounds).filter(pl.col("measure").is_in(drawn))),
        "table": tabulate_bounds(material, bounds),
    }


def _mean_bounds(material: Material, bounds: Bounds, measure: int = 0) -> pl.DataFrame:
    return bounds.means().filter(pl.col("measure") == str(material.measures[measure]))


def count_rivals(material: Material, bounds: Bounds) -> int | None:
    """Count the runs that could be better than the first one if judging went their way; None for a single run."""
    means, best = _mean_bounds(material, bounds), material.order[0]
    low, high = means["low"].to_numpy(), means["high"].to_numpy()
    if material.first.lower_is_better:
        low, high = -high, -low
    if len(material.runs) < 2 or np.isnan(low[best]):
        return None
    return int((np.delete(high, best) >= low[best]).sum())


def tabulate_bounds(material: Material, bounds: Bounds) -> DisplayTable:
    """Tabulate the shares of unjudged documents and the bounds of every measure, best run first."""
    order = list(material.order)
    columns: dict[str, Any] = {"run": order}
    heads: dict[str, str] = {}
    show: dict[str, Callable[[Any], Cell]] = {"run": partial(run_name, material)}
    for i, depth in enumerate(LOOKED_AT):
        columns[f"u{depth}"] = unjudged_shares(material, i)[order]
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
