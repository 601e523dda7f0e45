"""Ideal DCG of each topic, largest first, compared with the two constants of SDCG.

The x axis lists the topics, and the y axis is the ideal DCG of a topic. nDCG divides the DCG of a ranking by the ideal
DCG of its topic. SDCG divides by one constant for all topics (dashed lines). Two such constants are shown: the DCG of a
ranking with only documents of the top grade, and the DCG of a ranking with one such document followed by documents of
the next lower grade. Where a point is far below a line, SDCG is far below nDCG.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay import meta
from assay.meta._judgments import CUTOFF, GAINS, JudgmentReport
from assay.model.arrays import Floats
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import CHARACTER_WIDTH
from assay.views.plots._figures import Data
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip
from assay.views.plots.judgments import topic_ticks

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Moffat (2018), Fig. 2"
HAS_HEIGHT = True
NEEDS = ("qrels",)
_MAX_TOPICS_WITH_POINTS = 300  # for more topics, only the line is drawn
_PADDING = 8  # pixels beside the first and the last point
_LINE_HEIGHT = 13  # pixels


def data(
    source: Campaign | JudgmentReport,
    *,
    cutoff: int = CUTOFF,
    gains: str = GAINS,
    max_rel: float | None = None,
) -> Data:
    """Tabulate the ideal DCG of topics: place, topic, ideal_dcg, measure, cutoff, top, all_top, one_top.

    *top* is the top grade. *all_top* and *one_top* are the two constants: the DCG of a ranking of *cutoff* documents of
    the top grade, and of a ranking with one such document followed by documents of the next lower grade.
    """
    if isinstance(source, JudgmentReport):
        report = source
    else:
        report = meta.judgments(source, cutoff=cutoff, gains=gains, max_rel=max_rel)
    frame = report.ideals().select(
        "place",
        "topic",
        "ideal_dcg",
        pl.lit(str(report.measure)).alias("measure"),
        pl.lit(report.measure.cutoff, dtype=pl.Int64).alias("cutoff"),
        pl.lit(report.top, dtype=pl.Float64).alias("top"),
        "all_top",
        "one_top",
    )
    return Data(frame, report.notes, report.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a point for each topic, and a line for each constant."""
    if frame.is_empty():
        return empty_chart("no topics", style)
    width = style.total_width() - 54
    height = style.plot_height(min(max(round(0.6 * width), 160), 320))
    topic_count = len(frame)
    scale = alt.Scale(domain=(1, max(topic_count, 2)), nice=False, zero=False, padding=_PADDING)
    ticks = topic_ticks(topic_count)
    axis = alt.Axis(values=ticks, tickCount=len(ticks), format="d", labelFlush=False, labelOverlap="greedy")
    x = alt.X("place:Q", title="topics, largest ideal DCG first", scale=scale, axis=axis)
    high = 1.12 * max(*frame["ideal_dcg"].to_list(), frame["all_top"][0], frame["one_top"][0]) or 1.0
    low = min(0.0, *frame["ideal_dcg"].to_list())
    domain = alt.Scale(domain=(low, high), nice=False)
    y = alt.Y("ideal_dcg:Q", title=frame["measure"][0], scale=domain, axis=alt.Axis(tickCount=5))
    base = alt.Chart(rows(frame), width=width, height=height).encode(x, y)
    line = base.mark_line(strokeWidth=1.5, color=style.colours.late)
    points = base.mark_circle(size=22, opacity=1, color=style.colours.late)
    points = points.encode(tooltip("topic:N", "place:Q", *decimals("ideal_dcg")))
    rules, *texts = _constants(frame, _PlotArea(width, height, low, high))
    return alt.layer(rules, line, *([points] if topic_count <= _MAX_TOPICS_WITH_POINTS else []), *texts)


class _PlotArea(NamedTuple):
    """Size of the plot in pixels, and the values at its lower and upper end."""

    width: float
    height: float
    low: float
    high: float

    def pixel(self, value: Any) -> Any:
        """Return the distance of a value from the upper end, in pixels."""
        return (self.high - value) / (self.high - self.low) * self.height


class _LabelBox(NamedTuple):
    """A candidate position of a label: its text, its alignment, and its edges in pixels."""

    text: str
    align: Any
    left: float
    right: float
    top: float
    bottom: float

    def count_hidden(self, curve: Floats) -> int:
        """Count the segments of a curve (arrays of x and y) that the label hides.

        A segment counts if its vertical range overlaps the label, because a steep curve passes many pixels in one step.
        """
        x, y = curve
        overlaps = (x[1:] > self.left) & (x[:-1] < self.right)
        upper, lower = np.minimum(y[1:], y[:-1]), np.maximum(y[1:], y[:-1])
        return int((overlaps & (lower > self.top) & (upper < self.bottom)).sum())

    def overlaps(self, other: _LabelBox) -> bool:
        """Return True if two labels overlap."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def _constants(frame: pl.DataFrame, area: _PlotArea) -> list[alt.Chart]:
    """Draw the lines of the constants, with labels at positions where the labels hide as little as possible."""
    cutoff, top, all_top, one_top = frame.select("cutoff", "top", "all_top", "one_top").row(0)
    constants = {
        f"{cutoff} documents of grade {top:g}: {all_top:.3f}": all_top,
        f"one of grade {top:g}, {cutoff - 1} of the next lower: {one_top:.3f}": one_top,
    }
    lines = alt.Chart({"values": tuple({"value": value} for value in constants.values())})
    layers = [lines.mark_rule(style="reference").encode(alt.Y("value:Q"))]
    x, y = alt.X("x:Q", scale=None, axis=None), alt.Y("y:Q", scale=None, axis=None)
    for box in _place_labels(constants, _curve(frame["ideal_dcg"].to_numpy(), area), area):
        first_line = (box.top + box.bottom) / 2 - _LINE_HEIGHT / 2 * box.text.count("\n")
        row = {"x": box.left if box.align == "left" else box.right, "y": first_line, "text": box.text}
        options: dict[str, Any] = {"baseline": "middle", "lineBreak": "\n", "lineHeight": _LINE_HEIGHT}
        texts = alt.Chart({"values": (row,)}).encode(x, y, alt.Text("text:N"))
        layers += [texts.mark_text(style=kind, align=box.align, **options) for kind in ("halo", "muted")]
    return layers


def _curve(values: Floats, area: _PlotArea) -> Floats:
    """Return the line through the points, sampled at each pixel: arrays of x and y."""
    x = np.arange(0.0, area.width + 1)
    points = np.linspace(_PADDING, area.width - _PADDING, len(values)) if len(values) > 1 else [_PADDING]
    return np.stack([x, area.pixel(np.interp(x, points, values))])


def _place_labels(constants: dict[str, float], curve: Floats, area: _PlotArea) -> list[_LabelBox]:
    """Return for each label the first candidate box with the lowest cost."""
    placed: list[_LabelBox] = []
    for text, value in constants.items():
        other_rules = [area.pixel(other) for other in constants.values() if other != value]
        boxes = _candidate_boxes(text, area.pixel(value), area)
        placed.append(min(boxes, key=lambda box: _cost(box, curve, placed, other_rules)))
    return placed


def _cost(box: _LabelBox, curve: Floats, placed: list[_LabelBox], rules: list[float]) -> tuple[int, int, int]:
    """Count the other labels, the segments of the curve and the lines of other constants that a label hides."""
    labels = sum(map(box.overlaps, placed))
    return labels, box.count_hidden(curve), sum(box.top < rule < box.bottom for rule in rules)


def _candidate_boxes(text: str, y: float, area: _PlotArea) -> list[_LabelBox]:
    """Return candidate boxes of a label: in one to three lines, right or left, above or below its line at *y*.

    The right side comes first, because the points fall from left to right and leave most space at the upper right.
    """
    boxes = []
    two_lines = text.replace(", ", ",\n")
    for label in (text, *((two_lines, two_lines.replace(": ", ":\n")) if two_lines != text else ())):
        lines = label.split("\n")
        width, height = CHARACTER_WIDTH * max(map(len, lines)), _LINE_HEIGHT * len(lines)
        boxes += [
            _LabelBox(label, align, left, left + width, top, top + height)
            for align, left in (("right", area.width - width), ("left", 2.0))
            for top in (y - height - 2, y + 3)
            if top >= 0 and top + height <= area.height
        ]
    return boxes
