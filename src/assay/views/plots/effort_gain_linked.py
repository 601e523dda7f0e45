"""Effort against gain, with the CRP and DCG curves of selected points.

Rankings with the same gain may demand very different effort. The curves explain the numbered points. Cumulated relative
position (CRP) falls while better documents are missing and rises when they come late. The DCG curve is shown with the
DCG curve of the ideal ranking (grey). The dotted line is rank R, the number of relevant documents. Each curve has a
separate scale. By default one point of each class is selected: the point nearest to the medians of the cell with the
highest gain. If two cells have the highest gain, the cell with more points is used. ``--points columns`` selects one
point of each column, from huge to low effort, with almost the same gain: the points nearest to the median gain of the
sparsest cell in the highest row that has points in most columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay.effort._against_gain import CLASSES, EFFORT, GAIN, against_gain, effort_settings, parse_effort_measure
from assay.effort._curve import tabulate_curve
from assay.errors import InputError
from assay.results.names import shorten
from assay.views.plots import effort_gain as scatter
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import CHARACTER_WIDTH, add_short_names, max_characters
from assay.views.plots._figures import Data
from assay.views.plots._selection import find_run, find_topic
from assay.views.plots._series import panels_per_row
from assay.views.plots._simplification import simplify
from assay.views.plots._style import Style, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign
    from assay.model.relative_position import EffortSettings

SOURCE = "Ferro et al. (2016), Fig. 11"
MAX_POINTS = 8
"""Maximum number of selected points."""
COLUMNS = "columns"
POINTS, CRP, DCG = "points", "crp", "dcg"
_SAME_GAIN = 0.02  # gains that differ by less than this fraction of their range count as equal
_HEIGHT = 72
_AXIS = 56


class SelectedPoint(NamedTuple):
    """A selected point and its complete curve."""

    run: str
    topic: str
    curve: pl.DataFrame


def data(
    source: Campaign,
    *,
    measure: str = "nDCG",
    twist: str = "Twist",
    points: str | Sequence[str] | None = None,
    gain: str = "DCG",
) -> Data:
    """Tabulate all points, then the curves of the selected points.

    The columns are panel (points, crp or dcg), number (of a selected point; else null), run, topic, measure, x (Twist
    or rank), y (gain, CRP or DCG), ideal (y of the ideal ranking) and r (the number of relevant documents). Points also
    have row, column, class, archetype, q1, q2 and q3, as in the figure effort-gain.
    """
    effort = parse_effort_measure(twist)
    grid = against_gain(source, measure, twist=effort)
    if points is None:
        pairs = typical_points(grid.points())
    elif points == COLUMNS or list(points) == [COLUMNS]:
        pairs = column_points(grid.points())
    else:
        pairs = _parse_points(points, source)
    selected = [SelectedPoint(*pair, _curve(source, *pair, effort_settings(effort), gain)) for pair in pairs]
    all_points = scatter.data(grid)
    return Data(_tabulate(all_points.frame, selected, gain), all_points.notes, all_points.provenance)


def _parse_points(points: str | Sequence[str], campaign: Campaign) -> list[tuple[str, str]]:
    """Return run and topic of points in the notation RUN:TOPIC; names may contain colons."""
    texts = [points] if isinstance(points, str) else list(points)
    if not 0 < len(texts) <= MAX_POINTS:
        raise InputError(f"points: name 1 to {MAX_POINTS} points, such as bm25:401, got {len(texts)}")
    return list(dict.fromkeys(_parse_point(text, campaign) for text in texts))


def _parse_point(text: str, campaign: Campaign) -> tuple[str, str]:
    runs, topics = campaign.runs, campaign.topics
    colons = [i for i, character in enumerate(text) if character == ":"]
    for i in reversed(colons):
        if text[:i] in runs and text[i + 1 :] in topics:
            return text[:i], text[i + 1 :]
    if not colons:
        raise InputError(f"points: write RUN:TOPIC, such as {runs[0]}:{topics[0]}, got {text}")
    run, _, topic = text.rpartition(":")
    run = find_run(run, runs, campaign.provenance)
    return run, topics[find_topic(topic, topics, campaign.provenance)]


def typical_points(points: pl.DataFrame) -> list[tuple[str, str]]:
    """Return a run and topic for each class that has points, in the order of ``CLASSES``."""
    by_class = (points.filter(pl.col("class") == name) for name in CLASSES)
    return [_central_point(_highest_cell(class_points)) for class_points in by_class if len(class_points)]


def column_points(points: pl.DataFrame) -> list[tuple[str, str]]:
    """Return a run and topic for each effort column, from huge to low effort, all with about the same gain."""
    if points.is_empty():
        return []
    rows_of_gain = [points.filter(pl.col("row") == name) for name in reversed(GAIN)]
    # ``max`` returns the first of equal values, so the highest of the rows with the most columns.
    gain_row = max(rows_of_gain, key=lambda row: row["column"].n_unique())
    cells = [cell for name in EFFORT if len(cell := gain_row.filter(pl.col("column") == name))]
    # The sparsest cell has the fewest gains to choose from.
    target = min(cells, key=len)["gain"].median()
    step = _SAME_GAIN * float(np.ptp(points["gain"].to_numpy())) or 1.0
    distance = ((pl.col("gain") - target).abs() / step).floor()
    # Among points with about the same gain, the one with the median effort is typical of its column.
    effort = (pl.col("twist") - pl.col("twist").median()).abs()
    nearest = (cell.sort(distance, effort, maintain_order=True).select("run", "topic").row(0) for cell in cells)
    return [(run, topic) for run, topic in nearest]


def _highest_cell(points: pl.DataFrame) -> pl.DataFrame:
    """Return the points of the cell with the highest gain; if there are several, of the one with the most points."""
    top_row = next(row for name in reversed(GAIN) if len(row := points.filter(pl.col("row") == name)))
    return max(top_row.partition_by("column", maintain_order=True), key=len)


def _central_point(points: pl.DataFrame) -> tuple[str, str]:
    """Return run and topic of the point nearest to the medians of effort and gain, relative to their ranges."""
    position = points.select("twist", "gain").to_numpy()
    span = np.ptp(position, axis=0)
    distance = np.abs(position - np.median(position, axis=0)) / np.where(span > 0, span, 1)
    run, topic = points.select("run", "topic").row(int(distance.sum(axis=1).argmin()))
    return run, topic


def _curve(campaign: Campaign, run: str, topic: str, setting: EffortSettings, gain: str) -> pl.DataFrame:
    index = campaign.runs.index(run) * len(campaign.topics) + campaign.topics.index(topic)
    ranking = campaign.judged.select_rankings(np.array([index]))
    unnamed = [""] * int(ranking.length[0])
    return tabulate_curve(ranking, unnamed, depth=setting.depth, length=setting.length, gain=gain, rel=setting.rel)


def _tabulate(all_points: pl.DataFrame, selected: Sequence[SelectedPoint], gain: str) -> pl.DataFrame:
    numbers_by_point = {(point.run, point.topic): number for number, point in enumerate(selected, 1)}
    points = all_points.drop("collection").rename({"twist": "x", "gain": "y"})
    point_numbers = [numbers_by_point.get(key) for key in points.select("run", "topic").iter_rows()]
    scatter_rows = points.with_columns(
        panel=pl.lit(POINTS),
        number=pl.Series(point_numbers, dtype=pl.Int64),
        ideal=pl.lit(None, pl.Float64),
        r=pl.lit(None, pl.Int64),
    )
    curves = [_curve_rows(point, number, gain) for number, point in enumerate(selected, 1)]
    first_columns = ["panel", "number", "run", "topic", "measure", "x", "y", "ideal", "r"]
    frame = pl.concat([scatter_rows, *curves], how="diagonal")
    return frame.select(*first_columns, pl.exclude(first_columns))


def _curve_rows(point: SelectedPoint, number: int, gain: str) -> pl.DataFrame:
    relevant = int((point.curve["ideal"] > 0).sum())
    panels = [
        point.curve.select(
            panel=pl.lit(panel),
            number=pl.lit(number, pl.Int64),
            run=pl.lit(point.run),
            topic=pl.lit(point.topic),
            measure=pl.lit(name),
            x=pl.col("rank").cast(pl.Float64),
            y=pl.col(column).cast(pl.Float64),
            ideal=ideal,
            r=pl.lit(relevant, pl.Int64),
        )
        for panel, name, column, ideal in ((CRP, "CRP", "crp", pl.lit(0.0)), (DCG, gain, "dcg", pl.col("ideal_dcg")))
    ]
    return pl.concat(panels)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw the scatter plot, and a pair of curves for each selected point."""
    points = frame.filter(pl.col("panel") == POINTS)
    if points.is_empty():
        return empty_chart("no run and topic has both an effort and a gain", style)
    total_width = style.total_width(720)
    curves = frame.filter(pl.col("panel") != POINTS).partition_by("number", maintain_order=True)
    side_by_side = total_width >= 600 and bool(curves)
    left = round(0.46 * total_width) if side_by_side else min(total_width, 560)
    right = total_width - left if side_by_side else total_width
    columns = panels_per_row(len(curves), right, 270 if total_width >= 900 else 150)
    line_count = -(-len(curves) // columns)
    height = max(line_count * (2 * _HEIGHT + 92) - 110, 180) if side_by_side else None
    plot = _scatter(points, left, style, height)
    if not curves:
        return plot
    selected = points.filter(pl.col("number").is_not_null())
    width = right // columns - _AXIS - 12
    labelled = _add_short_names(pl.concat(curves), width).partition_by("number", maintain_order=True)
    panels = alt.concat(*(_pair(curve, selected, width, style) for curve in labelled), columns=columns, spacing=14)
    return alt.hconcat(plot, panels, spacing=16) if side_by_side else alt.vconcat(plot, panels, spacing=16)


def _scatter(points: pl.DataFrame, available: int, style: Style, height: int | None) -> alt.VConcatChart:
    width = available - scatter.AXIS - scatter.NAMES - 6
    frame = points.rename({"x": "twist", "y": "gain"}).with_columns(pinned=pl.col("number").fill_null(0))
    panel = scatter.panel(frame, width, scatter.gain_domain(frame), style, height=height)
    return alt.vconcat(panel, scatter.legend(frame, width, style), spacing=8)


def _add_short_names(curves: pl.DataFrame, width: int) -> pl.DataFrame:
    """Add short names of runs and topics that fit above a pair of curves."""
    with_topics = add_short_names(curves, "topic", 12 * CHARACTER_WIDTH)
    longest = max(map(len, with_topics["short_topic"].unique()))
    return add_short_names(with_topics, "run", ((width + _AXIS) // 7 - longest - 5) * CHARACTER_WIDTH)


def _pair(curves: pl.DataFrame, selected: pl.DataFrame, width: int, style: Style) -> alt.VConcatChart:
    """Draw CRP above DCG, with the name of the point as title."""
    title, subtitle = _title(curves, selected.filter(pl.col("number") == curves["number"][0]), width)
    ranks = alt.Scale(domain=[0, max(float(np.max(curves["x"].to_numpy(), initial=1)), 1)], nice=False)
    panels = [
        _curves(curve, ranks, width, style, is_last=name == DCG)
        for name in (CRP, DCG)
        if not (curve := curves.filter(pl.col("panel") == name)).is_empty()
    ]
    text = alt.Title(title, subtitle=subtitle, offset=4, frame="bounds")
    return alt.vconcat(*panels, spacing=4, title=text)


def _title(curves: pl.DataFrame, point: pl.DataFrame, width: int) -> tuple[str, str | list[str]]:
    """Return the title of a point and its values, which are in two lines if they do not fit into one."""
    number, run, topic = curves["number"][0], curves["short_run"][0], curves["short_topic"][0]
    prefix = "topic " if len(run) + len(topic) + 11 <= (width + _AXIS) // 7 else ""
    name = f"{number}  {run}, {prefix}{topic}"
    if point.is_empty():
        return name, ""
    twist, gain, measure = point.select("x", "y", "measure").row(0)
    values = [f"Twist {twist:.2f}", f"{measure} {gain:.2f}"]
    if 5.7 * len(", ".join(values)) <= width + _AXIS:
        return name, ", ".join(values)
    room = max_characters(width + _AXIS) - len(f" {gain:.2f}")
    return name, [values[0], f"{shorten(measure, room)} {gain:.2f}"]


def _curves(curve: pl.DataFrame, ranks: alt.Scale, width: int, style: Style, *, is_last: bool) -> Any:
    """Draw a curve and its ideal curve; only the last panel of a pair has ticks and a title on its x axis."""
    measure = curve["measure"][0]
    ticks = {} if is_last else {"labels": False, "ticks": False}
    x_axis = alt.Axis(tickCount=3, grid=False, **ticks)  # type: ignore[arg-type]
    x = alt.X("x:Q", scale=ranks, title="rank" if is_last else None, axis=x_axis)
    y_axis = alt.Axis(tickCount=3, format=",~f", labelFlush=True, minExtent=34)
    y = alt.Y("y:Q", title=shorten(measure, 11), axis=y_axis, scale=alt.Scale(nice=False, zero=True))
    rank, height = alt.Tooltip("x:Q", title="rank"), alt.Tooltip("y:Q", title=measure, format=".4~f")
    actual_line, ideal_line = (
        alt.Chart(rows(simplify(curve.select("run", "topic", "x", column), column, most=200)))
        for column in ("y", "ideal")
    )
    relevant = alt.Chart(rows(curve.select("r").head(1))).mark_rule(style="reference", strokeDash=[1, 3])
    colour = style.colours.early if is_last else style.colours.late
    fields = tooltip("run:N", "topic:N", rank, height)
    return alt.layer(
        relevant.encode(alt.X("r:Q", scale=ranks)),
        ideal_line.mark_line(style="reference", strokeDash=[1, 0]).encode(x, alt.Y("ideal:Q")),
        actual_line.mark_line(strokeWidth=1.6, color=colour).encode(x, y, fields),
        width=width,
        height=_HEIGHT,
    )
