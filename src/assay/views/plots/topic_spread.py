"""Spread of the runs on each topic, hardest topic first, with some runs marked.

For each topic, a thin line extends from the lowest to the highest value of a run. The box extends from the first to the
third quartile of the runs, and the tick in it is the median. Topics are sorted by the median. Coloured points are the
marked runs, by default the best run. A long line is a topic on which the choice of the system matters. A point far from
its box is a topic on which the marked run is unusually good or bad.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.meta.selection import select_results
from assay.results.results import Results
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import COLUMN_LABEL_WIDTH, add_short_names, column_axis
from assay.views.plots._figures import Data
from assay.views.plots._selection import find_run
from assay.views.plots._series import names_above
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = None
HAS_HEIGHT = True
DEFAULT_WIDTH, PLOT_HEIGHT = 560, 240
MAX_MARKED = 8
"""Maximum number of marked runs."""
_AXIS_WIDTH = 60  # pixels beside the boxes
_MAX_BOX = 24  # maximum width of a box, in pixels
_COLUMNS = {
    "kind": pl.String,
    "place": pl.Int64,
    **dict.fromkeys(("topic", "measure", "run"), pl.String),
    **dict.fromkeys(("value", "low", "first_quarter", "third_quarter", "high"), pl.Float64),
    "runs": pl.Int64,
}


def data(source: Campaign | Results, *, measure: str = "AP", mark: str | Sequence[str] | None = None) -> Data:
    """Tabulate each topic (*kind* ``topic``), hardest first, then each marked run on each topic (*kind* ``run``).

    In the row of a topic, *value* is the median over the runs that have a value, and *runs* is the number of these
    runs. *low* and *high* are the minimum and the maximum; *first_quarter* and *third_quarter* are the first and the
    third quartile. In the row of a run, *value* is the value of this run on the topic.
    """
    results = select_results(source, measure)
    first_measure = results.measures[0]
    values = np.where(np.isinf(results.values[0]), np.nan, results.values[0])
    known = np.flatnonzero(~np.isnan(values).all(axis=0))
    quantiles = np.nanquantile(values[:, known], [0.0, 0.25, 0.5, 0.75, 1.0], axis=0)
    order = np.argsort(-quantiles[2] if first_measure.lower_is_better else quantiles[2], kind="stable")
    quantiles, order = quantiles[:, order], known[order]
    sorted_values = values[:, order]
    names = ("low", "first_quarter", "value", "third_quarter", "high")
    topics = pl.DataFrame(
        {
            "place": np.arange(1, len(order) + 1),
            "topic": pl.Series(results.topics, dtype=pl.String).gather(order),
            "measure": pl.Series([str(first_measure)] * len(order), dtype=pl.String),
        }
    )
    spread = topics.with_columns(
        *(pl.Series(name, row, dtype=pl.Float64) for name, row in zip(names, quantiles, strict=True)),
        kind=pl.lit("topic"),
        runs=pl.Series((~np.isnan(sorted_values)).sum(axis=0), dtype=pl.Int64),
    )
    marked = [
        topics.with_columns(
            kind=pl.lit("run"), run=pl.lit(run), value=pl.Series(sorted_values[results.runs.index(run)])
        )
        for run in _marked_runs(results, mark)
    ]
    frame = pl.concat([pl.DataFrame(schema=_COLUMNS), spread, *marked], how="diagonal")
    return Data(frame.with_columns(pl.col("value").fill_nan(None)), results.notes, results.provenance)


def _marked_runs(results: Results, mark: str | Sequence[str] | None) -> list[str]:
    if mark is None:
        return results.best(results.measures[0])[:1]
    names = [mark] if isinstance(mark, str) else list(mark)
    if len(names) > MAX_MARKED:
        raise InputError(f"mark: at most {MAX_MARKED} runs can be marked, got {len(names)}")
    return list(dict.fromkeys(find_run(name, results.runs, results.provenance) for name in names))


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw the boxes, sorted by their medians, and the marked runs as points that have the colours of their names."""
    if frame.is_empty():
        return empty_chart("no run has a value", style)
    short = add_short_names(frame, "topic", COLUMN_LABEL_WIDTH)
    topics, marked = short.filter(pl.col("kind") == "topic"), short.filter(pl.col("kind") == "run")
    names = topics["short_topic"].to_list()
    width = style.total_width(DEFAULT_WIDTH) - _AXIS_WIDTH
    step = width / len(names)
    box_width = max(1.0, min(_MAX_BOX, 0.7 * step))
    axis = column_axis(names, step, "topics, hardest first (by median)")
    x = alt.X("short_topic:N", scale=alt.Scale(domain=names, padding=0), axis=axis)
    y = alt.Y("low:Q", title=frame["measure"][0], scale=alt.Scale(zero=True, nice=True))
    numbers = decimals("value", "low", "first_quarter", "third_quarter", "high")
    base = alt.Chart(rows(topics), width=width, height=style.plot_height(PLOT_HEIGHT))
    base = base.encode(x, tooltip("topic:N", *numbers, "runs:Q"))
    lines = base.mark_rule(strokeWidth=max(0.4, min(1.0, step / 5)))
    boxes = base.mark_bar(width=box_width, opacity=0.35, color=style.colours.late)
    medians = base.mark_tick(style="label", width=box_width, height=1.5, orient="horizontal")
    layers = [
        lines.encode(y, alt.Y2("high:Q")),
        boxes.encode(alt.Y("first_quarter:Q"), alt.Y2("third_quarter:Q")),
        medians.encode(alt.Y("value:Q")),
    ]
    runs = marked["run"].unique(maintain_order=True).to_list()
    if runs:
        colour = alt.Color("run:N", scale=alt.Scale(domain=runs, range=_shades(style)[: len(runs)]), legend=None)
        points = alt.Chart(rows(marked)).mark_point(filled=True, opacity=1, size=max(8.0, min(40.0, 4 * step)))
        fields = tooltip("run:N", "topic:N", *decimals("value"))
        layers.append(points.encode(x, alt.Y("value:Q"), colour, fields))
    return alt.layer(*layers, *names_above(runs, width, _shades(style), points=True))


def _shades(style: Style) -> list[str]:
    """Return the colours of marked runs, without the colour of the boxes."""
    palette = style.colours
    shades = (palette.early, palette.right, *(shade for shade in palette.series[3:] if shade != palette.late))
    return list(islice(cycle(shades), MAX_MARKED))
