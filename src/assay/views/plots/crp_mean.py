"""Mean curves of cumulated relative position (CRP) of runs over topics, with confidence bands.

The x axis is the rank, on a logarithmic scale. The y axis is the mean over topics of CRP divided by R, the number of
relevant documents of the topic. A curve falls while users are shown worse documents than the ideal ranking would show
at the same ranks, and rises when the missed documents appear. The band is the confidence interval of the mean at each
rank. The default runs are the best four by mean average precision (AP).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from assay.effort._mean_curve import NORMS, mean_curve
from assay.views.plots._altair import alt
from assay.views.plots._figures import Data
from assay.views.plots._series import names_above, series_colours
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip
from assay.views.plots.recall_precision import choose_runs, select_ranks

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = None
HAS_HEIGHT = True
CHOICES = {"norm": NORMS}


def data(
    source: Campaign,
    *,
    only: str | Sequence[str] | None = None,
    depth: int | None = None,
    norm: str = "R",
    confidence: float = 0.95,
    rel: float = 1,
) -> Data:
    """Tabulate the mean curves: run, rank, topics, mean, low, high, norm.

    There is a row for every rank to 100, and for selected ranks below.
    """
    runs = choose_runs(source, only, rel)
    report = mean_curve(source, runs=runs, depth=depth, norm=norm, confidence=confidence, rel=rel)
    frame = report.frame()
    frame = frame.filter(pl.col("rank").is_in(select_ranks(int(frame["rank"].max() or 1))))  # type: ignore[arg-type]
    return Data(frame.with_columns(norm=pl.lit(norm)), report.notes, report.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a line with a band for each run."""
    if frame.is_empty():
        return empty_chart("no run has a curve", style)
    names = frame["run"].unique(maintain_order=True).to_list()
    width = style.total_width() - 60
    x = alt.X("rank:Q", title="rank", scale=alt.Scale(type="log", nice=False), axis=alt.Axis(tickCount=4))
    title = "mean CRP / R" if frame["norm"][0] == "R" else "mean CRP"
    base = alt.Chart(rows(frame), width=width, height=style.plot_height(min(width, 340))).encode(
        x, series_colours("run", names, style)
    )
    axis = pl.DataFrame({"zero": [0.0]})
    layers = [
        alt.Chart(rows(axis)).mark_rule(strokeDash=[4, 3], opacity=0.6).encode(alt.Y("zero:Q", title=title)),
        base.mark_area(opacity=0.15).encode(alt.Y("low:Q", title=title), alt.Y2("high:Q")),
        base.mark_line(strokeWidth=1.8).encode(alt.Y("mean:Q", title=title)),
        base.mark_circle(size=60, opacity=0.001).encode(
            alt.Y("mean:Q", title=title), tooltip("run:N", alt.Tooltip("rank:Q"), *decimals("mean", "low", "high"))
        ),
        *names_above(names, width, style.colours.series),
    ]
    return alt.layer(*layers)
