"""Remaining uncertainty against the number of judgments, for several judging orders.

The judgments of retrieved documents are hidden and then revealed one by one. The curves show the remaining uncertainty
of the value of a measure, averaged over runs and topics. With the order ``residual``, the most important document is
judged first. With ``depth``, the first document of every run is judged before the second document of any run; points
mark pools of depth 1, 10, 100 and so on. With ``random``, documents are judged in random order. Documents without a
judgment stay uncertain to the end. Documents after the end of a ranking do not count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.measures import Measure
from assay.uncertainty._judging_curve import ALL_ORDERS, ORDERS, judging_curve
from assay.views.plots._altair import alt
from assay.views.plots._figures import Data
from assay.views.plots._series import Label, label_layers, labels_width, series_colours
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = None
HAS_HEIGHT = True
KEEP = "documents"
CHOICES = {"orders": ALL_ORDERS}
STEPS = 150
"""Approximate number of points of a curve."""


def data(
    source: Campaign,
    *,
    measure: str | Measure = "RBP(p=0.8)",
    orders: Sequence[str] = ORDERS,
    seed: int = 0,
) -> Data:
    """Tabulate the uncertainty: measure, order, judgments (the number of judgments), uncertainty, pool.

    *pool* is the depth of the pool with this number of judgments. It is null if there is no such pool, and for orders
    other than ``depth``.
    """
    report = judging_curve(source, measure, orders=orders, seed=seed)
    total = report.curves.shape[1] - 1
    sampled = np.geomspace(1, max(total, 1), STEPS).round().astype(np.int64)
    steps = np.unique(np.concatenate([[0], sampled[sampled <= total], report.steps]))
    pools = dict(zip(report.steps.tolist(), report.pools, strict=True))
    pool = pl.col("judgments").replace_strict(pools, default=None, return_dtype=pl.Int64)
    frame = pl.concat(
        pl.DataFrame({"judgments": steps, "uncertainty": curve[steps]}).select(
            pl.lit(str(report.measure)).alias("measure"),
            pl.lit(order).alias("order"),
            "judgments",
            "uncertainty",
            pl.when(pl.lit(order == "depth")).then(pool).alias("pool"),
        )
        for order, curve in zip(report.orders, report.curves, strict=True)
    )
    return Data(frame, report.notes, report.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a line for each order; points on the line of ``depth`` mark pools."""
    judged = frame.filter(pl.col("judgments") > 0)
    if judged.is_empty():
        return empty_chart("no retrieved document is judged", style)
    names = judged["order"].unique(maintain_order=True).to_list()
    labels = _labels(judged)
    width = style.total_width() - labels_width(labels) - 62
    height = style.plot_height(min(max(round(0.8 * width), 160), 340))
    last = max(judged["judgments"].to_list())
    top = 1.02 * max(judged["uncertainty"].to_list()) or 1.0
    scale = alt.Scale(type="log", domain=(1, max(last, 2)), nice=False)
    ticks = [10**power for power in range(10) if 10**power <= last]
    axis = alt.Axis(values=ticks, tickCount=len(ticks), format="~s", labelFlush=False)
    x = alt.X("judgments:Q", title="number of judgments", scale=scale, axis=axis)
    title = f"uncertainty of {judged['measure'][0]}"
    y = alt.Y("uncertainty:Q", title=title, scale=alt.Scale(domain=(0, top), nice=False), axis=alt.Axis(tickCount=5))
    colour = series_colours("order", names, style)
    fields = tooltip("order:N", "judgments:Q", *decimals("uncertainty"))
    lines = alt.Chart(rows(judged), width=width, height=height).encode(x, y, colour, fields)
    return alt.layer(
        lines.mark_line(strokeWidth=2),
        *_pools(judged, x, y, colour, width),
        *label_layers(labels, (0.0, top), height, colour),
    )


def _pools(frame: pl.DataFrame, x: alt.X, y: alt.Y, colour: alt.Color, width: int) -> list[alt.Chart]:
    """Draw points for the pools whose depth is a power of ten, labelled with the depth if the label fits."""
    pools = frame.filter(pl.col("pool").is_in([10**power for power in range(6)]))
    if pools.is_empty():
        return []
    last = math.log(max(*frame["judgments"].to_list(), 2))
    space = [width * (1 - math.log(judgments) / last) for judgments in pools["judgments"].to_list()]
    texts = [f"depth {pool}" if number == 0 else f"{pool}" for number, pool in enumerate(pools["pool"].to_list())]
    labels = [text if 6 * len(text) + 8 < pixels else "" for text, pixels in zip(texts, space, strict=True)]
    base = alt.Chart(rows(pools.with_columns(pl.Series("text", labels, dtype=pl.String)))).encode(x, y)
    points = base.mark_circle(size=40, opacity=1).encode(colour, tooltip("pool:Q", "judgments:Q"))
    text = base.mark_text(style="muted", align="left", baseline="bottom", dx=4, dy=-3)
    return [points, text.encode(alt.Text("text:N"))]


def _labels(frame: pl.DataFrame) -> list[Label]:
    """Return a label for the end of each line.

    All lines end at the same value. To sort the labels as the lines, a tiny multiple of the area below each line (its
    mean uncertainty) is added to this value.
    """
    ends = frame.group_by("order", maintain_order=True).agg(
        pl.col("uncertainty").last(), pl.col("uncertainty").mean().alias("area")
    )
    return [Label(order, end + 1e-9 * area, order) for order, end, area in ends.iter_rows()]
