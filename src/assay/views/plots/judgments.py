"""Number of relevant documents per topic, by grade, largest number first.

There is one line for each grade. It shows how many documents of each topic have at least this grade. For each grade,
the topics are sorted by this number, largest first. The dashed line is the cutoff. On the topics where a line is below
the cutoff, a measure with this cutoff cannot reach its maximum, unless it is normalized by the number of relevant
documents.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl

from assay import meta
from assay.meta._judgments import CUTOFF, JudgmentReport
from assay.views.plots._altair import alt
from assay.views.plots._figures import Data
from assay.views.plots._series import LINE_HEIGHT, Label, labels_width, series_colours
from assay.views.plots._style import Style, empty_chart, rows, spread_positions, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Moffat (2018), Fig. 1"
HAS_HEIGHT = True
NEEDS = ("qrels",)
TICKS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
_MAX_TICKS = 6
_MAX_TOPICS_WITH_POINTS = 300  # for more topics, only lines are drawn


def data(source: Campaign | JudgmentReport, *, thresholds: Iterable[float] | None = None, cutoff: int = CUTOFF) -> Data:
    """Tabulate numbers of relevant documents: grade, place (of the topic for this grade), topic, relevant, cutoff.

    *relevant* is the number of documents of the topic with at least this grade. The grades are the *thresholds*, by
    default all grades above 0 in the qrels.
    """
    if isinstance(source, JudgmentReport):
        report = source
    else:
        report = meta.judgments(source, thresholds=thresholds, cutoff=cutoff)
    counts = report.by_topic().sort("grade", -pl.col("relevant"), maintain_order=True)
    frame = counts.select(
        "grade",
        pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("grade").alias("place"),
        "topic",
        "relevant",
        pl.lit(report.measure.cutoff, dtype=pl.Int64).alias("cutoff"),
    )
    return Data(frame, report.notes, report.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a line for each grade, and one at the cutoff."""
    if frame.is_empty():
        return empty_chart("no topics", style)
    labelled = frame.with_columns(name=pl.Series([f"{grade:g}+" for grade in frame["grade"]], dtype=pl.String))
    names = labelled["name"].unique(maintain_order=True).to_list()
    topic_count, cutoff = max(frame["place"].to_list()), frame["cutoff"][0]
    top = float(max(1.05 * max(frame["relevant"].to_list()), 1.5 * cutoff))
    width = style.total_width() - 116
    height = style.plot_height(min(max(round(0.7 * width), 160, 40 + 16 * len(names)), 340))
    # The margin to the left of the first topic contains the labels of the lines.
    margin = (labels_width([Label(name, 0) for name in names]) + 8) / width * topic_count
    topic_scale = alt.Scale(domain=(1 - margin, max(topic_count, 2)), nice=False, zero=False)
    x = alt.X("place:Q", title="topics, sorted for each grade", scale=topic_scale, axis=_axis(topic_ticks(topic_count)))
    y = alt.Y(
        "relevant:Q",
        title="number of relevant documents",
        scale=alt.Scale(type="symlog", constant=1, domain=(0, top), nice=False),
        axis=_axis([tick for tick in TICKS if tick <= top]),
    )
    colour = series_colours("name", names, style)
    fields = tooltip(alt.Tooltip("name:N", title="grade"), "topic:N", "place:Q", "relevant:Q")
    lines = alt.Chart(rows(labelled), width=width, height=height).encode(x, y, colour, fields)
    return alt.layer(
        *_cutoff(cutoff),
        lines.mark_line(strokeWidth=1.5),
        *([lines.mark_circle(size=16, opacity=1)] if topic_count <= _MAX_TOPICS_WITH_POINTS else []),
        _names(labelled, top, height).encode(colour),
    )


def topic_ticks(topic_count: int) -> list[int]:
    """Return ticks for a number of topics: 1 and a few multiples of a round number.

    >>> topic_ticks(4), topic_ticks(50), topic_ticks(249)
    ([1, 2, 3, 4], [1, 10, 20, 30, 40, 50], [1, 50, 100, 150, 200])
    """
    round_numbers = (digit * 10**power for power in range(9) for digit in (1, 2, 5))
    step = next(number for number in round_numbers if topic_count <= _MAX_TICKS * number)
    return [1, *(tick for tick in range(step, topic_count + 1, step) if tick > 1)]


def _axis(values: list[int]) -> alt.Axis:
    # Without tickCount, Vega may drop some of the values.
    return alt.Axis(values=values, tickCount=len(values), labelFlush=False, labelOverlap="greedy", format="d")


def _cutoff(cutoff: int) -> list[alt.Chart]:
    base = alt.Chart({"values": ({"cutoff": cutoff, "text": f"cutoff {cutoff}"},)}).encode(alt.Y("cutoff:Q"))
    text = base.mark_text(style="muted", align="left", dx=5).encode(alt.Text("text:N"), x=alt.value("width"))
    return [base.mark_rule(style="reference"), text]


def _names(frame: pl.DataFrame, top: float, height: int) -> Any:
    """Label each line with its grade, to the left of its first point; close labels are moved apart."""
    first = frame.filter(pl.col("place") == 1)
    high = math.log1p(top)
    positions = spread_positions(
        [math.log1p(value) for value in first["relevant"]], LINE_HEIGHT * high / height, 0, high
    )
    labels = first.select("name", "place", at=pl.Series([math.expm1(value) for value in positions], dtype=pl.Float64))
    chart = alt.Chart(rows(labels)).mark_text(style="label", align="right", dx=-6)
    return chart.encode(alt.X("place:Q"), alt.Y("at:Q"), alt.Text("name:N"))
