"""The ideal DCG of each topic, largest first, beside two constants that could stand in for it.

nDCG divides the DCG of a ranking by the ideal DCG of its topic; SDCG by one constant for all topics, such as the DCG of
a ranking full of documents of the top grade, or of one with a single such document followed by documents of the next
lower grade: the dashed lines. Where a point is far below a line, SDCG is far below nDCG.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay import meta
from assay.meta._judgments import CUTOFF, GAINS, JudgmentReport
from assay.model.arrays import Floats
from assay.views.plots._bands import LETTER
from assay.views.plots._figures import Data
from assay.views.plots._style import Style, altair, nothing, rows
from assay.views.plots.judgments import topic_ticks

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = "Moffat (2018), Fig. 2"
NEEDS = ("qrels",)
_MANY = 300  # topics: no points
_PADDING = 8  # pixels beside the first and the last point
_LINE = 13  # pixels of a line of text


def data(
    source: Campaign | JudgmentReport,
    *,
    cutoff: int = CUTOFF,
    gains: str = GAINS,
    max_rel: float | None = None,
) -> Data:
    """Tabulate the ideal DCG of topics: place, topic, ideal_dcg, measure, cutoff, top, all_top, one_top.

    *top* is the top grade; *all_top* and *one_top* are the two constants: a ranking of *cutoff* documents of the top
    grade, and one such document followed by documents of the next lower grade.
    """
    report = source
    if not isinstance(report, JudgmentReport):
        report = meta.judgments(report, cutoff=cutoff, gains=gains, max_rel=max_rel)
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
    """A point for each topic, and the two lines."""
    if frame.is_empty():
        return nothing("no topics", style)
    alt = altair()
    width = style.room() - 54
    height = min(max(round(0.6 * width), 160), 320)
    topics = len(frame)
    scale = alt.Scale(domain=(1, max(topics, 2)), nice=False, zero=False, padding=_PADDING)
    ticks = topic_ticks(topics)
    axis = alt.Axis(values=ticks, tickCount=len(ticks), format="d", labelFlush=False, labelOverlap="greedy")
    x = alt.X("place:Q", title="topics, sorted", scale=scale, axis=axis)
    high = 1.12 * max(*frame["ideal_dcg"].to_list(), frame["all_top"][0], frame["one_top"][0]) or 1.0
    low = min(0.0, *frame["ideal_dcg"].to_list())
    domain = alt.Scale(domain=(low, high), nice=False)
    y = alt.Y("ideal_dcg:Q", title=f"{frame['measure'][0]}", scale=domain, axis=alt.Axis(tickCount=5))
    base = alt.Chart(rows(frame), width=width, height=height).encode(x=x, y=y)
    points = base.encode(tooltip=["topic:N", "place:Q", alt.Tooltip("ideal_dcg:Q", format=".4f")])
    marks = points.mark_circle(size=22, opacity=1, color=style.colours.late)
    line = base.mark_line(strokeWidth=1.5, color=style.colours.late)
    rules, *texts = _constants(frame, _PlotArea(width, height, low, high))
    return alt.layer(rules, line, *([marks] if topics <= _MANY else []), *texts)  # type: ignore[no-any-return]


class _PlotArea(NamedTuple):
    """The pixels of the figure, and the values at its lower and upper end."""

    width: float
    height: float
    low: float
    high: float

    def down(self, value: Any) -> Any:
        """Return how many pixels a value is below the upper end."""
        return (self.high - value) / (self.high - self.low) * self.height


class _LabelBox(NamedTuple):
    """A place for a label: its lines, its side, and the pixels that it takes."""

    text: str
    align: str
    left: float
    right: float
    top: float
    bottom: float

    def hides(self, curve: Floats) -> int:
        """Count the pixels of a curve (an x and a y for each) that it hides; a steep one goes far in a pixel."""
        x, y = curve
        across = (x[1:] > self.left) & (x[:-1] < self.right)
        return int((across & (np.maximum(y[1:], y[:-1]) > self.top) & (np.minimum(y[1:], y[:-1]) < self.bottom)).sum())

    def meets(self, other: _LabelBox) -> bool:
        """Return whether it hides some of another label."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def _constants(frame: pl.DataFrame, sheet: _PlotArea) -> list[Any]:
    """The lines, with what they assume beside them where that hides nothing."""
    alt = altair()
    cutoff, top, all_top, one_top = frame.select("cutoff", "top", "all_top", "one_top").row(0)
    told = {
        f"{cutoff} of grade {top:g}: {all_top:.3f}": all_top,
        f"one of grade {top:g}, {cutoff - 1} of the next lower: {one_top:.3f}": one_top,
    }
    lines = alt.Chart(alt.InlineData(values=[{"value": value} for value in told.values()]))
    layers = [lines.mark_rule(style="reference").encode(y="value:Q")]
    for box in _places(told, _curve(frame["ideal_dcg"].to_numpy(), sheet), sheet):
        x = box.left if box.align == "left" else box.right
        row = {"x": x, "y": (box.top + box.bottom) / 2 - _LINE / 2 * box.text.count("\n"), "text": box.text}
        texts = alt.Chart(alt.InlineData(values=[row])).encode(
            x=alt.X("x:Q", scale=None, axis=None), y=alt.Y("y:Q", scale=None, axis=None), text="text:N"
        )
        look = {"align": box.align, "baseline": "middle", "lineBreak": "\n", "lineHeight": _LINE}
        layers += [texts.mark_text(style=kind, **look) for kind in ("halo", "muted")]
    return layers


def _curve(values: Floats, sheet: _PlotArea) -> Floats:
    """The line through the points, pixel by pixel: an x and a y for each."""
    x = np.arange(0.0, sheet.width + 1)
    at = np.linspace(_PADDING, sheet.width - _PADDING, len(values)) if len(values) > 1 else [_PADDING]
    return np.stack([x, sheet.down(np.interp(x, at, values))])


def _places(told: dict[str, float], curve: Floats, sheet: _PlotArea) -> list[_LabelBox]:
    """For each label the first place that hides nothing, or else little."""
    taken: list[_LabelBox] = []
    for text, value in told.items():
        others = [each for each in told.values() if each != value]
        boxes = _boxes(text, sheet.down(value), sheet)
        taken.append(min(boxes, key=lambda box: _cost(box, curve, taken, [sheet.down(each) for each in others])))
    return taken


def _cost(box: _LabelBox, curve: Floats, taken: list[_LabelBox], rules: list[float]) -> tuple[int, int, int]:
    """Count what a label hides: other labels, the curve, the lines of other constants."""
    met = sum(map(box.meets, taken))
    return met, box.hides(curve), sum(box.top < rule < box.bottom for rule in rules)


def _boxes(text: str, down: float, sheet: _PlotArea) -> list[_LabelBox]:
    """Places of a label: in one line or more, to the right or to the left, above its line or below it.

    The points fall from the left to the right: above to the right they are soon gone, below to the left not yet there.
    """
    boxes = []
    two = text.replace(", ", ",\n")
    for words in (text, *((two, two.replace(": ", ":\n")) if two != text else ())):
        rows_of = words.split("\n")
        long, tall = LETTER * max(map(len, rows_of)), _LINE * len(rows_of)
        boxes += [
            _LabelBox(words, align, left, left + long, top, top + tall)
            for align, left in (("right", sheet.width - long), ("left", 2.0))
            for top in (down - tall - 2, down + 3)
            if top >= 0 and top + tall <= sheet.height
        ]
    return boxes
