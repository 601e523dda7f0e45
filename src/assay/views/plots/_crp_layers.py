"""Layers shared by the figures of cumulated relative position: bars of ranks, landmarks of a curve, tooltips.

Layers are written as plain Vega-Lite dictionaries. A layer of Altair's classes takes about five times as long to build
(0.05 instead of 0.01 milliseconds).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import polars as pl

from assay.views.plots._altair import alt
from assay.views.plots._style import Style, rows

BAR_HEIGHT = 12
"""Height of a bar of ranks, in pixels."""
POSITION_LABELS = ("in place", "too early", "too late")
GAIN_LABELS = ("no difference", "gain", "loss")
ABSENT_OPACITY = 0.35
"""Opacity of the ranks after the last document of a ranking."""
SHARED = None
"""Data of a layer that shows the data of the top-level chart: Altair processes them once instead of once per layer."""
Channel = dict[str, Any]


def quantitative(field: str, **options: Any) -> Channel:
    """Return a channel that shows a number."""
    return {"field": field, "type": "quantitative", **options}


def nominal(field: str, **options: Any) -> Channel:
    """Return a channel that shows a name."""
    return {"field": field, "type": "nominal", **options}


def layer(data: Any, mark: str, options: dict[str, Any], **channels: Any) -> alt.Chart:
    """Return one layer: its data (a frame, a tuple of rows, or ``SHARED``), its mark with options, and its channels."""
    if isinstance(data, pl.DataFrame):
        data = rows(data)
    elif isinstance(data, tuple):
        data = {"values": data}
    else:
        data = alt.Undefined
    mark_options: Any = {"type": mark, **options}
    return alt.Chart(data, mark=mark_options, encoding=alt.FacetedEncoding(**channels))


def text_layer(data: Any, x: Channel, y: Channel, style: str, field: str = "text", **options: Any) -> alt.Chart:
    """Return a layer of texts at the positions *x* and *y*; *style* is one of the named styles of the theme."""
    return layer(data, "text", {"style": style, **options}, x=x, y=y, text=nominal(field))


def pixels(field: str) -> Channel:
    """Return a channel for positions in pixels, from the left or from the top."""
    return quantitative(field, scale=None, axis=None)


def legend_layers(entries: Sequence[dict[str, Any]], y: Channel) -> list[alt.Chart]:
    """Return a legend: a coloured square and a text for each entry (text, colour, and x in pixels)."""
    x, square = pixels("x"), {"size": 64, "opacity": 1, "xOffset": 4}
    return [
        layer(tuple(entries), "square", square, x=x, y=y, color=nominal("colour", scale=None)),
        text_layer(tuple(entries), x, y, "muted", align="left", dx=11),
    ]


def line_colour(style: Style) -> str:
    """Return the colour of a single curve, which differs from the colours of the bars."""
    return style.colours.late if style.palette == "grey" else style.colours.series[6]


ARCHETYPES = ("ideal", "worst", "full-scale", "excellent A", "excellent B", "ups-and-downs", "typical A", "typical B")
"""The archetypes in the order of the paper."""


def archetype_colours(style: Style) -> dict[str, str]:
    """Return a colour for each archetype."""
    indices = (2, 7, 3, 5, 0, 6, 4, 1)
    return {archetype: style.colours.series[i] for archetype, i in zip(ARCHETYPES, indices, strict=True)}


class RankAxis(NamedTuple):
    """A horizontal axis of *length* ranks over *pixels* pixels; each rank has a cell of the same width.

    Without *labels* the axis has neither numbers nor a title, because the panel below shows them.
    """

    length: int
    pixels: float
    labels: bool = True

    def axis(self, field: str = "rank", title: str | None = "rank") -> Channel:
        """Return the channel for x."""
        labels = {"title": title, "titleAnchor": "end"} if self.labels else {"title": None, "labels": False}
        axis = {"tickCount": min(max(3, min(6, self.pixels // 40)), self.length), "grid": False, **labels}
        return quantitative(field, scale={"domain": [0.5, self.length + 0.5], "nice": False}, axis=axis)

    @property
    def rank_width(self) -> float:
        """Width of a rank, in pixels."""
        return self.pixels / max(self.length, 1)


class ValueAxis(NamedTuple):
    """A vertical axis from *low* to *high* over *pixels* pixels."""

    low: float
    high: float
    pixels: int

    @classmethod
    def spanning(cls, low: float, high: float, pixels: int, below: int = 12, above: int = 12) -> ValueAxis:
        """Return an axis that includes 0, *low* and *high*, with *below* and *above* pixels of margin for labels.

        A curve that is 0 everywhere gets the range from -1 to 1.
        """
        low, high = (min(low, 0), max(high, 0)) if low or high else (-1, 1)
        pixel = (high - low) / max(pixels - below - above, 1)
        return cls(float(low - below * pixel), float(high + above * pixel), pixels)

    def pixel(self, value: float) -> float:
        """Return the distance of a value from the upper end, in pixels."""
        return (self.high - value) / (self.high - self.low) * self.pixels

    def axis(self, field: str, title: str | None) -> Channel:
        """Return the channel for y. The scale ends at *pixels*, so the space below remains free for bars."""
        label = "abs(datum.value) < 1 ? format(datum.value, '~r') : format(datum.value, '~s')"
        ticks = max(3, min(5, self.pixels // 30))
        axis = {"tickCount": ticks, "labelExpr": label, "title": title, "titleAnchor": "end", "titleX": -42}
        scale = {"domain": [self.low, self.high], "nice": False, "zero": False, "range": [self.pixels, 0]}
        return quantitative(field, scale=scale, axis=axis)


def rank_rule(rank: int, ranks: RankAxis, height: float) -> list[alt.Chart]:
    """Return a dashed vertical line at a rank; no layer if the rank is not shown."""
    channels = {"x": ranks.axis(), "y": {"value": 0}, "y2": {"value": height}}
    return [layer(({"rank": rank},), "rule", {"style": "reference"}, **channels)] if rank <= ranks.length else []


def zero_rule() -> alt.Chart:
    """Return the horizontal line at 0."""
    return layer(({},), "rule", {"strokeWidth": 1}, y={"datum": 0})


def merge_cells(frame: pl.DataFrame, field: str, style: Style, intensity: str | None = None) -> pl.DataFrame:
    """Merge adjacent ranks with the same colour and opacity into cells: first, last, colour, opacity.

    The colour follows the sign of *field*. Ranks where *field* is null have no cell; ranks without a document are
    faint. Cells of sign 0 come first and are thus drawn below the others.
    """
    palette = style.colours
    sign = pl.col(field).sign()
    # The papers use one colour for documents that come too early (negative RP) and for gains (positive difference).
    early = sign == (-1 if field == "rp" else 1)
    late_or_early = pl.when(early).then(pl.lit(palette.early)).otherwise(pl.lit(palette.late))
    colour = pl.when(sign == 0).then(pl.lit(palette.right)).otherwise(late_or_early)
    strength = pl.lit(1.0) if intensity is None else 0.25 + 0.75 * pl.col(intensity)
    absent = pl.when(pl.col("document").is_null()).then(ABSENT_OPACITY).otherwise(1.0)
    opacity = pl.when(sign == 0).then(1.0).otherwise(strength) * absent
    ranks = frame.filter(pl.col(field).is_not_null())
    ranks = ranks.select("rank", nonzero=sign != 0, colour=colour, opacity=opacity)
    cells = merge_ranks(ranks, "nonzero", "colour", "opacity")
    return cells.sort("nonzero", maintain_order=True).drop("nonzero")


def merge_ranks(ranks: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Merge adjacent ranks with equal values in *columns* into cells from *first* to *last*."""
    # Within a cell, rank minus row number is constant; a gap in the ranks changes it and thus starts a new cell.
    cell = pl.struct(columns).rle_id() + pl.col("rank") - pl.int_range(pl.len())
    first, last = pl.min("rank").alias("first") - 0.5, pl.max("rank").alias("last") + 0.5
    cells = ranks.group_by(cell.alias("cell"), maintain_order=True).agg(first, last, pl.first(*columns))
    return cells.drop("cell")


def bar_layer(cells: pl.DataFrame, top: float, ranks: RankAxis) -> alt.Chart:
    """Return a bar of cells, *top* pixels below the upper end of a panel.

    A stroke widens cells that are narrower than a pixel, so that single ranks stay visible.
    """
    return layer(
        cells,
        "rect",
        {"strokeWidth": round(max(0.0, 1 - ranks.rank_width), 2)},
        x=ranks.axis("first"),
        x2={"field": "last"},
        y={"value": top},
        y2={"value": top + BAR_HEIGHT},
        color=nominal("colour", scale=None),
        stroke=nominal("colour", scale=None),
        opacity=quantitative("opacity", scale=None),
    )


def bar_legend(labels: Sequence[str], bottom: float, ranks: RankAxis, style: Style) -> list[alt.Chart]:
    """Return a legend of the bars below the axis at *bottom*: beside the axis title if it fits, else below it."""
    palette = style.colours
    *lefts, width = accumulate((18 + 6 * len(label) for label in labels), initial=0)
    top = bottom + (30 if width + 30 < ranks.pixels else 44) if ranks.labels else bottom + 14
    entries = [
        {"text": label, "x": left, "colour": colour}
        for label, left, colour in zip(labels, lefts, (palette.right, palette.early, palette.late), strict=True)
    ]
    return legend_layers(entries, {"value": top})


class LabelledPoint(NamedTuple):
    """A point of a curve with a label beside it; *dx* and *dy* are the offset of the label in pixels."""

    rank: int
    height: float
    text: str
    align: str = "left"
    dx: int = 6
    dy: int = 12


def label_points(points: Sequence[LabelledPoint], ranks: RankAxis, values: ValueAxis, colour: str) -> list[alt.Chart]:
    """Return layers for the halos of the labels, the labels, and the points, in this order."""
    x, y = ranks.axis("x"), values.axis("y", "")
    pixel = (values.high - values.low) / values.pixels
    layers = []
    for align in ("left", "right"):
        labels = tuple(
            {
                "x": point.rank + point.dx / ranks.rank_width,
                "y": float(point.height - point.dy * pixel),
                "text": point.text,
            }
            for point in points
            if point.align == align and point.text
        )
        if labels:
            layers += [text_layer(labels, x, y, kind, align=align) for kind in ("halo", "label")]
    positions = tuple({"x": point.rank, "y": float(point.height)} for point in points)
    return [*layers, layer(positions, "circle", {"size": 34, "opacity": 1, "color": colour}, x=x, y=y)]


def rank_selection(name: str = "at") -> Any:
    """Return a selection of the rank under the pointer."""
    return alt.selection_point(name=name, fields=["rank"], on="pointerover", clear="pointerout", empty=False)


def hover_layers(
    selection: Any, highlighted: Any, ranks: RankAxis, tooltip: Sequence[Channel], height: float
) -> list[alt.Chart]:
    """Return a line at the *highlighted* rank, and invisible stripes that update *selection* and show the tooltip.

    Each stripe is a vertical line as wide as a rank, so every position of the pointer in the panel is on a stripe.
    """
    channels = {"x": ranks.axis(), "y": {"value": 0}, "y2": {"value": height}}
    stripe = {"strokeWidth": max(round(ranks.rank_width, 2), 1.5), "strokeOpacity": 0.001, "clip": True}
    line = layer(SHARED, "rule", {"style": "reference", "strokeDash": [1, 0]}, **channels)
    return [
        line.transform_filter(highlighted),
        layer(SHARED, "rule", stripe, **channels, tooltip=list(tooltip)).add_params(selection),
    ]
