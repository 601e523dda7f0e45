"""Leaderboard: mean of each run with its confidence interval, best run first.

The confidence interval of a mean is Student's t interval over the topics. Overlapping intervals do not show whether two
runs differ significantly: use ``assay compare`` or the figure ``significance``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.meta.selection import select_results
from assay.results.external.missing import refuse_pairwise
from assay.results.results import Results
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import add_short_names, row_label_width
from assay.views.plots._figures import Data
from assay.views.plots._selection import check_minimum
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = None
HAS_HEIGHT = True
ROW = 15
_NAME_WIDTH = 120  # pixels


def data(source: Campaign | Results, *, measure: str = "AP", confidence: float = 0.95, most: int = 40) -> Data:
    """Tabulate the best *most* runs: place (tied runs share a place), run, measure, value (mean), low, high, topics."""
    check_minimum("most", most, 1)
    results = select_results(source, measure)
    refuse_pairwise(results)
    first_measure = results.measures[0]
    order = results.best(first_measure)
    means = results.select(order).means(confidence).filter(pl.col("measure") == str(first_measure))
    places = pl.Series("place", np.sort(results.places(first_measure)), dtype=pl.Int64)
    return Data(means.insert_column(0, places).head(most), results.notes, results.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw each mean as a dot, on a line that shows its confidence interval."""
    if frame.is_empty() or frame["value"].is_null().all():
        return empty_chart("no run has a value", style)
    measure = frame["measure"][0]
    name_width = row_label_width(frame["run"].to_list(), style.total_width(), _NAME_WIDTH)
    frame = add_short_names(frame, "run", name_width - 6)
    order = frame["short_run"].to_list()
    y_axis = alt.Axis(labelLimit=name_width + 30, ticks=False, domain=False)
    y = alt.Y("short_run:N", sort=order, title=None, axis=y_axis)
    base = alt.Chart(
        rows(frame), width=style.total_width() - name_width - 20, height=alt.Step(style.row_height(len(frame), ROW))
    )
    base = base.encode(y, tooltip("place:Q", "run:N", *decimals("value", "low", "high")))
    known = frame.filter(pl.col("low").is_finite() & pl.col("high").is_finite())
    title = f"mean {measure} with confidence interval" if len(known) else f"mean {measure}"
    x = alt.X("value:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(grid=True))
    lines = base.mark_rule(strokeWidth=2, opacity=0.55, color=style.colours.late)
    lines = lines.encode(alt.X("low:Q"), alt.X2("high:Q"))
    dots = base.mark_circle(size=42, opacity=1, color=style.colours.late).encode(x)
    # Without any interval the layer is omitted, because its scale would have no domain.
    return alt.layer(*([lines] if len(known) else []), dots)
