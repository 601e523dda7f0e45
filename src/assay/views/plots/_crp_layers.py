"""Pieces of figures of relative position: bars of ranks, landmarks of a curve, what is under the pointer.

Layers are written down as Vega-Lite has them: Altair's own words for marks and channels take milliseconds each, and the
explorer draws these figures while its reader waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from assay.views.plots._style import Style, altair, rows

if TYPE_CHECKING:
    import altair as alt

BAR = 12
"""Pixels of a bar of ranks."""
POSITION = ("in place", "too early", "too late")
GAIN = ("no difference", "gain", "loss")
ABSENT = 0.35
"""The opacity of ranks behind the last document."""
SHARED = None
"""The data of a layer that shows those of the chart at the top: Altair goes through them once, not for each layer."""
Channel = dict[str, Any]


def number(field: str, **more: Any) -> Channel:
    """Return a channel that shows an amount."""
    return {"field": field, "type": "quantitative", **more}


def word(field: str, **more: Any) -> Channel:
    """Return a channel that shows a name."""
    return {"field": field, "type": "nominal", **more}


def layer(data: Any, mark: str, look: dict[str, Any], **channels: Any) -> alt.Chart:
    """Return one layer: its data (a table, some rows, or ``SHARED``), its mark and what its channels show."""
    alt = altair()
    if isinstance(data, pl.DataFrame):
        data = rows(data)
    elif isinstance(data, tuple):
        data = {"values": data}
    else:
        data = alt.Undefined
    return alt.Chart(data, mark={"type": mark, **look}, encoding=alt.FacetedEncoding(**channels))  # type: ignore[no-any-return]


def line_colour(style: Style) -> str:
    """Return the colour of a single curve: none of those of the bars."""
    return style.colours.series[6]


KINDS = ("ideal", "worst", "full-scale", "excellent A", "excellent B", "ups-and-downs", "typical A", "typical B")
"""The archetypes in the order of the paper."""


def kind_colours(style: Style) -> dict[str, str]:
    """Return a colour for each archetype."""
    return {kind: style.colours.series[place] for kind, place in zip(KINDS, (2, 7, 3, 5, 0, 6, 4, 1), strict=True)}


class Ranks(NamedTuple):
    """The axis of ranks: how many there are, and the pixels that it has. Each rank has a cell of the same width.

    Without *labels* it has no numbers and no title, because another panel below has them.
    """

    length: int
    pixels: float
    labels: bool = True

    def axis(self, field: str = "rank", title: str | None = "rank") -> Channel:
        """Return the axis itself."""
        shown = {"title": title, "titleAnchor": "end"} if self.labels else {"title": None, "labels": False}
        axis = {"tickCount": min(max(3, min(6, self.pixels // 40)), self.length), "grid": False, **shown}
        return number(field, scale={"domain": [0.5, self.length + 0.5], "nice": False}, axis=axis)

    @property
    def each(self) -> float:
        """The pixels of a rank."""
        return self.pixels / max(self.length, 1)


class Heights(NamedTuple):
    """The range of a vertical axis, with room for labels below and above the curves, and the pixels that it has."""

    low: float
    high: float
    pixels: int

    @classmethod
    def around(cls, low: float, high: float, pixels: int, below: int = 12, above: int = 12) -> Heights:
        """Return a range that includes 0, *low* and *high*, and some pixels more; for a flat curve from -1 to 1."""
        low, high = (min(low, 0), max(high, 0)) if low or high else (-1, 1)
        each = (high - low) / max(pixels - below - above, 1)
        return cls(float(low - below * each), float(high + above * each), pixels)

    def pixel(self, height: float) -> float:
        """Return the distance of a height from the upper end, in pixels."""
        return (self.high - height) / (self.high - self.low) * self.pixels

    def axis(self, field: str, title: str | None) -> Channel:
        """Return the axis itself; the space below its pixels is left to bars."""
        short = "abs(datum.value) < 1 ? format(datum.value, '~r') : format(datum.value, '~s')"
        ticks = max(3, min(5, self.pixels // 30))
        axis = {"tickCount": ticks, "labelExpr": short, "title": title, "titleAnchor": "end", "titleX": -42}
        scale = {"domain": [self.low, self.high], "nice": False, "zero": False, "range": [self.pixels, 0]}
        return number(field, scale=scale, axis=axis)


def upright(rank: int, ranks: Ranks, height: float) -> list[alt.Chart]:
    """Return a dotted line at a rank, if that is shown."""
    where = {"x": ranks.axis(), "y": {"value": 0}, "y2": {"value": height}}
    return [layer(({"rank": rank},), "rule", {"style": "reference"}, **where)] if rank <= ranks.length else []


def ground() -> alt.Chart:
    """Return the line at 0."""
    return layer(({},), "rule", {"strokeWidth": 1}, y={"datum": 0})


def cells(frame: pl.DataFrame, field: str, style: Style, intensity: str | None = None) -> pl.DataFrame:
    """Merge adjacent ranks of one kind: first, last, colour, opacity; those in place come first.

    The kind is the sign of *field*; ranks without a value have no cell, those without a document are faint.
    """
    of = style.colours
    sign = pl.col(field).sign()
    # Negative positions are too early, positive differences are gains: the papers have one colour for both.
    early = sign == (-1 if field == "rp" else 1)
    colour = pl.when(sign == 0).then(pl.lit(of.right)).when(early).then(pl.lit(of.early)).otherwise(pl.lit(of.late))
    strong = pl.lit(1.0) if intensity is None else 0.25 + 0.75 * pl.col(intensity)
    absent = pl.when(pl.col("document").is_null()).then(ABSENT).otherwise(1.0)
    return (
        frame.filter(pl.col(field).is_not_null())
        .select("rank", other=sign != 0, colour=colour, opacity=pl.when(sign == 0).then(1.0).otherwise(strong) * absent)
        .with_columns(stretch=pl.struct("colour", "opacity").rle_id() + pl.col("rank") - pl.int_range(pl.len()))
        .group_by("stretch", maintain_order=True)
        .agg(pl.first("other", "colour", "opacity"), first=pl.col("rank").min() - 0.5, last=pl.col("rank").max() + 0.5)
        .sort("other", maintain_order=True)
        .select("first", "last", "colour", "opacity")
    )


def bar(made: pl.DataFrame, top: float, ranks: Ranks) -> alt.Chart:
    """Return a bar of cells, *top* pixels below the upper end of a panel; single ranks stay visible however narrow."""
    return layer(
        made,
        "rect",
        {"strokeWidth": round(max(0.0, 1 - ranks.each), 2)},
        x=ranks.axis("first"),
        x2={"field": "last"},
        y={"value": top},
        y2={"value": top + BAR},
        color=word("colour", scale=None),
        stroke=word("colour", scale=None),
        opacity=number("opacity", scale=None),
    )


def key(words: Sequence[str], bottom: float, ranks: Ranks, style: Style) -> list[alt.Chart]:
    """Return a legend of the bars under the axis at *bottom*: beside its title, or below that if there is no room."""
    of = style.colours
    places = [sum(18 + 6 * len(word) for word in words[:number]) for number in range(len(words) + 1)]
    top = bottom + (30 if places[-1] + 30 < ranks.pixels else 44) if ranks.labels else bottom + 14
    made = tuple(
        {"word": text, "x": place, "colour": colour}
        for text, place, colour in zip(words, places, (of.right, of.early, of.late), strict=False)
    )
    where = {"x": number("x", scale=None, axis=None), "y": {"value": top}}
    return [
        layer(made, "square", {"size": 64, "opacity": 1, "xOffset": 4}, **where, color=word("colour", scale=None)),
        layer(made, "text", {"style": "muted", "align": "left", "dx": 11}, **where, text=word("word")),
    ]


class Mark(NamedTuple):
    """A point of a curve with a label beside it."""

    rank: int
    height: float
    text: str
    align: str = "left"
    dx: int = 6
    dy: int = 12


def marked(marks: Sequence[Mark], ranks: Ranks, heights: Heights, colour: str) -> list[alt.Chart]:
    """Return points and their labels."""
    where = {"x": ranks.axis("x"), "y": heights.axis("y", "")}
    pixel = (heights.high - heights.low) / heights.pixels
    layers = []
    for align in ("left", "right"):
        made = tuple(
            {"x": mark.rank + mark.dx / ranks.each, "y": float(mark.height - mark.dy * pixel), "text": mark.text}
            for mark in marks
            if mark.align == align and mark.text
        )
        layers += [
            layer(made, "text", {"style": kind, "align": align}, **where, text=word("text"))
            for kind in ("halo", "label")
            if made
        ]
    points = tuple({"x": mark.rank, "y": float(mark.height)} for mark in marks)
    return [*layers, layer(points, "circle", {"size": 34, "opacity": 1, "color": colour}, **where)]


def pointer(name: str = "at") -> Any:
    """Return a selection of the rank under the pointer."""
    return altair().selection_point(name=name, fields=["rank"], on="pointerover", clear="pointerout", empty=False)


def under(at: Any, seen: Any, ranks: Ranks, tooltip: Sequence[Channel], height: float) -> list[alt.Chart]:
    """Return the tooltip of the rank *at* the pointer, all over a panel; a line shows the rank that is *seen*.

    The stripes that catch the pointer are invisible lines as wide as a rank.
    """
    spans = {"x": ranks.axis(), "y": {"value": 0}, "y2": {"value": height}}
    look = {"strokeWidth": max(round(ranks.each, 2), 1.5), "strokeOpacity": 0.001, "clip": True}
    line = layer(SHARED, "rule", {"style": "reference", "strokeDash": [1, 0]}, **spans).transform_filter(seen)
    return [line, layer(SHARED, "rule", look, **spans, tooltip=list(tooltip)).add_params(at)]
