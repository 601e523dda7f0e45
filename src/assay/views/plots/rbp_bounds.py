"""Values of runs with their bounds over all possible judgments of the unjudged documents.

Runs are sorted by their values, best first. The mark is the mean value of a run over topics. The band extends from the
lowest to the highest mean that judgments of the unjudged documents can produce. If the bands of two runs do not
overlap, no judgment can change their order. If the bands overlap, the order may still be certain, because runs share
documents. No judgment can move a run across a dashed line. A run that did not contribute to the pool has a wide band.
Any measure can be shown, not only RBP.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.measures import Measure
from assay.model.arrays import ROUNDING
from assay.uncertainty._bounds import Bounds, bounds
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import BOLD_CHARACTER_WIDTH, add_short_names, max_characters, wrap_text
from assay.views.plots._figures import Data
from assay.views.plots._series import Label, labels_width, panels_per_row
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign
    from assay.engine.workers import Progress

SOURCE = None
HAS_HEIGHT = True
MEASURES = ("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)")
DEFAULT_WIDTH = 720
_MAX_NAMED = 30  # for more runs, names are omitted
_ROW, _MAX_HEIGHT = 14, 400  # pixels: height of a row with a name, and maximum height of all rows without names
_NAME_WIDTH = 80  # pixels


def data(
    source: Campaign | Bounds,
    *,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    progress: Progress | None = None,
) -> Data:
    """Tabulate the runs by value, best first: measure, place, run, value, low, high, first, last, parted.

    *low* and *high* are the bounds of the value. *first* and *last* are the best and the worst place that the run can
    reach within the bounds. *parted* is true if no run at this place or above can exchange places with a run below it.
    Runs without a value are omitted.
    """
    report = source if isinstance(source, Bounds) else bounds(source, measures, progress=progress)
    results, means = report.results, report.means().drop_nulls("value")
    frame = pl.concat([_rank_runs(means, measure, results.best(measure)) for measure in results.measures])
    return Data(frame, report.notes, report.provenance)


def _rank_runs(means: pl.DataFrame, measure: Measure, order: list[str]) -> pl.DataFrame:
    runs = pl.DataFrame({"run": order}, schema={"run": pl.String})
    ranked = runs.join(means.filter(pl.col("measure") == str(measure)), on="run", maintain_order="left")
    sign = -1.0 if measure.lower_is_better else 1.0
    ends = np.sort(sign * ranked.select("low", "high").to_numpy(), axis=1)
    worst, best = ends[:, 0], ends[:, 1]
    # A run is certainly better than another if its worst value exceeds the best value of the other run.
    better_count = len(ranked) - np.searchsorted(np.sort(worst), best + ROUNDING, side="right")
    worse_count = np.searchsorted(np.sort(best), worst - ROUNDING, side="left")
    # The first i runs are parted from the rest if their lowest worst value exceeds the highest best value of the rest.
    lowest_worst = np.minimum.accumulate(worst)[:-1]
    highest_best = np.maximum.accumulate(best[::-1])[::-1][1:]
    parted = np.append(lowest_worst > highest_best + ROUNDING, False)[: len(ranked)]
    return ranked.select(
        "measure",
        pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("place"),
        "run",
        "value",
        "low",
        "high",
        pl.Series("first", 1 + better_count, dtype=pl.Int64),
        pl.Series("last", len(ranked) - worse_count, dtype=pl.Int64),
        pl.Series("parted", parted, dtype=pl.Boolean),
    )


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw one panel per measure."""
    if frame.is_empty():
        return empty_chart("no run has a value", style)
    frames = add_short_names(frame, "run", _NAME_WIDTH).partition_by("measure", maintain_order=True)
    named = max(map(len, frames)) <= _MAX_NAMED
    labels = [Label(run, 0) for run in frames[0]["short_run"].to_list()]
    name_width = min(_NAME_WIDTH, labels_width(labels)) if named else 0
    total_width = style.total_width(DEFAULT_WIDTH if len(frames) > 1 else 420)
    per_row = panels_per_row(len(frames), total_width, 110 + name_width)
    width = (total_width - 12) // per_row - name_width - (20 if named else 30)
    panels = [_panel(measure_frame, width, style, named=named) for measure_frame in frames]
    return alt.concat(*panels, columns=per_row, spacing=12)


def _panel(frame: pl.DataFrame, width: int, style: Style, *, named: bool) -> Any:
    step = style.row_height(len(frame), _ROW if named else max(2.0, min(8.0, _MAX_HEIGHT / len(frame))))
    order = alt.EncodingSortField("place", order="ascending")
    title = None if named else "runs, best first"
    y_axis = alt.Axis(labels=named, labelLimit=_NAME_WIDTH + 30, ticks=False, domain=False, title=title)
    y = alt.Y("short_run:N", sort=order, axis=y_axis)
    ends = [end for name in ("value", "low", "high") for end in frame[name].to_list() if math.isfinite(end)]
    scale = alt.Scale(domain=(min(0.0, *ends), 1.01 * max(0.0, *ends) or 1.0), nice=False)
    x_axis = alt.Axis(grid=True, tickCount=4, labelFlush=False, labelOverlap="greedy", labelSeparation=5)
    x = alt.X("value:Q", title="value with bounds", scale=scale, axis=x_axis)
    fields = tooltip("run:N", "place:Q", *decimals("value", "low", "high"), "first:Q", "last:Q")
    base = alt.Chart(rows(frame), width=width, height=alt.Step(step)).encode(y, fields)
    bands = base.mark_bar(size=max(1.5, 0.75 * step), opacity=0.35, color=style.colours.late)
    values = base.mark_tick(thickness=1.5, size=max(2.0, 0.9 * step), opacity=1, color=style.colours.late)
    layers = [bands.encode(alt.X("low:Q"), alt.X2("high:Q")), values.encode(x)]
    parted = frame.filter("parted")
    if len(parted):
        rules = alt.Chart(rows(parted)).mark_rule(style="reference", opacity=0.6)
        layers.append(rules.encode(alt.Y("short_run:N", sort=order, bandPosition=1)))
    heading = wrap_text(frame["measure"][0], max_characters(width + 14, BOLD_CHARACTER_WIDTH))
    return alt.layer(*layers, title=alt.Title(heading, subtitle=_subtitle(frame)))


def _subtitle(frame: pl.DataFrame) -> str:
    """Return the percentage of pairs of runs whose order no judgment can change, rounded down: 100% means all pairs."""
    run_count = len(frame)
    pair_count, certain_count = run_count * (run_count - 1) // 2, int((run_count - frame["last"]).sum())
    return f"{math.floor(1000 * certain_count / pair_count) / 10:g}% of pairs certain" if pair_count else "one run"
