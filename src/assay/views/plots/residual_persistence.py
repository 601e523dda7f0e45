"""The bounds of RBP of two runs against the persistence: where a pool becomes too shallow.

In the mean over topics, of whole rankings. The light band of a run lies between its lower and its upper bound with the
judgments of a shallow pool, the dark one (often a mere line) between those with all judgments. Where the light bands
overlap, the shallow pool does not decide which run is better. Unless runs are named they are the best one and the one
in the middle, by the lower bound with all judgments for the largest persistence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import polars as pl

from assay import uncertainty
from assay.views.plots._figures import Data
from assay.views.plots._series import Label, beside, breadth, colours
from assay.views.plots._style import Style, altair, nothing, rows
from assay.views.plots.residual_depth import best_runs, sort_persistences

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = "Moffat & Zobel (2008), Fig. 6"
KEEP = "judgments"
LETTERS = 16
STEPS = tuple(step / 100 for step in (*range(0, 90, 2), *range(90, 100)))


def data(
    source: Campaign,
    *,
    only: str | Sequence[str] | None = None,
    persistences: Iterable[float] | None = None,
    pool: int = 10,
) -> Data:
    """Tabulate the bounds: run, pool (null: all judgments), p, lower, upper, residual (their difference).

    All runs contribute to the pool, also if *only* some are shown. Persistences are 0 to 0.99 unless they are given.
    """
    steps = sort_persistences(STEPS if persistences is None else persistences)
    curves = uncertainty.residual(source, steps, against="p", pools=pool, runs=only)
    order = best_runs(curves)
    shown = [order[0], order[len(order) // 2]] if only is None else order
    frame = curves.frame().filter(pl.col("run").is_in(shown)).drop("depth")
    return Data(frame, curves.notes, curves.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """A light band and a dark one for each run."""
    if frame.is_empty():
        return nothing("no run or no persistence", style)
    alt = altair()
    names = frame["run"].unique(maintain_order=True).to_list()
    labels = _labels(frame)
    width = style.room() - breadth(labels, LETTERS) - 62
    height = min(max(round(0.9 * width), 180, 16 * len(labels)), 380)
    x = alt.X(
        "p:Q", title="persistence, p", scale=alt.Scale(domain=(0, 1)), axis=alt.Axis(tickCount=5, labelFlush=False)
    )
    top = max(1.0, *frame["upper"].to_list())
    y = alt.Y("lower:Q", title="bounds of RBP", scale=alt.Scale(domain=(0, top)))
    colour = colours("run", names, style)
    numbers = [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("lower", "upper", "residual")]
    tooltip = ["run:N", "pool:Q", alt.Tooltip("p:Q", format=".2f"), *numbers]
    layers = []
    for some, opacity, edge in ((pl.col("pool").is_not_null(), 0.2, 0.8), (pl.col("pool").is_null(), 0.6, 2.0)):
        base = alt.Chart(rows(frame.filter(some)), width=width, height=height).encode(
            x=x, color=colour, tooltip=tooltip
        )
        layers += [
            base.mark_area(opacity=opacity).encode(y=y, y2="upper:Q"),
            base.mark_line(strokeWidth=edge).encode(y=y),
            base.mark_line(strokeWidth=min(edge, 1)).encode(y=alt.Y("upper:Q")),
        ]
    return alt.layer(*layers, *beside(labels, (0.0, top), height, colour, LETTERS))  # type: ignore[no-any-return]


def _labels(frame: pl.DataFrame) -> list[Label]:
    """Label the runs beside the lower bound with all judgments for the largest persistence."""
    last = frame.filter(pl.col("pool").is_null() & (pl.col("p") == pl.col("p").max()))
    return [Label(run, lower, run) for run, lower in last.select("run", "lower").iter_rows()]
