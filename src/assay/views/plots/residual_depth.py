"""The bounds of RBP against the depth of evaluation, for each persistence.

For one run, in the mean over topics. The lower bound treats unjudged documents, and all below the depth, as not
relevant; the upper bound treats them as maximally relevant. Looking deeper narrows the band, until only unjudged
documents are left: a persistent user needs a deep pool. A panel for each depth of the pool, and one for all judgments.
Unless a run is named it is the best one, by the lower bound with all judgments for the largest persistence.
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
from assay.views.plots._bands import BOLD, letters, wrapped
from assay.views.plots._figures import Data
from assay.views.plots._series import Label, beside, breadth, colours, columns
from assay.views.plots._style import Style, altair, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = "Moffat & Zobel (2008), Fig. 5"
KEEP = "judgments"
DEEPEST = 100
WIDE = 560
TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def data(
    source: Campaign | ResidualCurves,
    *,
    run: str | None = None,
    persistences: Iterable[float] = PERSISTENCES,
    pools: Iterable[int] = (10,),
    depth: int = DEEPEST,
) -> Data:
    """Tabulate the bounds: run, pool (null: all judgments), p, depth (of evaluation), lower, upper, residual.

    *residual* is the difference of the bounds. All runs contribute to the pools.
    """
    if depth < 2:
        raise InputError(f"depth must be at least 2, got {depth}")
    curves = source
    if not isinstance(curves, ResidualCurves):
        every = sort_persistences(persistences)
        curves = uncertainty.residual(curves, every, depths=range(1, depth + 1), pools=pools, runs=run)
    [number] = find_positions(curves.runs, best_runs(curves)[0] if run is None else run, "run")
    frame = curves.frame().filter(pl.col("run") == curves.runs[number]).drop_nulls("depth")
    return Data(frame, curves.notes, curves.provenance)


def sort_persistences(persistences: Iterable[float]) -> list[float]:
    """Return the persistences, each once, smallest first."""
    values = sorted(set(persistences))
    if not values:
        raise InputError("persistences: name at least one, such as 0.8")
    return values


def best_runs(curves: ResidualCurves) -> list[str]:
    """Sort the runs, best first, by the lower bound with the last pool, the largest persistence and the last depth."""
    lower = curves.lower[:, -1, int(np.argmax(curves.persistences)), -1]
    return [curves.runs[place] for place in np.argsort(-lower, kind="stable")]


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """A panel for each pool, with a band for each persistence."""
    if frame.is_empty():
        return nothing("no run, no persistence or no depth", style)
    alt = altair()
    shown = frame.with_columns(name=pl.Series([f"p = {p:g}" for p in frame["p"]], dtype=pl.String))
    names = shown.sort("p")["name"].unique(maintain_order=True).to_list()
    parts = shown.partition_by("pool", maintain_order=True)
    room = style.room(WIDE if len(parts) > 1 else 360)
    across = columns(len(parts), room, 230)
    labels = breadth([Label(name, 0) for name in names])
    width = (room - 16) // across - labels - 36
    panels = [
        _panel(part, names, width, style, left=number % across == 0, bottom=number + across >= len(parts))
        for number, part in enumerate(parts)
    ]
    title = alt.Title(wrapped(f"RBP of {frame['run'][0]}", letters(room - 60, BOLD)))
    return alt.concat(*panels, columns=across, spacing=8).properties(title=title)  # type: ignore[no-any-return]


def _panel(frame: pl.DataFrame, names: list[str], width: int, style: Style, *, left: bool, bottom: bool) -> Any:
    alt = altair()
    height = min(max(round(0.8 * width), 140), 320)
    pool = frame["pool"][0]
    first, last = min(frame["depth"].to_list()), max(frame["depth"].to_list())
    scale = alt.Scale(type="log", domain=(first, max(last, first + 1)), nice=False)
    x = alt.X(
        "depth:Q",
        scale=scale,
        title="depth of evaluation" if bottom else None,
        axis=alt.Axis(values=[tick for tick in TICKS if first <= tick <= last], labelFlush=False),
    )
    top = max(1.0, *frame["upper"].to_list())
    y = alt.Y("lower:Q", scale=alt.Scale(domain=(0, top)), title="bounds of RBP" if left else None)
    colour = colours("name", names, style)
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
        *beside(labels, (0.0, top), height, colour),
    ).properties(
        title=alt.Title(
            "all judgments" if pool is None else f"pool of depth {pool}", fontWeight="normal", fontSize=11, offset=4
        )
    )
