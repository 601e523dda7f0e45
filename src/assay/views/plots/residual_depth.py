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
from assay.views.plots._band_axes import BOLD_CHARACTER_WIDTH, max_characters, wrap_text
from assay.views.plots._figures import Data
from assay.views.plots._series import Label, label_layers, labels_width, panels_per_row, series_colours
from assay.views.plots._style import Style, altair, empty_chart, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = "Moffat & Zobel (2008), Fig. 5"
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
    if depth < 2:
        raise InputError(f"depth must be at least 2, got {depth}")
    curves = source
    if not isinstance(curves, ResidualCurves):
        unique = sort_persistences(persistences)
        curves = uncertainty.residual(curves, unique, depths=range(1, depth + 1), pools=pools, runs=run)
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
    alt = altair()
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
    return alt.concat(*panels, columns=per_row, spacing=8).properties(title=title)  # type: ignore[no-any-return]


def _panel(frame: pl.DataFrame, names: list[str], width: int, style: Style, *, left: bool, bottom: bool) -> Any:
    alt = altair()
    height = min(max(round(0.8 * width), 140), 320)
    pool = frame["pool"][0]
    first, last = min(frame["depth"].to_list()), max(frame["depth"].to_list())
    scale = alt.Scale(type="log", domain=(first, max(last, first + 1)), nice=False)
    x = alt.X(
        "depth:Q",
        scale=scale,
        title="evaluation depth" if bottom else None,
        axis=alt.Axis(values=[tick for tick in TICKS if first <= tick <= last], labelFlush=False),
    )
    top = max(1.0, *frame["upper"].to_list())
    y = alt.Y("lower:Q", scale=alt.Scale(domain=(0, top)), title="bounds of RBP" if left else None)
    colour = series_colours("name", names, style)
    numbers = [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("lower", "upper", "residual")]
    base = alt.Chart(rows(frame), width=width, height=height).encode(
        x=x, color=colour, tooltip=["p:Q", "depth:Q", *numbers]
    )
    ends = frame.filter(pl.col("depth") == last).sort("p")
    labels = [
        Label(name, low / 2 + high / 2, name) for name, low, high in ends.select("name", "lower", "upper").iter_rows()
    ]
    return alt.layer(
        base.mark_area(opacity=0.22).encode(y=y, y2="upper:Q"),
        base.mark_line(strokeWidth=1.5).encode(y=y),
        base.mark_line(strokeWidth=1.5).encode(y=alt.Y("upper:Q")),
        *label_layers(labels, (0.0, top), height, colour),
    ).properties(
        title=alt.Title(
            "all judgments" if pool is None else f"pool of depth {pool}", fontWeight="normal", fontSize=11, offset=4
        )
    )
