"""Effort against gain: a point for each run and topic, on a grid of sixteen cells.

To the right Twist, the effort that a ranking avoids; upwards a measure of gain. Columns end at 0.25, 0.5 and 0.75, rows
at the quartiles of the gain of all points; each cell shows its share of the points. The tint shows how effort and gain
relate, not how good a cell is: they agree (diagonal: little gain for much effort as well as much gain for little), they
nearly agree (gray), much gain takes much effort (high-high, which a measure of gain alone takes for good), or there is
little of both (other). The four cells in the upper right, where a good system lies, are outlined.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.effort import archetypes as kinds
from assay.effort._against_gain import CLASSES, EFFORT, GAIN, GRID, UPPER_RIGHT, EffortGain, against_gain
from assay.views.plots._figures import Data
from assay.views.plots._series import columns as in_a_row
from assay.views.plots._style import Style, altair, apart, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign
    from assay.model.arrays import Ints

SOURCE = "Ferro et al. (2016), Figs. 7-10"
AXIS, NAMES = 48, 70
"""Pixels beside a panel: its axis to the left, the names of its rows to the right."""
_EDGES = (0.0, 0.25, 0.5, 0.75, 1.0)
_LINE = 13  # pixels from a label to the next
_NEUTRAL = CLASSES.index("gray")


def data(
    source: Campaign | EffortGain,
    *,
    measure: str = "AP",
    twist: str = "Twist",
    collection: str | None = None,
) -> Data:
    """Tabulate each run and topic that has an effort and a gain, by the first measure of gain.

    Columns run, topic, measure (of gain), twist, gain, row, column and class (where it lies), archetype (of its curve;
    null if unknown), collection, and q1, q2, q3: the quartiles that separate the rows. Frames of several collections,
    one after the other, are drawn as panels.
    """
    grid = source if isinstance(source, EffortGain) else against_gain(source, measure, twist=twist)
    counted = (grid.row[0] >= 0) & (grid.column >= 0)
    points = grid.points().head(int(counted.sum()))  # those of the first measure come first
    names = pl.Series([*kinds.NAMES, None], dtype=pl.String)
    number = np.full(len(points), kinds.NONE) if grid.archetypes is None else grid.archetypes[counted]
    frame = points.with_columns(
        names.gather(number % len(names)).alias("archetype"),
        pl.lit(collection, dtype=pl.String).alias("collection"),
        *(pl.lit(edge).alias(f"q{i}") for i, edge in enumerate(grid.quartiles[0].tolist(), 1)),
    )
    return Data(frame, grid.notes, grid.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """The points on tinted cells, a panel for each collection.

    A column *pinned* (true, or a number above 0) gives points a ring and a number. In Vega the names of the marks of
    points and rings begin with ``points``, and their data have the run and the topic.
    """
    alt = altair()
    if frame.is_empty():
        return nothing("no run and topic has both an effort and a gain", style)
    panels = frame.partition_by("collection", maintain_order=True)
    room = style.room(430 if len(panels) == 1 else 760)
    many = in_a_row(len(panels), room, 360)
    width = room // many - AXIS - NAMES - (10 if many > 1 else 0)
    domain = limits(frame)
    drawn = [
        alt.vconcat(
            panel(one, width, domain, style, name="points" if number == 0 else f"points{number}"),
            strip(one, width, style),
            spacing=8,
            **({"title": one["collection"][0]} if one["collection"][0] is not None else {}),
        )
        for number, one in enumerate(panels)
    ]
    return drawn[0] if len(drawn) == 1 else alt.concat(*drawn, columns=many)  # type: ignore[no-any-return]


def limits(frame: pl.DataFrame) -> tuple[float, float]:
    """The ends of the axis of gain: from 0 to 1 where that is the range and is used; all rows have a part of it."""
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
) -> Any:
    """One collection: cells, points, shares and the names of rows and columns."""
    alt = altair()
    height = height or min(round(0.92 * width), 560)
    edges = [domain[0], *(min(max(q, domain[0]), domain[1]) for q in frame.select("q1", "q2", "q3").row(0)), domain[1]]
    gap = _LINE * (domain[1] - domain[0]) / height
    middle = [(low + high) / 2 for low, high in pairwise(edges)]
    centres = apart(middle, gap, domain[0] + gap / 2, domain[1] - gap / 2)
    across, upwards = alt.Scale(domain=[0, 1]), alt.Scale(domain=list(domain), nice=False)
    x = alt.X("twist:Q", title="Twist (effort avoided)", scale=across, axis=alt.Axis(values=_EDGES, format=".2~f"))
    y = alt.Y("gain:Q", title=frame["measure"][0], scale=upwards, axis=alt.Axis(tickCount=5))
    size, opacity = _weight(len(frame) / (width * height))
    tips = [alt.Tooltip("twist:Q", format=".4f"), alt.Tooltip("gain:Q", format=".4f", title=frame["measure"][0])]
    more = ["archetype:N"] if frame["archetype"].is_not_null().any() else []
    base = alt.Chart(rows(_lean(frame)), width=width, height=height, name=name)
    points = base.mark_circle(style="label", size=size, opacity=opacity, strokeWidth=0)
    return alt.layer(
        *_cells(edges, style),
        points.encode(x=x, y=y, tooltip=["run:N", "topic:N", *tips, *more]),
        *_names(frame, centres, width),
        *_pins(frame, style, f"{name}_pins", (14 / width, 11 * (domain[1] - domain[0]) / height)),
    )


def _lean(frame: pl.DataFrame) -> pl.DataFrame:
    """Select the columns that points need: thousands of them are sent to a page."""
    known = ["archetype"] if frame["archetype"].is_not_null().any() else []
    return frame.select("run", "topic", "twist", "gain", *known)


def _weight(density: float) -> tuple[float, float]:
    """Return the size and the opacity of points by their number per pixel: many must not merge into a blob."""
    return min(max(1.7 / math.sqrt(density), 5), 45), min(max(0.02 - 0.1 * math.log(density), 0.32), 0.75)


def _counts(frame: pl.DataFrame) -> Ints:
    """Count the points shown in each cell."""
    place = frame.select(
        pl.col("row").replace_strict(list(GAIN), range(4), return_dtype=pl.Int64) * 4
        + pl.col("column").replace_strict(list(EFFORT), range(4), return_dtype=pl.Int64)
    ).to_series()
    return np.bincount(place.to_numpy(), minlength=16).reshape(4, 4)


def _tint(style: Style) -> Any:
    """Colours of the classes that are not neutral. None is green: the diagonal holds the worst cell and the best."""
    alt = altair()
    colours = {"diagonal": style.colours.late, "high-high": style.colours.early, "other": style.colours.series[3]}
    return alt.Color("class:N", scale=alt.Scale(domain=list(colours), range=list(colours.values())), legend=None)


def _tinted(frame: pl.DataFrame, style: Style, encoded: Any) -> list[Any]:
    """Coloured areas for the classes, and neutral ones for that which is called gray."""
    alt = altair()
    neutral = pl.col("class") == CLASSES[_NEUTRAL]
    own = alt.Chart(rows(frame.filter(~neutral))).mark_rect(opacity=0.16).encode(**encoded, color=_tint(style))
    other = alt.Chart(rows(frame.filter(neutral).drop("class"))).mark_rect(style="soft", opacity=0.7)
    return [own, other.encode(**encoded)]


def _cells(edges: Sequence[float], style: Style) -> list[Any]:
    alt = altair()
    cells = [
        {"left": _EDGES[j], "right": _EDGES[j + 1], "low": edges[i], "high": edges[i + 1], "class": CLASSES[GRID[i, j]]}
        for i, j in np.ndindex(4, 4)
    ]
    place = {"x": alt.X("left:Q"), "x2": "right:Q", "y": alt.Y("low:Q"), "y2": "high:Q"}
    across = alt.Chart(rows(pl.DataFrame({"edge": edges[1:4]}))).mark_rule(strokeWidth=1, opacity=0.4)
    down = alt.Chart(rows(pl.DataFrame({"edge": _EDGES[1:4]}))).mark_rule(strokeWidth=1, opacity=0.4)
    good = pl.DataFrame({"left": [_EDGES[2]], "right": [_EDGES[4]], "low": [edges[2]], "high": [edges[4]]})
    return [
        *_tinted(pl.DataFrame(cells), style, place),
        across.encode(y="edge:Q"),
        down.encode(x="edge:Q"),
        _outline(good, place),
    ]


def _outline(frame: pl.DataFrame, place: Any) -> Any:
    """Return the outline of the cells where a good system lies, or of its sign in the legend."""
    return altair().Chart(rows(frame)).mark_rect(style="label", filled=False, strokeWidth=1.5).encode(**place)


def _names(frame: pl.DataFrame, centres: Sequence[float], width: int) -> list[Any]:
    """The share of each cell, and what the rows and columns are called."""
    alt = altair()
    counts = _counts(frame)
    share = counts / counts.sum()
    cells = pl.DataFrame(
        [
            {"x": _EDGES[j + 1] - 0.01, "y": centres[i], "text": percent(share[i, j]), "points": int(counts[i, j])}
            for i, j in np.ndindex(4, 4)
        ]
    )
    shares = alt.Chart(rows(cells)).encode(x="x:Q", y="y:Q", text="text:N", tooltip=["points:Q"])
    long = width >= 310
    effort = [f"{name} effort" if long or name in ("huge", "low") else name for name in EFFORT]
    gain = [f"{name} gain" if long or name in ("huge", "low") else name for name in GAIN]
    above = pl.DataFrame({"x": [left + 0.125 for left in _EDGES[:4]], "text": effort})
    beside = pl.DataFrame({"y": centres, "text": gain})
    top = alt.Chart(rows(above)).mark_text(style="muted", baseline="bottom", dy=-4)
    right = alt.Chart(rows(beside)).mark_text(style="muted", align="left", dx=6)
    return [
        shares.mark_text(style="halo", align="right", opacity=0.8),
        shares.mark_text(style="muted", align="right"),
        top.encode(x="x:Q", y=alt.value(0), text="text:N"),
        right.encode(x=alt.value("width"), y="y:Q", text="text:N"),
    ]


def percent(share: float) -> str:
    """A share as a label: without decimals, and less than half a percent told from nothing.

    >>> percent(0), percent(0.001), percent(0.124), percent(1)
    ('0 %', '<1 %', '12 %', '100 %')
    """
    return "<1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def _pins(frame: pl.DataFrame, style: Style, name: str, beside: tuple[float, float]) -> list[Any]:
    """Rings with numbers around the points that are pinned; *beside* is how far from the point a number stands."""
    if "pinned" not in frame.columns:
        return []
    number = pl.col("pinned").cum_sum() if frame["pinned"].dtype == pl.Boolean else pl.col("pinned")
    pinned = frame.with_columns(number=number).filter(pl.col("pinned").cast(pl.Int64) > 0)
    if pinned.is_empty():
        return []
    alt = altair()
    right, down = beside
    bottom = min(0.0, float(np.min(frame["gain"].to_numpy())))
    placed = pinned.select(
        *("run", "topic", "twist", "gain", "number"),
        left=pl.col("twist") + pl.when(pl.col("twist") + 2 * right > 1).then(-right).otherwise(right),
        low=pl.col("gain") + pl.when(pl.col("gain") - 2 * down < bottom).then(down).otherwise(-down),
    )
    base = alt.Chart(rows(placed)).encode(tooltip=["number:Q", "run:N", "topic:N"])
    text = base.encode(x="left:Q", y="low:Q", text="number:Q")
    rings = base.properties(name=name).mark_point(size=130, strokeWidth=2.5, opacity=1, color=style.colours.early)
    return [
        rings.encode(x="twist:Q", y="gain:Q"),
        text.mark_text(style="halo", fontSize=13, fontWeight="bold"),
        text.mark_text(style="label", fontSize=13, fontWeight="bold"),
    ]


def strip(frame: pl.DataFrame, width: int, style: Style) -> Any:
    """The classes and the cells in the upper right with their shares, below a panel and the names of its rows."""
    alt = altair()
    counts = _counts(frame)
    chosen = [*(counts[kind == GRID] for kind in range(4)), counts[UPPER_RIGHT]]
    shares = [float(some.sum() / counts.sum()) for some in chosen]
    names = [*CLASSES, "upper right"]
    texts = [f"{name} {percent(share)}" for name, share in zip(names, shares, strict=True)]
    lefts, lines = _flowing([24 + 6 * len(text) for text in texts], width + NAMES)
    shown = pl.DataFrame({"class": names, "text": texts, "share": shares, "left": lefts, "line": lines}).with_columns(
        right=pl.col("left") + 11, end=pl.col("line") + 0.62
    )
    across = alt.Scale(domain=[0, width], nice=False)
    down = alt.Scale(domain=[0, lines[-1] + 1], reverse=True, nice=False)
    place = {"x": alt.X("left:Q", scale=across, axis=None), "y": alt.Y("line:Q", scale=down, axis=None)}
    text = alt.Chart(rows(shown.drop("class"))).mark_text(style="label", align="left", baseline="top", dx=15)
    tip = alt.Tooltip("share:Q", format=".1%")
    squares = {**place, "x2": "right:Q", "y2": "end:Q"}
    return alt.layer(
        *_tinted(shown.head(4), style, squares),
        _outline(shown.tail(1), squares),
        text.encode(**place, text="text:N", tooltip=tip),
    ).properties(width=width, height=17 * (lines[-1] + 1))


def _flowing(breadths: Sequence[int], room: int) -> tuple[list[int], list[int]]:
    """Return the left end and the line of things of these breadths, if no line may be broader than the room.

    >>> _flowing([60, 60, 60], 130)
    ([0, 60, 0], [0, 0, 1])
    """
    lefts, lines, left, line = [], [], 0, 0
    for breadth in breadths:
        if left and left + breadth > room:
            left, line = 0, line + 1
        lefts.append(left)
        lines.append(line)
        left += breadth
    return lefts, lines
