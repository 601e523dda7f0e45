"""The curves of all runs on one topic, a small panel for each, best first.

Cumulated relative position against rank; the line is the axis, where the ideal ranking would be, and the dotted line is
rank R. All panels have the same axes, so that curves can be compared; both go by square roots, so that the first ranks
and small losses can be seen. Colours tell the archetype. The runs stand in the order of Twist, or of another measure,
or by name (``--order name``).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay.effort import archetypes as kinds
from assay.effort._curve import heights
from assay.measures import measure as parse_measure
from assay.measures._threshold import refuse_nothing_relevant
from assay.measures._values import values
from assay.measures.twist import Twist
from assay.model.notes import count
from assay.model.policies import refuse_expected
from assay.model.relative_position import Curves, Setting
from assay.results._evaluate import caveats
from assay.results.names import shorten_names
from assay.views.plots._bands import letters
from assay.views.plots._choice import topic_named
from assay.views.plots._crp import kind_colours, layer, number, word
from assay.views.plots._figures import Data
from assay.views.plots._style import Style, altair, nothing
from assay.views.plots._thinning import thinned

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign
    from assay.measures import Measure
    from assay.model.arrays import Floats, Ints

SOURCE = None
NAME = "name"
"""The order of runs by their names."""
CHOICES = {"order": (NAME, "MEASURE")}
CELL, GAP, HIGH, WORDS = 104, 12, 58, 17
"""Pixels: the least width of a panel, the space between two, the height of a panel and of the name above it."""
_OFF = 0.008  # of the height of a panel: by so much a curve may be off, which is less than a pixel


def data(
    source: Campaign,
    *,
    topic: str | None = None,
    order: str = "Twist",
    depth: int | None = None,
    length: str = "extend",
) -> Data:
    """Tabulate a row for each point of each curve; a curve has as many as it needs, its corners among them.

    Columns topic, run, place (from 1), archetype, twist, measure (the order; null by name), value (of that measure;
    null if not defined), r (relevant documents), rank, crp. The topic is by default the first one with relevant
    documents.
    """
    refuse_expected(source.policies.ties, "a curve needs an order")
    refuse_nothing_relevant(1, source.judgments.levels)
    chosen = None if order == NAME else parse_measure(order)
    place = _first_topic(source) if topic is None else topic_named(topic, source.topics, source.provenance)
    frame = _tabulate(source, place, chosen, Setting(depth, length))
    notes = [] if chosen is None else caveats([chosen])
    return Data(frame, (*source.notes, *notes), source.provenance)


def _tabulate(campaign: Campaign, place: int, chosen: Measure | None, setting: Setting) -> pl.DataFrame:
    runs, topics = campaign.runs, campaign.topics
    judged = campaign.judged.only(place + np.arange(len(runs)) * len(topics))
    curves = Curves.of(judged, setting)
    twist = values(Twist(cutoff=setting.depth, length=setting.length), judged).value
    value = np.full(len(runs), np.nan) if chosen is None else values(chosen, judged).value
    about = pl.DataFrame(
        {
            "topic": [topics[place]] * len(runs),
            "run": pl.Series(runs, dtype=pl.String),
            "place": _places(runs, value, chosen),
            "archetype": pl.Series([*kinds.NAMES, None]).gather(kinds.archetypes(curves) % (len(kinds.NAMES) + 1)),
            "twist": twist,
            "measure": pl.Series([None if chosen is None else str(chosen)] * len(runs), dtype=pl.String),
            "value": value,
            "r": curves.relevant,
        }
    ).with_columns(pl.col("twist", "value").fill_nan(None))
    high = heights(curves)[:, : setting.depth]
    rooted = np.sign(high) * np.sqrt(np.abs(high))
    span = float(np.ptp(rooted)) if high.size else 0.0
    ranking, rank = np.nonzero(thinned(rooted, np.sqrt(np.arange(high.shape[1]) + 0.5), tolerance=_OFF, span=span))
    points = about[ranking].with_columns(rank=pl.Series(rank + 1), crp=pl.Series(high[ranking, rank]))
    return points.sort("place", "rank")


def _first_topic(campaign: Campaign) -> int:
    """Return the number of the first topic with relevant documents; of the first topic if none has any."""
    qrels = campaign.judgments
    return int(np.argmax(qrels.counts[:, qrels.levels >= 1].sum(axis=1) > 0))


def _places(runs: tuple[str, ...], value: Floats, chosen: Measure | None) -> Ints:
    """Return the place of each run: by name, or by its value, the best first and runs without a value last."""
    cost = value if chosen is not None and chosen.lower_is_better else -value
    order = sorted(range(len(runs)), key=lambda i: runs[i]) if chosen is None else np.argsort(cost, kind="stable")
    place = np.empty(len(runs), dtype=np.int64)
    place[order] = np.arange(1, len(runs) + 1)
    return place


class _TopicGrid(NamedTuple):
    """Layout of the panels: their number in a row, their width, and the pixels above the first row."""

    columns: int
    wide: float
    head: int

    @classmethod
    def of(cls, runs: int, room: int, head: int) -> _TopicGrid:
        """For so many runs in so many pixels."""
        columns = max(1, min(runs, int((room + GAP) // (CELL + GAP))))
        return cls(columns, min(180, (room - GAP * (columns - 1)) / columns), head)

    def left(self, place: pl.Expr) -> pl.Expr:
        """The left end of the panel at a place."""
        return (place - 1) % self.columns * (self.wide + GAP)

    def top(self, place: pl.Expr) -> pl.Expr:
        """The upper end of the panel at a place."""
        return self.head + WORDS + (place - 1) // self.columns * (WORDS + HIGH + GAP)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Panels in rows. They are no charts of their own: a hundred of those would keep a browser busy for seconds."""
    if frame.is_empty():
        return nothing("no ranking", style)
    if not frame["r"].max():
        return nothing("the topic has no relevant documents", style)
    alt = altair()
    room = style.room(720) - 14
    runs = frame.group_by("run", maintain_order=True).agg(
        pl.first("place", "archetype", "twist", "measure", "value", "r"), end=pl.last("crp")
    )
    key, head = _key(runs, room, style)
    grid = _TopicGrid.of(len(runs), room, head)
    low, high, length = frame.select(pl.min("crp"), pl.max("crp").alias("high"), pl.max("rank")).row(0)
    upper, span = (_root(high), _root(high) - _root(low)) if low < high else (0.5, 1)
    place, colours = pl.col("place"), kind_colours(style)
    rooted = pl.col("crp").sign() * pl.col("crp").abs().sqrt()
    spot = {
        "x": grid.left(place) + _along(pl.col("rank"), length) * grid.wide,
        "y": grid.top(place) + (upper - rooted) / span * HIGH,
    }
    points = frame.select(
        **{name: where.round(1) for name, where in spot.items()},
        run="place",
        colour=pl.col("archetype").replace_strict(colours, default=colours["worst"]),
    )
    layers = [*key, *_frames(runs, grid, upper / span, length), *_names(runs, grid)]
    look = {"strokeWidth": 1.4, "strokeJoin": "round"}
    layers.append(layer(points, "line", look, **_at("x", "y"), detail=word("run"), stroke=word("colour", scale=None)))
    width = round(min(grid.columns, len(runs)) * (grid.wide + GAP) - GAP)
    title = alt.Title(f"topic {frame['topic'][0]}", subtitle=_range(frame, low, high, length), limit=room)
    rows = math.ceil(len(runs) / grid.columns)
    return alt.layer(*layers, width=width, height=head + rows * (WORDS + HIGH + GAP) - GAP, title=title)  # type: ignore[no-any-return]


def _root(height: float) -> float:
    return math.copysign(math.sqrt(abs(height)), height)


def _along(rank: pl.Expr, length: int) -> pl.Expr:
    """Return the position of a rank as a share of the width."""
    return ((rank - 0.5) / length).sqrt()


def _at(x: str, y: str) -> dict[str, Any]:
    """Channels in pixels."""
    return {"x": number(x, scale=None, axis=None), "y": number(y, scale=None, axis=None)}


def _range(frame: pl.DataFrame, low: float, high: float, length: int) -> list[str]:
    """Axes that all panels share."""
    measure = frame["measure"][0]
    order = NAME if measure is None else measure
    return [
        f"CRP from {low:,.0f} to {high:,.0f}, ranks 1 to {length:,}, R = {frame['r'][0]:,}".replace("-", "−"),
        f"{count(frame['run'].n_unique(), 'run')} by {order}",
    ]


def _key(runs: pl.DataFrame, room: int, style: Style) -> tuple[list[Any], int]:
    """Return a legend with the number of runs of each kind, and its height."""
    counts = dict(runs.group_by("archetype").len().iter_rows())
    made, x, y = [], 0, 4
    for kind, colour in kind_colours(style).items():
        if kind not in counts:
            continue
        text = f"{kind} ({counts[kind]})"
        wide = 26 + 6 * len(text)
        if x and x + wide > room:
            x, y = 0, y + 15
        made.append({"text": text, "x": x, "y": y, "colour": colour})
        x += wide
    squares = {"size": 64, "opacity": 1, "xOffset": 4}
    return [
        layer(tuple(made), "square", squares, **_at("x", "y"), color=word("colour", scale=None)),
        layer(tuple(made), "text", {"style": "muted", "align": "left", "dx": 11}, **_at("x", "y"), text=word("text")),
    ], y + 14


def _frames(runs: pl.DataFrame, grid: _TopicGrid, zero: float, length: int) -> list[Any]:
    """The lines of panels: the axis, rank R if it is shown; and what tells of the run under the pointer."""
    place, shows_r = pl.col("place"), runs["r"][0] <= length
    made = runs.select(
        "run",
        "archetype",
        "twist",
        "value",
        "end",
        x=grid.left(place).round(1),
        x2=(grid.left(place) + grid.wide).round(1),
        top=grid.top(place) - WORDS,
        bottom=grid.top(place) + HIGH,
        upper=grid.top(place),
        axis=grid.top(place) + round(zero * HIGH, 1),
        upright=(grid.left(place) + _along(pl.col("r"), length) * grid.wide).round(1),
    )
    measure = runs["measure"][0]
    told = [word("run"), word("archetype"), number("twist", title="Twist", format=".4f")]
    told += [] if measure in (None, "Twist") else [number("value", title=measure, format=".4f")]
    told += [number("end", title="CRP at the end", format=",")]
    over = altair().selection_point(name="over", fields=["run"], on="pointerover", clear="pointerout", empty=False)
    lit = {"condition": {"param": "over", "empty": False, "value": 0.8}, "value": 0}
    box = {**_at("x", "top"), "x2": {"field": "x2"}, "y2": {"field": "bottom"}, "opacity": lit, "tooltip": told}
    return [
        layer(made, "rect", {"style": "soft"}, **box).add_params(over),
        layer(made, "rule", {"strokeWidth": 0.7}, **_at("x", "axis"), x2={"field": "x2"}),
        *([layer(made, "rule", {"style": "reference"}, **_at("upright", "upper"), y2={"field": "bottom"})] * shows_r),
    ]


def _names(runs: pl.DataFrame, grid: _TopicGrid) -> list[Any]:
    """The name of each run, and its value to the right."""
    short = shorten_names(runs["run"], letters(grid.wide - 30))
    made = tuple(
        {
            "name": short[name],
            "value": "" if value is None else f"{value:.2f}",
            "x": x,
            "x2": x + grid.wide,
            "y": y,
        }
        for name, value, x, y in runs.select(
            "run", "value", grid.left(pl.col("place")).round(1).alias("x"), grid.top(pl.col("place")) - 8
        ).iter_rows()
    )
    return [
        layer(
            made,
            "text",
            {"style": "label", "align": "left", "fontSize": 10},
            **_at("x", "y"),
            text=word("name"),
        ),
        layer(made, "text", {"style": "muted", "align": "right", "fontSize": 10}, **_at("x2", "y"), text=word("value")),
    ]
