"""Effort against gain: one point per run and topic on a grid of 16 cells.

The x axis is Twist, the effort that a ranking avoids. The y axis is a measure of gain. The columns of the grid end at
0.25, 0.5 and 0.75; the rows end at the quartiles of the gain over all points. Each cell shows its percentage of the
points. The colour of a cell shows how effort and gain are related, not how good the cell is. In the cells on the
diagonal, effort and gain agree: they range from low gain at high effort to high gain at low effort. In the gray cells,
they nearly agree. In the high-high cells, gain and effort are both high; a measure of gain alone does not reveal this
effort. In the other cells, gain and effort are both low. Good systems lie in the four cells at the upper right, which
are outlined.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.effort import archetypes
from assay.effort._against_gain import CLASSES, EFFORT, GAIN, GRID, UPPER_RIGHT, EffortGain, against_gain
from assay.views.plots._altair import alt
from assay.views.plots._figures import Data
from assay.views.plots._series import panels_per_row
from assay.views.plots._style import Style, decimals, empty_chart, rows, spread_positions, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign
    from assay.model.arrays import Ints

SOURCE = "Ferro et al. (2016), Figs. 7-10"
HAS_HEIGHT = True
AXIS, NAMES = 48, 70
"""Pixels beside a panel: the axis to the left, the names of the rows to the right."""
BINS, MIN_DENSE = 40, 3
"""Number of bins on each axis of a density, and the number of points of a bin that is drawn as a square."""
_EDGES = (0.0, 0.25, 0.5, 0.75, 1.0)
_LINE_HEIGHT = 13  # distance between adjacent labels, in pixels
_NEUTRAL = CLASSES.index("gray")


def data(
    source: Campaign | EffortGain,
    *,
    measure: str = "AP",
    twist: str = "Twist",
    collection: str | None = None,
) -> Data:
    """Tabulate each run and topic with both an effort and a gain, for the first measure of gain.

    The columns are run, topic, measure (of gain), twist, gain, the row, column and class of the cell, archetype (of the
    curve; null if unknown), collection, and q1, q2 and q3, the quartiles that separate the rows of the grid.
    Concatenate the frames of several collections to draw them as panels.
    """
    grid = source if isinstance(source, EffortGain) else against_gain(source, measure, twist=twist)
    mask = (grid.row[0] >= 0) & (grid.column >= 0)
    points = grid.points().head(int(mask.sum()))  # the points of the first measure come first
    names = pl.Series([*archetypes.NAMES, None], dtype=pl.String)
    index = np.full(len(points), archetypes.NONE) if grid.archetypes is None else grid.archetypes[mask]
    frame = points.with_columns(
        names.gather(index % len(names)).alias("archetype"),
        pl.lit(collection, dtype=pl.String).alias("collection"),
        *(pl.lit(edge).alias(f"q{i}") for i, edge in enumerate(grid.quartiles[0].tolist(), 1)),
    )
    return Data(frame, grid.notes, grid.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw the points on tinted cells, in one panel per collection.

    If the frame has a column *pinned*, points where *pinned* is true or above 0 get a ring and a number. In Vega, the
    names of the marks of points and rings begin with ``points``; the data of these marks contain the run and the topic.
    """
    if frame.is_empty():
        return empty_chart("no run and topic has both an effort and a gain", style)
    collections = frame.partition_by("collection", maintain_order=True)
    total_width = style.total_width(430 if len(collections) == 1 else 760)
    columns = panels_per_row(len(collections), total_width, 360)
    width = total_width // columns - AXIS - NAMES - (10 if columns > 1 else 0)
    domain = gain_domain(frame)
    panels = [
        alt.vconcat(
            panel(points, width, domain, style, name=f"points{number or ''}"),
            legend(points, width, style),
            spacing=8,
            title=points["collection"][0] or alt.Undefined,
        )
        for number, points in enumerate(collections)
    ]
    return panels[0] if len(panels) == 1 else alt.concat(*panels, columns=columns)


def draw_density(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw one collection with many points as densities: a square for each bin, darker if it has more points.

    The points of bins with fewer than ``MIN_DENSE`` points are drawn as dots, so that rare rankings stay visible.
    """
    width = style.total_width(430) - AXIS - NAMES
    chart = panel(frame, width, gain_domain(frame), style, density=True)
    return alt.vconcat(chart, legend(frame, width, style), spacing=8)


def gain_domain(frame: pl.DataFrame) -> tuple[float, float]:
    """Return the domain of the gain axis, which includes all points and quartiles.

    For gains between 0 and 1, the domain is 0 to 1; if all gains are at most 0.5, it ends at the next multiple of 0.1.
    """
    values = frame.select("gain", "q1", "q3").to_numpy()
    low, high = float(values.min()), float(values.max())
    if low >= 0 and high <= 1:
        return 0.0, 1.0 if high > 0.5 else max(math.ceil(high * 10) / 10, 0.1)
    return min(0.0, low), max(high, low + 1e-9)


def panel(
    frame: pl.DataFrame,
    width: int,
    domain: tuple[float, float],
    style: Style,
    *,
    name: str = "points",
    height: int | None = None,
    density: bool = False,
) -> Any:
    """Draw one collection: cells, points (or their *density*), percentages and the names of rows and columns."""
    height = height or style.plot_height(min(round(0.92 * width), 560))
    edges = [domain[0], *(min(max(q, domain[0]), domain[1]) for q in frame.select("q1", "q2", "q3").row(0)), domain[1]]
    gap = _LINE_HEIGHT * (domain[1] - domain[0]) / height
    middle = [(low + high) / 2 for low, high in pairwise(edges)]
    centres = spread_positions(middle, gap, domain[0] + gap / 2, domain[1] - gap / 2)
    x_scale, y_scale = alt.Scale(domain=[0, 1]), alt.Scale(domain=list(domain), nice=False)
    x = alt.X("twist:Q", title="Twist (avoided effort)", scale=x_scale, axis=alt.Axis(values=_EDGES, format=".2~f"))
    y = alt.Y("gain:Q", title=frame["measure"][0], scale=y_scale, axis=alt.Axis(tickCount=5))
    size, opacity = _point_style(len(frame) / (width * height))
    archetype = ["archetype"] if frame["archetype"].is_not_null().any() else []
    # Only the columns that points need, because thousands of points are sent to a page.
    dense, sparse = bin_points(frame, domain) if density else (None, frame)
    points = sparse.select("run", "topic", "twist", "gain", *archetype)
    fields = tooltip("run:N", "topic:N", *decimals("twist", gain=frame["measure"][0]), *(f"{a}:N" for a in archetype))
    circles = alt.Chart(rows(points), width=width, height=height, name=name)
    circles = circles.mark_circle(style="label", size=size, opacity=opacity, strokeWidth=0)
    return alt.layer(
        *_cells(edges, style),
        *([] if dense is None else [_draw_bins(dense)]),
        circles.encode(x, y, fields),
        *_names(frame, centres, width),
        *_pins(frame, style, f"{name}_pins", (14 / width, 11 * (domain[1] - domain[0]) / height)),
    )


def _point_style(density: float) -> tuple[float, float]:
    """Return the size and opacity of points; the more points per pixel (*density*), the smaller and fainter."""
    return min(max(1.7 / math.sqrt(density), 5), 45), min(max(0.02 - 0.1 * math.log(density), 0.32), 0.75)


def bin_points(frame: pl.DataFrame, domain: tuple[float, float]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the bins with many points and their counts, and the points in the other bins."""
    low, high = domain

    def bin_of(column: str, start: float, span: float) -> pl.Expr:
        return ((pl.col(column) - start) / span * BINS).floor().clip(0, BINS - 1).cast(pl.Int64)

    binned = frame.with_columns(i=bin_of("twist", 0, 1), j=bin_of("gain", low, high - low))
    binned = binned.with_columns(points=pl.len().over("i", "j"))
    bins = binned.filter(pl.col("points") >= MIN_DENSE).select("i", "j", "points").unique(maintain_order=True)
    step = (high - low) / BINS
    dense = bins.select(
        left=pl.col("i") / BINS,
        right=(pl.col("i") + 1) / BINS,
        low=low + pl.col("j") * step,
        high=low + (pl.col("j") + 1) * step,
        points=pl.col("points").cast(pl.Int64),
    ).with_columns(pl.col(pl.Float64).round(6))
    return dense, binned.filter(pl.col("points") < MIN_DENSE)


def _draw_bins(bins: pl.DataFrame) -> Any:
    """Draw a square for each bin, whose opacity grows with the logarithm of the number of points."""
    largest = max(int(bins["points"].max() or 0), MIN_DENSE + 1)  # type: ignore[arg-type]
    scale = alt.Scale(type="log", domain=[MIN_DENSE, largest], range=[0.25, 1])
    channels = [alt.X("left:Q"), alt.X2("right:Q"), alt.Y("low:Q"), alt.Y2("high:Q")]
    opacity = alt.Opacity("points:Q", scale=scale, legend=None)
    return alt.Chart(rows(bins)).mark_rect(style="label").encode(*channels, opacity, tooltip("points:Q"))


def _counts(frame: pl.DataFrame) -> Ints:
    """Count the points in each cell."""
    cell = frame.select(
        pl.col("row").replace_strict(list(GAIN), range(4), return_dtype=pl.Int64) * 4
        + pl.col("column").replace_strict(list(EFFORT), range(4), return_dtype=pl.Int64)
    ).to_series()
    return np.bincount(cell.to_numpy(), minlength=16).reshape(4, 4)


def _class_colours(style: Style) -> alt.Color:
    """Return the colours of the classes other than gray.

    None is green, which would suggest "good": the diagonal contains both the worst and the best cell.
    """
    colours = {"diagonal": style.colours.late, "high-high": style.colours.early, "other": style.colours.series[3]}
    return alt.Color("class:N", scale=alt.Scale(domain=list(colours), range=list(colours.values())), legend=None)


def _tint_cells(frame: pl.DataFrame, style: Style, channels: Sequence[Any]) -> list[alt.Chart]:
    """Draw coloured areas for the classes, and neutral areas for the class gray."""
    neutral = pl.col("class") == CLASSES[_NEUTRAL]
    coloured = alt.Chart(rows(frame.filter(~neutral))).mark_rect(opacity=0.16)
    gray = alt.Chart(rows(frame.filter(neutral).drop("class"))).mark_rect(style="soft", opacity=0.7)
    return [coloured.encode(*channels, _class_colours(style)), gray.encode(*channels)]


def _cells(edges: Sequence[float], style: Style) -> list[alt.Chart]:
    cells = [
        {"left": _EDGES[j], "right": _EDGES[j + 1], "low": edges[i], "high": edges[i + 1], "class": CLASSES[GRID[i, j]]}
        for i, j in np.ndindex(4, 4)
    ]
    channels = [alt.X("left:Q"), alt.X2("right:Q"), alt.Y("low:Q"), alt.Y2("high:Q")]
    row_edges, column_edges = (alt.Chart(rows(pl.DataFrame({"edge": ends[1:4]}))) for ends in (edges, _EDGES))
    upper_right = pl.DataFrame({"left": [_EDGES[2]], "right": [_EDGES[4]], "low": [edges[2]], "high": [edges[4]]})
    return [
        *_tint_cells(pl.DataFrame(cells), style, channels),
        row_edges.mark_rule(strokeWidth=1, opacity=0.4).encode(alt.Y("edge:Q")),
        column_edges.mark_rule(strokeWidth=1, opacity=0.4).encode(alt.X("edge:Q")),
        _outline(upper_right, channels),
    ]


def _outline(frame: pl.DataFrame, channels: Sequence[Any]) -> Any:
    """Draw the outline of the cells where a good system lies, or of its symbol in the legend."""
    return alt.Chart(rows(frame)).mark_rect(style="label", filled=False, strokeWidth=1.5).encode(*channels)


def _names(frame: pl.DataFrame, centres: Sequence[float], width: int) -> list[alt.Chart]:
    """Draw the percentage of each cell, and the names of rows and columns."""
    counts = _counts(frame)
    fraction = counts / counts.sum()
    cells = [
        {"x": _EDGES[j + 1] - 0.01, "y": centres[i], "text": percent(fraction[i, j]), "points": int(counts[i, j])}
        for i, j in np.ndindex(4, 4)
    ]
    x, y, text = alt.X("x:Q"), alt.Y("y:Q"), alt.Text("text:N")
    percentages = alt.Chart(rows(pl.DataFrame(cells))).encode(x, y, text, tooltip("points:Q"))
    full_names = width >= 310
    outer = ("huge", "low") if width >= 200 else ()  # narrow columns have space for one word
    effort = [f"{name} effort" if full_names or name in outer else name for name in EFFORT]
    gain = [f"{name} gain" if full_names or name in ("huge", "low") else name for name in GAIN]
    column_names = pl.DataFrame({"x": [left + 0.125 for left in _EDGES[:4]], "text": effort})
    row_names = pl.DataFrame({"y": centres, "text": gain})
    top = alt.Chart(rows(column_names)).mark_text(style="muted", baseline="bottom", dy=-4)
    right = alt.Chart(rows(row_names)).mark_text(style="muted", align="left", dx=6)
    return [
        percentages.mark_text(style="halo", align="right", opacity=0.8),
        percentages.mark_text(style="muted", align="right"),
        top.encode(x, text, y=alt.value(0)),
        right.encode(y, text, x=alt.value("width")),
    ]


def percent(fraction: float) -> str:
    """Format a fraction as a percentage without decimals; values that would round to 0 are shown as "<1 %".

    >>> percent(0), percent(0.001), percent(0.124), percent(1)
    ('0 %', '<1 %', '12 %', '100 %')
    """
    return "<1 %" if 0 < fraction < 0.005 else f"{100 * fraction:.0f} %"


def _pins(frame: pl.DataFrame, style: Style, name: str, offset: tuple[float, float]) -> list[alt.Chart]:
    """Draw rings with numbers around the pinned points; *offset* is the distance of a number from its point."""
    if "pinned" not in frame.columns:
        return []
    number = pl.col("pinned").cum_sum() if frame["pinned"].dtype == pl.Boolean else pl.col("pinned")
    pinned = frame.with_columns(number=number).filter(pl.col("pinned").cast(pl.Int64) > 0)
    if pinned.is_empty():
        return []
    dx, dy = offset
    bottom = min(0.0, float(np.min(frame["gain"].to_numpy())))
    labels = pinned.select(
        *("run", "topic", "twist", "gain", "number"),
        left=pl.col("twist") + pl.when(pl.col("twist") + 2 * dx > 1).then(-dx).otherwise(dx),
        low=pl.col("gain") + pl.when(pl.col("gain") - 2 * dy < bottom).then(dy).otherwise(-dy),
    )
    base = alt.Chart(rows(labels)).encode(tooltip("number:Q", "run:N", "topic:N"))
    text = base.encode(alt.X("left:Q"), alt.Y("low:Q"), alt.Text("number:Q"))
    rings = base.properties(name=name).mark_point(size=130, strokeWidth=2.5, opacity=1, color=style.colours.early)
    return [
        rings.encode(alt.X("twist:Q"), alt.Y("gain:Q")),
        text.mark_text(style="halo", fontSize=13, fontWeight="bold"),
        text.mark_text(style="label", fontSize=13, fontWeight="bold"),
    ]


def legend(frame: pl.DataFrame, width: int, style: Style) -> Any:
    """Draw a legend of the classes and of the upper right cells, with their percentages, below a panel."""
    counts = _counts(frame)
    groups = [*(counts[kind == GRID] for kind in range(4)), counts[UPPER_RIGHT]]
    fractions = [float(group.sum() / counts.sum()) for group in groups]
    names = [*CLASSES, "upper right"]
    texts = [f"{name} {percent(fraction)}" for name, fraction in zip(names, fractions, strict=True)]
    lefts, lines = _wrap_entries([24 + 6 * len(text) for text in texts], width + NAMES)
    entries = pl.DataFrame(
        {"class": names, "text": texts, "share": fractions, "left": lefts, "line": lines}
    ).with_columns(right=pl.col("left") + 11, end=pl.col("line") + 0.62)
    x_scale = alt.Scale(domain=[0, width], nice=False)
    y_scale = alt.Scale(domain=[0, lines[-1] + 1], reverse=True, nice=False)
    x, y = alt.X("left:Q", scale=x_scale, axis=None), alt.Y("line:Q", scale=y_scale, axis=None)
    squares = [x, alt.X2("right:Q"), y, alt.Y2("end:Q")]
    text = alt.Chart(rows(entries.drop("class"))).mark_text(style="label", align="left", baseline="top", dx=15)
    fraction = alt.Tooltip("share:Q", format=".1%", title="fraction of points")
    return alt.layer(
        *_tint_cells(entries.head(4), style, squares),
        _outline(entries.tail(1), squares),
        text.encode(x, y, alt.Text("text:N"), fraction),
        width=width,
        height=17 * (lines[-1] + 1),
    )


def _wrap_entries(widths: Sequence[int], line_width: int) -> tuple[list[int], list[int]]:
    """Return the left end and the line number of entries with these widths, in lines of at most *line_width*.

    >>> _wrap_entries([60, 60, 60], 130)
    ([0, 60, 0], [0, 0, 1])
    """
    lefts, lines, left, line = [], [], 0, 0
    for width in widths:
        if left and left + width > line_width:
            left, line = 0, line + 1
        lefts.append(left)
        lines.append(line)
        left += width
    return lefts, lines
