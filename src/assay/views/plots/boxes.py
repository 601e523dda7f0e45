"""Box plots of measures: distribution of the means over runs, or over topics.

A box extends from the first to the third quartile, with linear interpolation between adjacent values. The line in the
box is the median. Whiskers end at the last value within 1.5 times the length of the box, and values beyond the whiskers
are drawn as points. If there are at most ten values, all of them are drawn as points. By default each value is the mean
of a run over the topics; with ``--unit topic`` it is the mean of a topic over the runs. The paper shows the
distribution of the same means in another form.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.meta.selection import select_results
from assay.model.arrays import Floats
from assay.results.results import Results
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import add_short_names, row_label_width
from assay.views.plots._figures import Data
from assay.views.plots._measures import MEASURES
from assay.views.plots._selection import check_choice
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip
from assay.views.plots.heatmap import topic_means

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Ferro et al. (2016), Fig. 12"
HAS_HEIGHT = True
UNITS = ("run", "topic")
CHOICES = {"unit": UNITS}
WHISKER = 1.5
"""Maximum length of a whisker as a multiple of the length of the box."""
_MAX_VALUES_AS_POINTS, _ROW = 10, 24
_SUMMARY = ("q1", "median", "q3", "low", "high")


def data(
    source: Campaign | Results,
    *,
    measures: Iterable[str] = MEASURES,
    unit: str = "run",
    share: float | None = None,
    collection: str | None = None,
) -> Data:
    """Tabulate one row for each measure and each run (or topic) that has a value.

    The columns are collection, measure, unit, name (of the run or topic) and value; q1, median, q3, low and high
    describe the box of the measure, where *low* and *high* are the ends of the whiskers; *outlier* is true if the value
    lies beyond the whiskers. Concatenate the frames of several collections to draw them as panels.
    """
    check_choice("unit", unit, UNITS)
    results = select_results(source, measures, share)
    names = results.runs if unit == "run" else results.topics
    values = results.overall().T if unit == "run" else np.stack([topic_means(grid) for grid in results.values])
    schema = dict.fromkeys(("value", *_SUMMARY), pl.Float64)
    frames = [
        pl.DataFrame({"name": pl.Series(names, dtype=pl.String), "value": row, **_box(row)}, schema_overrides=schema)
        .filter(pl.col("value").is_not_nan())
        .with_columns(outlier=~pl.col("value").is_between("low", "high"))
        .select(
            pl.lit(collection, pl.String).alias("collection"),
            pl.lit(str(measure)).alias("measure"),
            pl.lit(unit).alias("unit"),
            pl.all(),
        )
        for measure, row in zip(results.measures, values, strict=True)
    ]
    return Data(pl.concat(frames), results.notes, results.provenance)


def _box(values: Floats) -> dict[str, float]:
    """Return the quartiles and the ends of the whiskers."""
    known = values[~np.isnan(values)]
    if not len(known):
        return dict.fromkeys(_SUMMARY, np.nan)
    q1, median, q3 = np.quantile(known, [0.25, 0.5, 0.75]).tolist()
    limit = WHISKER * (q3 - q1)
    within = known[(known >= q1 - limit) & (known <= q3 + limit)]  # values that are not outliers
    return {"q1": q1, "median": median, "q3": q3, "low": float(within.min()), "high": float(within.max())}


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a box for each measure, in one panel per collection."""
    if frame.is_empty():
        return empty_chart("no measure has a value", style)
    *others, last = frame.partition_by("collection", maintain_order=True)
    low, high = min(0.0, *frame["value"].to_list()), max(frame["value"].to_list())
    scale = alt.Scale(domain=[low, high if high > low else low + 1], nice=True)
    titles = {"run": "mean of a run over topics", "topic": "mean of a topic over runs"}
    panels = [_panel(collection, scale, None, style) for collection in others]
    panels.append(_panel(last, scale, titles[last["unit"][0]], style))
    return panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=12)


def _panel(frame: pl.DataFrame, scale: alt.Scale, title: str | None, style: Style) -> Any:
    """Draw the boxes of one collection; *title* is the title of the x axis."""
    unit = frame["unit"][0]
    name_width = row_label_width(frame["measure"].unique().to_list(), style.total_width(), 190)
    frame = add_short_names(frame, "measure", name_width - 8)
    y_axis = alt.Axis(labelLimit=name_width + 22, ticks=False, domain=False, labelPadding=6)
    order = frame["short_measure"].unique(maintain_order=True).to_list()
    y = alt.Y("short_measure:N", sort=order, title=None, axis=y_axis)
    x: dict[str, Any] = {"scale": scale, "title": title, "axis": alt.Axis(grid=True, tickCount=6)}
    boxes = frame.unique("measure", keep="first", maintain_order=True).select("measure", "short_measure", *_SUMMARY)
    base = alt.Chart(
        rows(boxes), width=style.total_width() - name_width - 24, height=alt.Step(style.row_height(len(order), _ROW))
    )
    base = base.encode(y, tooltip("measure:N", *decimals(*_SUMMARY)))
    largest = frame.group_by("measure").len()["len"].max()
    visible = frame.filter(pl.col("outlier") | (pl.lit(largest) <= _MAX_VALUES_AS_POINTS))
    visible = visible.select("measure", "short_measure", "name", "value")
    fields = tooltip("measure:N", alt.Tooltip("name:N", title=unit), *decimals("value"))
    colour = style.colours.late
    points = alt.Chart(rows(visible)).mark_point(size=22, strokeWidth=1.3, opacity=0.9, color=colour)
    whiskers = base.mark_rule(strokeWidth=1.5, opacity=0.9, color=colour)
    bars = base.mark_bar(size=13, opacity=0.4, color=colour)
    medians = base.mark_tick(size=17, thickness=2.5, opacity=1, color=colour)
    return alt.layer(
        whiskers.encode(alt.X("low:Q", **x), alt.X2("q1:Q")),
        whiskers.encode(alt.X("q3:Q", **x), alt.X2("high:Q")),
        bars.encode(alt.X("q1:Q", **x), alt.X2("q3:Q")),
        medians.encode(alt.X("median:Q", **x)),
        points.encode(alt.X("value:Q", **x), y, fields),
        title=frame["collection"][0] or alt.Undefined,
    )
