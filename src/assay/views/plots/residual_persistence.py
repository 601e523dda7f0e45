"""Bounds of RBP of two runs against persistence, with a shallow pool and with all judgments.

The x axis is the persistence p. The bounds are means over topics for complete rankings. The light band of a run extends
from its lower to its upper bound with the judgments of a shallow pool. The dark band, often as thin as a line, shows
the bounds with all judgments. Where the light bands overlap, the shallow pool cannot decide which run is better. The
default runs are the best run and the median run by the lower bound, with all judgments and the largest persistence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import polars as pl

from assay import uncertainty
from assay.views.plots._altair import alt
from assay.views.plots._figures import Data
from assay.views.plots._series import Label, label_layers, labels_width, series_colours
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip
from assay.views.plots.residual_depth import best_runs, sort_persistences

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Moffat & Zobel (2008), Fig. 6"
HAS_HEIGHT = True
KEEP = "judgments"
MAX_CHARACTERS = 16
STEPS = tuple(step / 100 for step in (*range(0, 90, 2), *range(90, 100)))


def data(
    source: Campaign,
    *,
    only: str | Sequence[str] | None = None,
    persistences: Iterable[float] | None = None,
    pool: int = 10,
) -> Data:
    """Tabulate the bounds: run, pool (null: all judgments), p, lower, upper, residual (upper - lower).

    All runs contribute to the pool, even if only the runs *only* are shown. The default persistences are 0 to 0.99.
    """
    steps = sort_persistences(STEPS if persistences is None else persistences)
    curves = uncertainty.residual(source, steps, against="p", pools=pool, runs=only)
    order = best_runs(curves)
    selected = [order[0], order[len(order) // 2]] if only is None else order
    frame = curves.frame().filter(pl.col("run").is_in(selected)).drop("depth")
    return Data(frame, curves.notes, curves.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a light and a dark band for each run."""
    if frame.is_empty():
        return empty_chart("no run or persistence to show", style)
    names = frame["run"].unique(maintain_order=True).to_list()
    labels = _labels(frame)
    width = style.total_width() - labels_width(labels, MAX_CHARACTERS) - 62
    height = style.plot_height(min(max(round(0.9 * width), 180, 16 * len(labels)), 380))
    axis = alt.Axis(tickCount=5, labelFlush=False)
    x = alt.X("p:Q", title="persistence p", scale=alt.Scale(domain=(0, 1)), axis=axis)
    top = max(1.0, *frame["upper"].to_list())
    y = alt.Y("lower:Q", title="bounds of RBP", scale=alt.Scale(domain=(0, top)))
    colour = series_colours("run", names, style)
    persistence = alt.Tooltip("p:Q", format=".2f")
    fields = tooltip("run:N", "pool:Q", persistence, *decimals("lower", "upper", "residual"))
    layers = []
    for mask, opacity, edge in ((pl.col("pool").is_not_null(), 0.2, 0.8), (pl.col("pool").is_null(), 0.6, 2.0)):
        base = alt.Chart(rows(frame.filter(mask)), width=width, height=height).encode(x, colour, fields)
        layers += [
            base.mark_area(opacity=opacity).encode(y, alt.Y2("upper:Q")),
            base.mark_line(strokeWidth=edge).encode(y),
            base.mark_line(strokeWidth=min(edge, 1)).encode(alt.Y("upper:Q")),
        ]
    return alt.layer(*layers, *label_layers(labels, (0.0, top), height, colour, MAX_CHARACTERS))


def _labels(frame: pl.DataFrame) -> list[Label]:
    """Return a label for each run, at its lower bound with all judgments and the largest persistence."""
    last = frame.filter(pl.col("pool").is_null() & (pl.col("p") == pl.col("p").max()))
    return [Label(run, lower, run) for run, lower in last.select("run", "lower").iter_rows()]
