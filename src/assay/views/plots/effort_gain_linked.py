"""Effort against gain, and the curves behind a few of the points: CRP and DCG rank by rank.

Rankings with the same gain may cost their user quite different effort. The numbered points are looked at closely: CRP,
the cumulated relative position, falls while relevant documents are missing from where they belong and rises when they
come late; DCG is shown beside that of the ideal ranking. A dotted line is at rank R, the number of relevant documents.
Every curve has a scale of its own. Unless points are named, one of each class is chosen: from the cell of the class
with the most gain (of two such cells the fuller one), the point nearest to the medians of the cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay.effort._against_gain import CLASSES, GAIN, against_gain, effort_measure, effort_setting
from assay.effort._curve import tabulate_curve
from assay.errors import InputError
from assay.results.names import shorten
from assay.views.plots import effort_gain as scatter
from assay.views.plots._bands import LETTER, add_short_names
from assay.views.plots._choice import run_named, topic_named
from assay.views.plots._figures import Data
from assay.views.plots._series import columns as in_a_row
from assay.views.plots._style import Style, altair, nothing, rows
from assay.views.plots._thinning import thinned

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign
    from assay.model.relative_position import Setting

SOURCE = "Ferro et al. (2016), Fig. 11"
MOST = 8
"""Points that are looked at."""
POINTS, CRP, DCG = "points", "crp", "dcg"
_HEIGHT = 72
_AXIS = 56


class Look(NamedTuple):
    """A point that is looked at, and its whole curve."""

    run: str
    topic: str
    curve: pl.DataFrame


def data(
    source: Campaign,
    *,
    measure: str = "nDCG",
    twist: str = "Twist",
    points: Sequence[str] | None = None,
    gain: str = "DCG",
) -> Data:
    """Tabulate all points, and the curves of those that are looked at, one after the other.

    Columns panel (points, crp or dcg), number (of what is looked at; else null), run, topic, measure, x (Twist, or the
    rank), y (gain, CRP or DCG), ideal (of a curve), r (its number of relevant documents), and for points row, column,
    class, archetype, q1, q2, q3 as in the figure effort-gain.
    """
    effort = effort_measure(twist)
    grid = against_gain(source, measure, twist=effort)
    chosen = typical_points(grid.points()) if points is None else _parse_points(points, source)
    looks = [Look(*one, _curve(source, *one, effort_setting(effort), gain)) for one in chosen]
    every = scatter.data(grid)
    return Data(_tabulate(every.frame, looks, gain), every.notes, every.provenance)


def _parse_points(points: Sequence[str], campaign: Campaign) -> list[tuple[str, str]]:
    """Return run and topic of points that are written RUN:TOPIC; names may contain colons."""
    written = [points] if isinstance(points, str) else list(points)
    if not 0 < len(written) <= MOST:
        raise InputError(f"points: name 1 to {MOST}, such as bm25:401, got {len(written)}")
    return list(dict.fromkeys(_parse_point(text, campaign) for text in written))


def _parse_point(text: str, campaign: Campaign) -> tuple[str, str]:
    runs, topics = campaign.runs, campaign.topics
    places = [i for i, sign in enumerate(text) if sign == ":"]
    for i in reversed(places):
        if text[:i] in runs and text[i + 1 :] in topics:
            return text[:i], text[i + 1 :]
    if not places:
        raise InputError(f"points: write RUN:TOPIC, such as {runs[0]}:{topics[0]}, got {text}")
    run, _, topic = text.rpartition(":")
    run = run_named(run, runs, campaign.provenance)
    return run, topics[topic_named(topic, topics, campaign.provenance)]


def typical_points(points: pl.DataFrame) -> list[tuple[str, str]]:
    """Return a run and topic of each class that has any, in the order of ``CLASSES``."""
    return [_nearest(_cell(some)) for name in CLASSES if len(some := points.filter(pl.col("class") == name))]


def _cell(points: pl.DataFrame) -> pl.DataFrame:
    """Return the points of the cell with the most gain; of two the fuller one, then that of more effort."""
    top = next(rest for name in reversed(GAIN) if len(rest := points.filter(pl.col("row") == name)))
    return max(top.partition_by("column", maintain_order=True), key=len)


def _nearest(points: pl.DataFrame) -> tuple[str, str]:
    place = points.select("twist", "gain").to_numpy()
    span = np.ptp(place, axis=0)
    off = np.abs(place - np.median(place, axis=0)) / np.where(span > 0, span, 1)
    run, topic = points.select("run", "topic").row(int(off.sum(axis=1).argmin()))
    return run, topic


def _curve(campaign: Campaign, run: str, topic: str, setting: Setting, gain: str) -> pl.DataFrame:
    number = campaign.runs.index(run) * len(campaign.topics) + campaign.topics.index(topic)
    one = campaign.judged.only(np.array([number]))
    unnamed = [""] * int(one.length[0])
    return tabulate_curve(one, unnamed, depth=setting.depth, length=setting.length, gain=gain, rel=setting.rel)


def _tabulate(every: pl.DataFrame, looks: Sequence[Look], gain: str) -> pl.DataFrame:
    order = {(look.run, look.topic): number for number, look in enumerate(looks, 1)}
    points = every.drop("collection").rename({"twist": "x", "gain": "y"})
    numbers = [order.get(key) for key in points.select("run", "topic").iter_rows()]
    own = points.with_columns(pl.lit(POINTS).alias("panel"), pl.Series("number", numbers, dtype=pl.Int64))
    curves = [_long(look, number, gain) for number, look in enumerate(looks, 1)]
    order_of_columns = ["panel", "number", "run", "topic", "measure", "x", "y", "ideal", "r"]
    frame = pl.concat(
        [own.with_columns(ideal=pl.lit(None, pl.Float64), r=pl.lit(None, pl.Int64)), *curves], how="diagonal"
    )
    return frame.select(*order_of_columns, pl.exclude(order_of_columns))


def _long(look: Look, number: int, gain: str) -> pl.DataFrame:
    relevant = int((look.curve["ideal"] > 0).sum())
    both = [
        look.curve.select(
            panel=pl.lit(panel),
            number=pl.lit(number, pl.Int64),
            run=pl.lit(look.run),
            topic=pl.lit(look.topic),
            measure=pl.lit(name),
            x=pl.col("rank").cast(pl.Float64),
            y=pl.col(column).cast(pl.Float64),
            ideal=ideal,
            r=pl.lit(relevant, pl.Int64),
        )
        for panel, name, column, ideal in ((CRP, "CRP", "crp", pl.lit(0.0)), (DCG, gain, "dcg", pl.col("ideal_dcg")))
    ]
    return pl.concat(both)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """The scatter, and a pair of curves for each of the points that are looked at."""
    alt = altair()
    points = frame.filter(pl.col("panel") == POINTS)
    if points.is_empty():
        return nothing("no run and topic has both an effort and a gain", style)
    room = style.room(720)
    looks = frame.filter(pl.col("panel") != POINTS).partition_by("number", maintain_order=True)
    wide = room >= 600 and bool(looks)
    left = round(0.46 * room) if wide else min(room, 560)
    right = room - left if wide else room
    many = in_a_row(len(looks), right, 270 if room >= 900 else 150)
    lines = -(-len(looks) // many)
    tall = max(lines * (2 * _HEIGHT + 92) - 110, 180) if wide else None
    plot = _scatter(points, left, style, tall)
    if not looks:
        return plot  # type: ignore[no-any-return]
    chosen = points.filter(pl.col("number").is_not_null())
    width = right // many - _AXIS - 12
    named = _add_short_names(pl.concat(looks), width).partition_by("number", maintain_order=True)
    small = alt.concat(*(_pair(one, chosen, width, style) for one in named), columns=many, spacing=14)
    return (alt.hconcat if wide else alt.vconcat)(plot, small, spacing=16)  # type: ignore[no-any-return]


def _scatter(points: pl.DataFrame, room: int, style: Style, height: int | None) -> Any:
    width = room - scatter.AXIS - scatter.NAMES - 6
    frame = points.rename({"x": "twist", "y": "gain"}).with_columns(pinned=pl.col("number").fill_null(0))
    drawn = scatter.panel(frame, width, scatter.limits(frame), style, height=height)
    return altair().vconcat(drawn, scatter.strip(frame, width, style), spacing=8)


def _add_short_names(looks: pl.DataFrame, width: int) -> pl.DataFrame:
    """Add short forms of runs and topics that fit above a pair of curves."""
    named = add_short_names(looks, "topic", 12 * LETTER)
    longest = max(map(len, named["short_topic"].unique()))
    return add_short_names(named, "run", ((width + _AXIS) // 7 - longest - 5) * LETTER)


def _pair(look: pl.DataFrame, chosen: pl.DataFrame, width: int, style: Style) -> Any:
    """CRP above DCG, under the name of the point."""
    alt = altair()
    number = look["number"][0]
    title, subtitle = _title(look, chosen.filter(pl.col("number") == number), width)
    crp, dcg = (look.filter(pl.col("panel") == name) for name in (CRP, DCG))
    ranks = alt.Scale(domain=[0, max(float(np.max(look["x"].to_numpy(), initial=1)), 1)], nice=False)
    both = [
        _curves(one, ranks, style, last).properties(width=width, height=_HEIGHT)
        for one, last in ((crp, False), (dcg, True))
        if not one.is_empty()
    ]
    text = alt.Title(title, subtitle=subtitle, offset=4, frame="bounds")
    return alt.vconcat(*both, spacing=4, title=text)


def _title(look: pl.DataFrame, point: pl.DataFrame, width: int) -> tuple[str, str]:
    number, run, topic = look["number"][0], look["short_run"][0], look["short_topic"][0]
    word = "topic " if len(run) + len(topic) + 11 <= (width + _AXIS) // 7 else ""
    name = f"{number}  {run}, {word}{topic}"
    if point.is_empty():
        return name, ""
    twist, gain, measure = point.select("x", "y", "measure").row(0)
    values = f"Twist {twist:.2f}, {shorten(measure, 16)} {gain:.2f}"
    return name, values if 5.7 * len(values) <= width + _AXIS else f"{twist:.2f}, {gain:.2f}"


def _curves(one: pl.DataFrame, ranks: Any, style: Style, last: bool) -> Any:
    alt = altair()
    measure = one["measure"][0]
    ticks = alt.Axis(tickCount=3, grid=False, **({} if last else {"labels": False, "ticks": False}))
    x = alt.X("x:Q", scale=ranks, title="rank" if last else None, axis=ticks)
    y = alt.Y(
        "y:Q",
        title=shorten(measure, 11),
        axis=alt.Axis(tickCount=3, format=",~f", labelFlush=True, minExtent=34),
        scale=alt.Scale(nice=False, zero=True),
    )
    tip = ["run:N", "topic:N", alt.Tooltip("x:Q", title="rank"), alt.Tooltip("y:Q", title=measure, format=".4~f")]
    base = alt.Chart(rows(_fewer(one, "y"))).encode(x=x, y=y, tooltip=tip)
    ideal = alt.Chart(rows(_fewer(one, "ideal"))).mark_line(style="reference", strokeDash=[1, 0])
    relevant = alt.Chart(rows(one.select("r").head(1))).mark_rule(style="reference", strokeDash=[1, 3])
    colour = style.colours.early if last else style.colours.late
    return alt.layer(
        relevant.encode(x=alt.X("r:Q", scale=ranks)),
        ideal.encode(x=x, y=alt.Y("ideal:Q")),
        base.mark_line(strokeWidth=1.6, color=colour),
    )


def _fewer(one: pl.DataFrame, column: str) -> pl.DataFrame:
    """Select the points that the shape of a curve needs."""
    kept = thinned(one[column].to_numpy()[None, :], most=200)[0]
    return one.select("run", "topic", "x", column).filter(pl.Series(kept))
