"""Estimates of the values of runs if all documents were judged, next to other treatments of unjudged documents.

Runs are sorted by their estimates, best first. The wide bar extends from the lowest to the highest mean that grades of
the unjudged documents can produce. The dark line is the middle 90 % of the distribution of the mean under the prior of
the estimates. The marks are the mean with unjudged documents as non-relevant, the mean of condensed rankings, and the
estimate.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.measures import Measure
from assay.uncertainty import Estimates, estimate
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import BOLD_CHARACTER_WIDTH, add_short_names, max_characters, wrap_text
from assay.views.plots._figures import Data
from assay.views.plots._selection import check_minimum
from assay.views.plots._series import Label, labels_width, panels_per_row
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign
    from assay.engine.workers import Progress

SOURCE = None
KEEP = "documents"
MEASURES = ("P@10", "nDCG@10")
DEFAULT_WIDTH = 720
TREATMENTS = ("non-relevant", "condensed", "estimate")
_ROW = 16
_NAME_WIDTH = 80  # pixels


def data(
    source: Campaign | Estimates,
    *,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    prior: str | None = None,
    groups: Any = None,
    pool: int | None = None,
    samples: int = 1000,
    seed: int = 0,
    most: int = 40,
    progress: Progress | None = None,
) -> Data:
    """Tabulate the *most* runs with the best estimates.

    The columns are measure, place, run, value, condensed, mean, q05, q95, low, high. *value* is the mean with unjudged
    documents as non-relevant, and *mean* is the estimate. The other options are those of
    :func:`assay.uncertainty.estimate`. Runs without a value are omitted.
    """
    check_minimum("most", most, 1)
    report = source
    if not isinstance(report, Estimates):
        report = estimate(
            report,
            measures,
            prior=prior,
            groups=groups,
            pool=pool,
            samples=samples,
            seed=seed,
            leave_out=False,
            progress=progress,
        )
    frame = report.frame().drop_nulls("mean")
    ranked = []
    for measure in report.measures:
        own = frame.filter(pl.col("measure") == str(measure)).sort(
            "mean", descending=not measure.lower_is_better, maintain_order=True
        )
        ranked.append(own.with_columns(place=pl.int_range(1, pl.len() + 1, dtype=pl.Int64)).head(most))
    columns = ("measure", "place", "run", "value", "condensed", "mean", "q05", "q95", "low", "high")
    return Data(pl.concat(ranked).select(columns), report.notes, report.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw one panel per measure."""
    if frame.is_empty():
        return empty_chart("no run has a value", style)
    frames = add_short_names(frame, "run", _NAME_WIDTH).partition_by("measure", maintain_order=True)
    name_width = min(_NAME_WIDTH, labels_width([Label(run, 0) for run in frames[0]["short_run"].to_list()]))
    total_width = style.total_width(DEFAULT_WIDTH if len(frames) > 1 else 420)
    per_row = panels_per_row(len(frames), total_width, 110 + name_width)
    width = (total_width - 12) // per_row - name_width - 20
    panels = [_panel(measure_frame, width, style) for measure_frame in frames]
    return alt.concat(*panels, columns=per_row, spacing=12)


def _panel(frame: pl.DataFrame, width: int, style: Style) -> Any:
    order = alt.EncodingSortField("place", order="ascending")
    axis = alt.Axis(labelLimit=_NAME_WIDTH + 30, ticks=False, domain=False, title=None)
    y = alt.Y("short_run:N", sort=order, axis=axis)
    finite = frame.select(pl.col(pl.Float64)).to_numpy().ravel()
    finite = finite[np.isfinite(finite)]
    domain = (min(0.0, *finite), 1.01 * max(0.0, *finite) or 1.0) if len(finite) else (0.0, 1.0)
    x_axis = alt.Axis(grid=True, tickCount=4, labelFlush=False, labelOverlap="greedy", labelSeparation=5)
    x = alt.X("shown:Q", title="mean over topics", scale=alt.Scale(domain=domain, nice=False), axis=x_axis)
    fields = tooltip("run:N", "place:Q", *decimals("value", "condensed", "mean", "q05", "q95", "low", "high"))
    base = alt.Chart(rows(frame), width=width, height=alt.Step(_ROW)).encode(y, fields)
    bands = base.mark_bar(size=0.7 * _ROW, opacity=0.25, color=style.colours.late)
    intervals = base.mark_rule(strokeWidth=2, opacity=0.8, color=style.colours.late)
    names = dict(zip(("value", "condensed", "mean"), TREATMENTS, strict=True))
    points = frame.unpivot(
        list(names), index=["short_run", "run", "place"], variable_name="treatment", value_name="shown"
    ).with_columns(pl.col("treatment").replace_strict(names))
    scale = alt.Scale(domain=TREATMENTS)
    marks = alt.Chart(rows(points.drop_nulls("shown"))).mark_point(size=36, opacity=1)
    marks = marks.encode(
        x,
        y,
        alt.Color(
            "treatment:N",
            scale=scale,
            legend=alt.Legend(title="unjudged documents", orient="bottom", columns=1 if width < 240 else 3),
        ),
        alt.Shape("treatment:N", scale=scale),
        tooltip("run:N", "treatment:N", *decimals("shown")),
    )
    heading = wrap_text(frame["measure"][0], max_characters(width + 14, BOLD_CHARACTER_WIDTH))
    return alt.layer(
        bands.encode(alt.X("low:Q"), alt.X2("high:Q")),
        intervals.encode(alt.X("q05:Q"), alt.X2("q95:Q")),
        marks,
        title=alt.Title(heading),
    )
