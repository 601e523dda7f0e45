"""The ideal DCG of each topic, largest first, beside two constants that could stand in for it.

nDCG divides the DCG of a ranking by the ideal DCG of its topic; SDCG by one constant for all topics, such as the DCG of
a ranking full of documents of the top grade, or of one with a single such document followed by documents of the next
lower grade: the dashed lines. Where a point is far below a line, SDCG is far below nDCG.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from assay.analyses.meta.judgments import CUTOFF, GAINS, JudgmentReport, judgment_report
from assay.views.plots._figures import Data
from assay.views.plots._style import Style, altair, nothing, rows
from assay.views.plots.judgments import topic_ticks

if TYPE_CHECKING:
    import altair as alt

SOURCE = "[004] Fig. 2"
_MANY = 300  # topics: no points


def data(
    qrels: Any,
    *,
    cutoff: int = CUTOFF,
    gains: str = GAINS,
    max_rel: float | None = None,
    lenient: bool = False,
) -> Data:
    """The ideal DCG of topics: place, topic, ideal_dcg, measure, cutoff, top, all_top, one_top.

    *top* is the top grade; *all_top* and *one_top* are the two constants: a ranking of *cutoff* documents of the top
    grade, and one such document followed by documents of the next lower grade.
    """
    report = judgment_report(qrels, cutoff=cutoff, gains=gains, max_rel=max_rel, lenient=lenient)
    return Data(shaped(report), report.notes, report.provenance)


def shaped(report: JudgmentReport) -> pl.DataFrame:
    """The same of judgments that are counted."""
    return report.ideals().select(
        "place",
        "topic",
        "ideal_dcg",
        pl.lit(str(report.measure)).alias("measure"),
        pl.lit(report.measure.cutoff, dtype=pl.Int64).alias("cutoff"),
        pl.lit(report.top, dtype=pl.Float64).alias("top"),
        "all_top",
        "one_top",
    )


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """A point for each topic, and the two lines."""
    if frame.is_empty():
        return nothing("no topics", style)
    alt = altair()
    width = style.room() - 54
    height = min(max(round(0.6 * width), 160), 320)
    topics = len(frame)
    scale = alt.Scale(domain=(1, max(topics, 2)), nice=False, zero=False, padding=8)
    ticks = topic_ticks(topics)
    axis = alt.Axis(values=ticks, tickCount=len(ticks), format="d", labelFlush=False, labelOverlap="greedy")
    x = alt.X("place:Q", title="topics, sorted", scale=scale, axis=axis)
    high = 1.12 * max(*frame["ideal_dcg"].to_list(), frame["all_top"][0], frame["one_top"][0]) or 1.0
    domain = alt.Scale(domain=(min(0.0, *frame["ideal_dcg"].to_list()), high), nice=False)
    y = alt.Y("ideal_dcg:Q", title=f"{frame['measure'][0]}", scale=domain, axis=alt.Axis(tickCount=5))
    base = alt.Chart(rows(frame), width=width, height=height).encode(x=x, y=y)
    points = base.encode(tooltip=["topic:N", "place:Q", alt.Tooltip("ideal_dcg:Q", format=".4f")])
    marks = points.mark_circle(size=22, opacity=1, color=style.colours.late)
    line = base.mark_line(strokeWidth=1.5, color=style.colours.late)
    rules, *texts = _constants(frame)
    return alt.layer(rules, line, *([marks] if topics <= _MANY else []), *texts)  # type: ignore[no-any-return]


def _constants(frame: pl.DataFrame) -> list[Any]:
    """The lines, with what they assume above them."""
    alt = altair()
    cutoff, top, all_top, one_top = frame.select("cutoff", "top", "all_top", "one_top").row(0)
    told = [
        {"value": all_top, "text": f"{cutoff} of grade {top:g}: {all_top:.3f}"},
        {"value": one_top, "text": f"one of grade {top:g}, {cutoff - 1} of the next lower: {one_top:.3f}"},
    ]
    base = alt.Chart(alt.InlineData(values=told)).encode(y="value:Q")
    above = base.encode(x=alt.value("width"), text="text:N")
    texts = [above.mark_text(style=kind, align="right", baseline="bottom", dy=-3) for kind in ("halo", "muted")]
    return [base.mark_rule(style="reference"), *texts]
