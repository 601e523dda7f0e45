"""Runs by their mean, best first, with the interval over topics.

The interval holds the mean of one run with the given confidence, by Student's t over the topics. Whether two runs
differ is not decided by whether their intervals overlap: use ``assay compare`` or the figure ``significance``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.results.results import Results
from assay.views.plots._bands import add_short_names
from assay.views.plots._figures import Data, results_of
from assay.views.plots._style import Style, altair, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = None
ROW = 15
_NAMES = 120  # pixels


def data(source: Campaign | Results, *, measure: str = "AP", confidence: float = 0.95, most: int = 40) -> Data:
    """Tabulate the *most* best runs: place (shared by equal runs), run, measure, value, low, high, topics."""
    if most < 1:
        raise InputError(f"most must be at least 1, got {most}")
    results = results_of(source, measure)
    first = results.measures[0]
    order = results.best(first)
    means = results.select(order).means(confidence).filter(pl.col("measure") == str(first))
    places = pl.Series("place", np.sort(results.places(first)), dtype=pl.Int64)
    return Data(means.insert_column(0, places).head(most), results.notes, results.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """A dot for each run on a line for its interval."""
    alt = altair()
    if frame.is_empty() or frame["value"].is_null().all():
        return nothing("no run has a value", style)
    measure = frame["measure"][0]
    frame = add_short_names(frame, "run", _NAMES)
    order = frame["short_run"].to_list()
    axis = alt.Axis(labelLimit=_NAMES + 30, ticks=False, domain=False)
    base = alt.Chart(rows(frame), width=style.room() - 130, height=alt.Step(ROW)).encode(
        y=alt.Y("short_run:N", sort=order, title=None, axis=axis),
        tooltip=["place:Q", "run:N", *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("value", "low", "high"))],
    )
    known = frame.filter(pl.col("low").is_finite() & pl.col("high").is_finite())
    title = f"{measure}, mean and interval" if len(known) else f"{measure}, mean"
    axis = alt.X("value:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(grid=True))
    lines = base.mark_rule(strokeWidth=2, opacity=0.55, color=style.colours.late).encode(x="low:Q", x2="high:Q")
    dots = base.mark_circle(size=42, opacity=1, color=style.colours.late).encode(x=axis)
    # Without any interval there is no layer of them: its scale would have no ends.
    return alt.layer(*([lines] if len(known) else []), dots)  # type: ignore[no-any-return]
