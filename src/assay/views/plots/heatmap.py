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

from assay.errors import InputError
from assay.model.arrays import Floats, Ints
from assay.results.results import Results
from assay.views.plots._band_axes import (
    COLUMN_LABEL_WIDTH,
    add_short_names,
    column_axis,
    row_axis,
    row_label_width,
    snap_step,
)
from assay.views.plots._figures import Data, results_of
from assay.views.plots._style import Style, altair, empty_chart, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = None
DEFAULT_WIDTH, PLOT_HEIGHT = 640, 560
_LEGEND_WIDTH = 66  # pixels
_MIN_CROSSED_CELL = 7  # minimum size of a cell with a cross, in pixels


def data(source: Campaign | Results, *, measure: str = "AP", most: int | None = None) -> Data:
    """Tabulate one row for each topic and each of the best *most* runs: their places, their means, and the value.

    *run_place* numbers the runs from the best. *topic_place* numbers the topics from the hardest by their mean over
    these runs. *value* is null if undefined. *better* is ``higher``, or ``lower`` if lower values are better.
    """
    if most is not None and most < 1:
        raise InputError(f"most must be at least 1, got {most}")
    results = results_of(source, measure)
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
            "measure": pl.Series([str(first_measure)] * len(run), dtype=pl.String),
            "value": values[run, topic_index],
            "run_mean": selected.overall()[:, 0][run],
            "topic_mean": _topic_means(values)[topic_index],
            "better": pl.Series(["lower" if first_measure.lower_is_better else "higher"] * len(run), dtype=pl.String),
        }
    ).with_columns(pl.col("value", "run_mean", "topic_mean").fill_nan(None))
    return Data(frame, results.notes, results.provenance)


def _topic_means(values: Floats) -> Floats:
    """Return the mean of each topic over the runs that have a value."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.asarray(np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0))


def _sort_topics(values: Floats, lower_is_better: bool) -> Ints:
    """Return the indices of the topics, hardest first; topics without a value are last."""
    mean = _topic_means(values)
    ease = -mean if lower_is_better else mean
    return np.argsort(np.where(np.isnan(ease), np.inf, ease), kind="stable")


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a cell for each value, the names that fit, and a legend."""
    alt = altair()
    if frame.is_empty() or frame["value"].is_null().all():
        return empty_chart("no run has a value", style)
    runs, topics = (frame[name].unique(maintain_order=True).to_list() for name in ("run", "topic"))
    name_width = row_label_width(runs, style.total_width(DEFAULT_WIDTH))
    cell_width = snap_step((style.total_width(DEFAULT_WIDTH) - name_width - _LEGEND_WIDTH) / len(topics))
    cell_height = snap_step(min(18.0, max(3.0, PLOT_HEIGHT / len(runs))))
    width, height = cell_width * len(topics), cell_height * len(runs)
    frame = add_short_names(add_short_names(frame, "topic", COLUMN_LABEL_WIDTH), "run", name_width - 10)
    runs, topics = (frame[name].unique(maintain_order=True).to_list() for name in ("short_run", "short_topic"))
    base = alt.Chart(rows(frame), width=width, height=height).encode(
        x=alt.X("short_topic:N", scale=_cell_scale(topics), axis=column_axis(topics, cell_width, _TOPICS, thin=True)),
        y=alt.Y("short_run:N", scale=_cell_scale(runs), axis=row_axis(runs, cell_height, name_width - 10)),
        tooltip=[
            "run:N",
            "topic:N",
            *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("value", "run_mean", "topic_mean")),
        ],
    )
    cells = base.transform_filter("isValid(datum.value)").mark_rect().encode(color=_colour(frame, height, style))
    if not frame["value"].null_count():
        return cells  # type: ignore[no-any-return]
    empty = base.transform_filter("!isValid(datum.value)")
    layers = [empty.mark_rect(style="soft"), cells]
    if min(cell_width, cell_height) >= _MIN_CROSSED_CELL:
        layers.append(empty.mark_text(style="muted").encode(text=alt.value("×")))
    return alt.layer(*layers)  # type: ignore[no-any-return]


_TOPICS = "topics, hardest first"


def _cell_scale(names: list[str]) -> alt.Scale:
    return altair().Scale(domain=names, padding=0)  # type: ignore[no-any-return]


def _colour(frame: pl.DataFrame, height: float, style: Style) -> alt.Color:
    alt = altair()
    low, high = (float(end) for end in (frame["value"].min(), frame["value"].max()))  # type: ignore[arg-type]
    if low == high:
        low, high = low - 0.5, high + 0.5
    scale = alt.Scale(scheme=style.colours.scale, domain=[low, high], reverse=frame["better"][0] == "lower")
    legend = alt.Legend(
        title=frame["measure"][0], gradientLength=min(120, max(40, height - 20)), titleLimit=_LEGEND_WIDTH
    )
    return alt.Color("value:Q", scale=scale, legend=legend)  # type: ignore[no-any-return]
