"""Bounds of RBP against the evaluation depth, for several values of persistence.

The x axis is the evaluation depth. The bounds are means over topics for one run. For the lower bound, unjudged
documents and all documents below the evaluation depth count as non-relevant; for the upper bound, they count as
maximally relevant. A greater evaluation depth narrows the band until only unjudged documents contribute to it. High
persistence therefore requires a deep pool. There is one panel for each pool depth and one for all judgments. The
default run has the highest lower bound with all judgments and the largest persistence.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay import uncertainty
from assay.errors import InputError
from assay.model.checks import find_positions
from assay.uncertainty._residual import PERSISTENCES, ResidualCurves
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import BOLD_CHARACTER_WIDTH, max_characters, wrap_text
from assay.views.plots._figures import Data
from assay.views.plots._selection import check_minimum
from assay.views.plots._series import Label, label_layers, labels_width, panels_per_row, series_colours
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Moffat & Zobel (2008), Fig. 5"
HAS_HEIGHT = True
KEEP = "judgments"
DEFAULT_DEPTH = 100
DEFAULT_WIDTH = 560
TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def data(
    source: Campaign | ResidualCurves,
    *,
    run: str | None = None,
    persistences: Iterable[float] = PERSISTENCES,
    pools: Iterable[int] = (10,),
    depth: int = DEFAULT_DEPTH,
) -> Data:
    """Tabulate the bounds: run, pool (null: all judgments), p, depth (of evaluation), lower, upper, residual.

    *residual* is upper - lower. All runs contribute to the pools.
    """
    check_minimum("depth", depth, 2)
    if isinstance(source, ResidualCurves):
        curves = source
    else:
        unique = sort_persistences(persistences)
        curves = uncertainty.residual(source, unique, depths=range(1, depth + 1), pools=pools, runs=run)
    [run_index] = find_positions(curves.runs, best_runs(curves)[0] if run is None else run, "run")
    frame = curves.frame().filter(pl.col("run") == curves.runs[run_index]).drop_nulls("depth")
    return Data(frame, curves.notes, curves.provenance)


def sort_persistences(persistences: Iterable[float]) -> list[float]:
    """Return the distinct persistences in ascending order."""
    values = sorted(set(persistences))
    if not values:
        raise InputError("persistences: name at least one, such as 0.8")
    return values


def best_runs(curves: ResidualCurves) -> list[str]:
    """Return the runs, best first, by their lower bound with the last pool, largest persistence and last depth."""
    lower = curves.lower[:, -1, int(np.argmax(curves.persistences)), -1]
    return [curves.runs[index] for index in np.argsort(-lower, kind="stable")]


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw one panel per pool, with a band for each persistence."""
    if frame.is_empty():
        return empty_chart("no run, persistence or depth to show", style)
    labelled = frame.with_columns(name=pl.Series([f"p = {p:g}" for p in frame["p"]], dtype=pl.String))
    names = labelled.sort("p")["name"].unique(maintain_order=True).to_list()
    pools = labelled.partition_by("pool", maintain_order=True)
    total_width = style.total_width(DEFAULT_WIDTH if len(pools) > 1 else 360)
    per_row = panels_per_row(len(pools), total_width, 230)
    label_width = labels_width([Label(name, 0) for name in names])
    width = (total_width - 16) // per_row - label_width - 36
    panels = [
        _panel(pool_frame, names, width, style, left=number % per_row == 0, bottom=number + per_row >= len(pools))
        for number, pool_frame in enumerate(pools)
    ]
    title = alt.Title(wrap_text(f"RBP of {frame['run'][0]}", max_characters(total_width - 60, BOLD_CHARACTER_WIDTH)))
    return alt.concat(*panels, columns=per_row, spacing=8, title=title)


def _panel(frame: pl.DataFrame, names: list[str], width: int, style: Style, *, left: bool, bottom: bool) -> Any:
    height = style.plot_height(min(max(round(0.8 * width), 140), 320))
    pool = frame["pool"][0]
    first, last = min(frame["depth"].to_list()), max(frame["depth"].to_list())
    scale = alt.Scale(type="log", domain=(first, max(last, first + 1)), nice=False)
    axis = alt.Axis(values=[tick for tick in TICKS if first <= tick <= last], labelFlush=False)
    x = alt.X("depth:Q", scale=scale, title="evaluation depth" if bottom else None, axis=axis)
    top = max(1.0, *frame["upper"].to_list())
    y = alt.Y("lower:Q", scale=alt.Scale(domain=(0, top)), title="bounds of RBP" if left else None)
    colour = series_colours("name", names, style)
    fields = tooltip("p:Q", "depth:Q", *decimals("lower", "upper", "residual"))
    base = alt.Chart(rows(frame), width=width, height=height).encode(x, colour, fields)
    ends = frame.filter(pl.col("depth") == last).sort("p").select("name", "lower", "upper")
    labels = [Label(name, low / 2 + high / 2, name) for name, low, high in ends.iter_rows()]
    title = "all judgments" if pool is None else f"pool of depth {pool}"
    return alt.layer(
        base.mark_area(opacity=0.22).encode(y, alt.Y2("upper:Q")),
        base.mark_line(strokeWidth=1.5).encode(y),
        base.mark_line(strokeWidth=1.5).encode(alt.Y("upper:Q")),
        *label_layers(labels, (0.0, top), height, colour),
        title=alt.Title(title, fontWeight="normal", fontSize=11, offset=4),
    )
