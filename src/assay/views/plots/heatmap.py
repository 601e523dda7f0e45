"""Heat map of all values, runs by topics: best runs first, hardest topics first.

Rows are runs, columns are topics, and the colour of a cell shows the value of the measure. Rows are sorted by the mean
of the run, best first. Columns are sorted by the mean of the topic over the runs, hardest first. Look for cells that
break the pattern: a hard topic on which one run succeeds, or an easy topic on which a good run fails. A crossed cell
has no value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.meta.selection import select_results
from assay.model.arrays import Floats, Ints
from assay.results.results import Results
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import (
    COLUMN_LABEL_WIDTH,
    add_short_names,
    column_axis,
    max_characters,
    row_axis,
    row_label_width,
    snap_step,
    wrap_text,
)
from assay.views.plots._figures import Data
from assay.views.plots._selection import check_minimum
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = None
HAS_HEIGHT = True
DEFAULT_WIDTH, PLOT_HEIGHT = 640, 560
_LEGEND_WIDTH = 66  # pixels
_MIN_CROSSED_CELL = 7  # minimum size of a cell with a cross, in pixels


def data(source: Campaign | Results, *, measure: str = "AP", most: int | None = None) -> Data:
    """Tabulate one row for each topic and each of the best *most* runs: their places, their means, and the value.

    *run_place* numbers the runs from the best. *topic_place* numbers the topics from the hardest by their mean over
    these runs. *value* is null if undefined. *better* is ``higher``, or ``lower`` if lower values are better.
    """
    if most is not None:
        check_minimum("most", most, 1)
    results = select_results(source, measure)
    first_measure = results.measures[0]
    selected = results.select(results.best(first_measure)[:most])
    values = selected.values[0]
    order = _sort_topics(values, first_measure.lower_is_better)
    run, topic = np.indices(values.shape).reshape(2, -1)
    topic_index = order[topic]
    frame = pl.DataFrame(
        {
            "run_place": run + 1,
            "run": pl.Series(selected.runs, dtype=pl.String).gather(run),
            "topic_place": topic + 1,
            "topic": pl.Series(selected.topics, dtype=pl.String).gather(topic_index),
            "value": values[run, topic_index],
            "run_mean": selected.overall()[:, 0][run],
            "topic_mean": topic_means(values)[topic_index],
        }
    ).with_columns(
        pl.col("value", "run_mean", "topic_mean").fill_nan(None),
        measure=pl.lit(str(first_measure)),
        better=pl.lit("lower" if first_measure.lower_is_better else "higher"),
    )
    columns = ("run_place", "run", "topic_place", "topic", "measure", "value", "run_mean", "topic_mean", "better")
    return Data(frame.select(columns), results.notes, results.provenance)


def topic_means(values: Floats) -> Floats:
    """Return the mean of each topic over the runs that have a value."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.asarray(np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0))


def _sort_topics(values: Floats, lower_is_better: bool) -> Ints:
    """Return the indices of the topics, hardest first; topics without a value are last."""
    mean = topic_means(values)
    ease = -mean if lower_is_better else mean
    return np.argsort(np.where(np.isnan(ease), np.inf, ease), kind="stable")


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a cell for each value, the names that fit, and a legend."""
    if frame.is_empty() or frame["value"].is_null().all():
        return empty_chart("no run has a value", style)
    runs, topics = (frame[name].unique(maintain_order=True).to_list() for name in ("run", "topic"))
    name_width = row_label_width(runs, style.total_width(DEFAULT_WIDTH))
    cell_width = snap_step((style.total_width(DEFAULT_WIDTH) - name_width - _LEGEND_WIDTH) / len(topics))
    cell_height = snap_step(style.row_height(len(runs), min(18.0, max(3.0, PLOT_HEIGHT / len(runs)))))
    width, height = cell_width * len(topics), cell_height * len(runs)
    frame = add_short_names(add_short_names(frame, "topic", COLUMN_LABEL_WIDTH), "run", name_width - 10)
    runs, topics = (frame[name].unique(maintain_order=True).to_list() for name in ("short_run", "short_topic"))
    x_axis = column_axis(topics, cell_width, "topics, hardest first", thin=True)
    x = alt.X("short_topic:N", scale=alt.Scale(domain=topics, padding=0), axis=x_axis)
    y_axis = row_axis(runs, cell_height, name_width - 10)
    y = alt.Y("short_run:N", scale=alt.Scale(domain=runs, padding=0), axis=y_axis)
    fields = tooltip("run:N", "topic:N", *decimals("value", "run_mean", "topic_mean"))
    base = alt.Chart(rows(frame), width=width, height=height).encode(x, y, fields)
    cells = base.transform_filter("isValid(datum.value)").mark_rect().encode(_colour(frame, height, style))
    if not frame["value"].null_count():
        return cells  # type: ignore[no-any-return]
    empty = base.transform_filter("!isValid(datum.value)")
    layers = [empty.mark_rect(style="soft"), cells]
    if min(cell_width, cell_height) >= _MIN_CROSSED_CELL:
        layers.append(empty.mark_text(style="muted").encode(text=alt.value("×")))
    return alt.layer(*layers)


def _colour(frame: pl.DataFrame, height: float, style: Style) -> alt.Color:
    low, high = (float(end) for end in (frame["value"].min(), frame["value"].max()))  # type: ignore[arg-type]
    if low == high:
        low, high = low - 0.5, high + 0.5
    reverse = frame["better"][0] == "lower"
    scale = alt.Scale(scheme=style.colours.scale, domain=[low, high], reverse=reverse)  # type: ignore[arg-type]
    length = min(120, max(40, height - 20))
    # A long name has several lines.
    title = wrap_text(frame["measure"][0], max_characters(_LEGEND_WIDTH))
    legend = alt.Legend(title=title, gradientLength=length)
    return alt.Color("value:Q", scale=scale, legend=legend)
