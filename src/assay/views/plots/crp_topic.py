"""CRP curves of all runs on one topic, in small panels, best run first.

Each panel shows the cumulated relative position (CRP) of one run by rank. The horizontal line at 0 is the ideal
ranking. The dashed line is rank R, the number of relevant documents. All panels share the same axes. Both axes have
square-root scales, which make the first ranks and small losses visible. Colours show the archetypes of the curves. Runs
are sorted by Twist, by another measure (``--order MEASURE``), or by name (``--order name``).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay.effort import archetypes as effort_archetypes
from assay.effort._curve import compute_heights
from assay.measures import measure as parse_measure
from assay.measures._threshold import check_rel
from assay.measures._values import compute_values
from assay.measures.twist import Twist
from assay.model.notes import pluralize
from assay.model.policies import reject_expected_ties
from assay.model.relative_position import Curves, EffortSettings
from assay.results.names import shorten_names
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import max_characters
from assay.views.plots._crp_layers import (
    archetype_colours,
    layer,
    legend_layers,
    nominal,
    pixels,
    quantitative,
    text_layer,
)
from assay.views.plots._figures import Data
from assay.views.plots._selection import find_topic
from assay.views.plots._simplification import select_points
from assay.views.plots._style import Style, empty_chart

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign
    from assay.measures import Measure
    from assay.model.arrays import Floats, Ints

SOURCE = None
NAME = "name"
"""Value of *order* that sorts the runs by name."""
CHOICES = {"order": (NAME, "MEASURE")}
MIN_WIDTH, GAP, PANEL_HEIGHT, NAME_HEIGHT = 104, 12, 58, 17
"""Pixels: minimum width of a panel, gap between panels, height of a panel and of the name above it."""
_TOLERANCE = 0.008  # maximum error of a simplified curve as a fraction of the height of a panel: less than a pixel


def data(
    source: Campaign,
    *,
    topic: str | None = None,
    order: str = "Twist",
    depth: int | None = None,
    length: str = "extend",
) -> Data:
    """Tabulate one row per point of each curve; points that the shape of the curve does not need are omitted.

    The columns are topic, run, place (from 1), archetype, twist, measure (by which runs are sorted; null if they are
    sorted by name), value (of this measure; null if undefined), r (the number of relevant documents), rank and crp. The
    default topic is the first one with relevant documents.
    """
    reject_expected_ties(source.policies.ties, "a curve needs an order")
    check_rel(1, source.judgments.levels)
    sort_measure = None if order == NAME else parse_measure(order)
    topic_index = _first_topic(source) if topic is None else find_topic(topic, source.topics, source.provenance)
    frame = _tabulate(source, topic_index, sort_measure, EffortSettings(depth, length))
    return Data(frame, source.notes, source.provenance)


def _tabulate(
    campaign: Campaign, topic_index: int, sort_measure: Measure | None, setting: EffortSettings
) -> pl.DataFrame:
    runs, topics = campaign.runs, campaign.topics
    judged = campaign.judged.select_rankings(topic_index + np.arange(len(runs)) * len(topics))
    curves = Curves.from_judged(judged, setting)
    twist = compute_values(Twist(cutoff=setting.depth, length=setting.length), judged).value
    value = np.full(len(runs), np.nan) if sort_measure is None else compute_values(sort_measure, judged).value
    runs_frame = pl.DataFrame(
        {
            "topic": [topics[topic_index]] * len(runs),
            "run": pl.Series(runs, dtype=pl.String),
            "place": _rank_runs(runs, value, sort_measure),
            "archetype": pl.Series([*effort_archetypes.NAMES, None]).gather(
                effort_archetypes.classify_curves(curves) % (len(effort_archetypes.NAMES) + 1)
            ),
            "twist": twist,
            "measure": pl.Series([None if sort_measure is None else str(sort_measure)] * len(runs), dtype=pl.String),
            "value": value,
            "r": curves.recall_base,
        }
    ).with_columns(pl.col("twist", "value").fill_nan(None))
    crp = compute_heights(curves)[:, : setting.depth]
    roots = np.sign(crp) * np.sqrt(np.abs(crp))
    span = float(np.ptp(roots)) if crp.size else 0.0
    ranking, rank = np.nonzero(
        select_points(roots, np.sqrt(np.arange(crp.shape[1]) + 0.5), tolerance=_TOLERANCE, span=span)
    )
    points = runs_frame[ranking].with_columns(rank=pl.Series(rank + 1), crp=pl.Series(crp[ranking, rank]))
    return points.sort("place", "rank")


def _first_topic(campaign: Campaign) -> int:
    """Return the index of the first topic with relevant documents; 0 if there is none."""
    qrels = campaign.judgments
    return int(np.argmax(qrels.counts[:, qrels.levels >= 1].sum(axis=1) > 0))


def _rank_runs(runs: tuple[str, ...], value: Floats, measure: Measure | None) -> Ints:
    """Return the place of each run: by name, or by value with the best run first and runs without a value last."""
    cost = value if measure is not None and measure.lower_is_better else -value
    order = sorted(range(len(runs)), key=lambda i: runs[i]) if measure is None else np.argsort(cost, kind="stable")
    place = np.empty(len(runs), dtype=np.int64)
    place[order] = np.arange(1, len(runs) + 1)
    return place


class _TopicGrid(NamedTuple):
    """Layout of the panels: number of panels per row, and in pixels the width of a panel and height of the legend."""

    columns: int
    panel_width: float
    legend_height: int

    @classmethod
    def fit(cls, runs: int, width: int, legend_height: int) -> _TopicGrid:
        """Return the layout for a number of runs in a figure of *width* pixels."""
        columns = max(1, min(runs, int((width + GAP) // (MIN_WIDTH + GAP))))
        return cls(columns, min(180, (width - GAP * (columns - 1)) / columns), legend_height)

    def left_edge(self, place: pl.Expr) -> pl.Expr:
        """Return the left end of a panel; *place* counts the panels from 1."""
        return (place - 1) % self.columns * (self.panel_width + GAP)

    def top_edge(self, place: pl.Expr) -> pl.Expr:
        """Return the upper end of a panel; *place* counts the panels from 1."""
        row = (place - 1) // self.columns
        return self.legend_height + NAME_HEIGHT + row * (NAME_HEIGHT + PANEL_HEIGHT + GAP)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw all panels in one chart, because a browser would need seconds for a hundred separate charts."""
    if frame.is_empty():
        return empty_chart("no ranking", style)
    if not frame["r"].max():
        return empty_chart("the topic has no relevant documents", style)
    available = style.total_width(720) - 14
    runs = frame.group_by("run", maintain_order=True).agg(
        pl.first("place", "archetype", "twist", "measure", "value", "r"), end=pl.last("crp")
    )
    legend, legend_height = _legend(runs, available, style)
    grid = _TopicGrid.fit(len(runs), available, legend_height)
    low, high, length = frame.select(pl.min("crp"), pl.max("crp").alias("high"), pl.max("rank")).row(0)
    upper, span = (_root(high), _root(high) - _root(low)) if low < high else (0.5, 1)
    place, colours = pl.col("place"), archetype_colours(style)
    roots = pl.col("crp").sign() * pl.col("crp").abs().sqrt()
    points = frame.select(
        x=(grid.left_edge(place) + _rank_fraction(pl.col("rank"), length) * grid.panel_width).round(1),
        y=(grid.top_edge(place) + (upper - roots) / span * PANEL_HEIGHT).round(1),
        run="place",
        colour=pl.col("archetype").replace_strict(colours, default=colours["worst"]),
    )
    layers = [*legend, *_panel_frames(runs, grid, upper / span, length), *_names(runs, grid)]
    channels = {"x": pixels("x"), "y": pixels("y"), "detail": nominal("run"), "stroke": nominal("colour", scale=None)}
    layers.append(layer(points, "line", {"strokeWidth": 1.4, "strokeJoin": "round"}, **channels))
    width = round(min(grid.columns, len(runs)) * (grid.panel_width + GAP) - GAP)
    title = alt.Title(f"topic {frame['topic'][0]}", subtitle=_subtitle(frame, low, high, length), limit=available)
    rows = math.ceil(len(runs) / grid.columns)
    height = legend_height + rows * (NAME_HEIGHT + PANEL_HEIGHT + GAP) - GAP
    return alt.layer(*layers, width=width, height=height, title=title)


def _root(height: float) -> float:
    return math.copysign(math.sqrt(abs(height)), height)


def _rank_fraction(rank: pl.Expr, length: int) -> pl.Expr:
    """Return the position of a rank as a fraction of the width of a panel."""
    return ((rank - 0.5) / length).sqrt()


def _subtitle(frame: pl.DataFrame, low: float, high: float, length: int) -> list[str]:
    """Return the ranges of the shared axes, the number of runs and their order."""
    measure = frame["measure"][0]
    order = NAME if measure is None else measure
    return [
        f"CRP from {low:,.0f} to {high:,.0f}, ranks 1 to {length:,}, R = {frame['r'][0]:,}".replace("-", "−"),
        f"{pluralize(frame['run'].n_unique(), 'run')}, sorted by {order}",
    ]


def _legend(runs: pl.DataFrame, available: int, style: Style) -> tuple[list[Any], int]:
    """Return a legend with the number of runs of each archetype, and its height."""
    counts = dict(runs.group_by("archetype").len().iter_rows())
    entries, x, y = [], 0, 4
    for archetype, colour in archetype_colours(style).items():
        if archetype not in counts:
            continue
        text = f"{archetype} ({counts[archetype]})"
        width = 26 + 6 * len(text)
        if x and x + width > available:
            x, y = 0, y + 15
        entries.append({"text": text, "x": x, "y": y, "colour": colour})
        x += width
    return legend_layers(entries, pixels("y")), y + 14


def _panel_frames(runs: pl.DataFrame, grid: _TopicGrid, zero: float, length: int) -> list[Any]:
    """Return layers for all panels: zero lines, lines at rank R if R is in range, and highlights with tooltips."""
    left, upper = grid.left_edge(pl.col("place")), grid.top_edge(pl.col("place"))
    panels = runs.select(
        *("run", "archetype", "twist", "value", "end"),
        x=left.round(1),
        x2=(left + grid.panel_width).round(1),
        top=upper - NAME_HEIGHT,
        bottom=upper + PANEL_HEIGHT,
        upper=upper,
        axis=upper + round(zero * PANEL_HEIGHT, 1),
        upright=(left + _rank_fraction(pl.col("r"), length) * grid.panel_width).round(1),
    )
    measure = runs["measure"][0]
    tooltip = [nominal("run"), nominal("archetype"), quantitative("twist", title="Twist", format=".4f")]
    tooltip += [] if measure in (None, "Twist") else [quantitative("value", title=measure, format=".4f")]
    tooltip += [quantitative("end", title="CRP at the end", format=",")]
    hovered = alt.selection_point(name="over", fields=["run"], on="pointerover", clear="pointerout", empty=False)
    opacity = {"condition": {"param": "over", "empty": False, "value": 0.8}, "value": 0}
    x, x2, y2 = pixels("x"), {"field": "x2"}, {"field": "bottom"}
    box = {"x": x, "x2": x2, "y": pixels("top"), "y2": y2, "opacity": opacity, "tooltip": tooltip}
    layers = [
        layer(panels, "rect", {"style": "soft"}, **box).add_params(hovered),
        layer(panels, "rule", {"strokeWidth": 0.7}, x=x, x2=x2, y=pixels("axis")),
    ]
    if runs["r"][0] <= length:
        layers.append(layer(panels, "rule", {"style": "reference"}, x=pixels("upright"), y=pixels("upper"), y2=y2))
    return layers


def _names(runs: pl.DataFrame, grid: _TopicGrid) -> list[Any]:
    """Draw the name of each run, and its value to the right."""
    short = shorten_names(runs["run"], max_characters(grid.panel_width - 30))
    left = grid.left_edge(pl.col("place")).round(1)
    names = runs.select(
        name=pl.col("run").replace_strict(short, return_dtype=pl.String),
        value=pl.Series(["" if value is None else f"{value:.2f}" for value in runs["value"]], dtype=pl.String),
        x=left,
        x2=left + grid.panel_width,
        y=grid.top_edge(pl.col("place")) - 8,
    )
    return [
        text_layer(names, pixels("x"), pixels("y"), "label", "name", align="left", fontSize=10),
        text_layer(names, pixels("x2"), pixels("y"), "muted", "value", align="right", fontSize=10),
    ]
