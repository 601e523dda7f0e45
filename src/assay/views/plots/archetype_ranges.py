"""Range of the indicators of effort for each archetype of curves.

There is one panel for each indicator and one row for each archetype; the number beside an archetype counts its
rankings. The thin line extends from the lowest to the highest value, the box from the first to the third quartile, and
the tick is the median. The crossing x is the last rank before the curve of cumulated relative position (CRP) returns to
the axis, and the balance point is x, but at least R, the number of relevant documents. Both are divided by R and exist
only for curves that return to the axis. The recovery ratio is R divided by the balance point, or 0 without one. The
space ratios compare the ranks by which documents are too late (forward) or too early (backward) with those of the
full-scale ranking. Twist combines recovery and space; higher values mean less effort.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay import effort
from assay.effort._indicators import EffortReport
from assay.views.plots._altair import alt
from assay.views.plots._crp_layers import ARCHETYPES, archetype_colours
from assay.views.plots._figures import Data
from assay.views.plots._series import panels_per_row
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Ferro et al. (2016), Figs. 4 to 6"
INDICATORS = {
    "x": "crossing x / R",
    "balance_point": "balance point / R",
    "rho": "recovery ratio",
    "sigma_plus": "forward space ratio",
    "sigma_minus": "backward space ratio",
    "sigma": "space ratio",
    "twist": "Twist",
}
"""The indicators and the titles of their panels."""
RELATIVE = ("x", "balance_point")
"""Ranks, which are divided by R."""
_NAMES, _GAP, _ROW = 124, 22, 15
_RATIO_SCALE: dict[str, Any] = {
    "scale": {"domain": [0, 1]},
    "axis": {"grid": True, "values": [0, 0.5, 1], "format": "~r"},
    "title": None,
}


def data(source: Campaign | EffortReport, *, depth: int | None = None, length: str = "extend") -> Data:
    """Tabulate one row for each archetype and indicator.

    The columns are archetype, rankings (their number), indicator (x, balance_point, rho, sigma_plus, sigma_minus, sigma
    or twist), defined (the number of rankings with a finite value), low, q1, median, q3 and high (null without values).
    The ranks *x* and *balance_point* are divided by R, the number of relevant documents.
    """
    report = source if isinstance(source, EffortReport) else effort.indicators(source, depth=depth, length=length)
    crossing = report.curves.crossing_rank()
    frame = report.frame().with_columns(x=pl.Series(np.where(np.isfinite(crossing), crossing, np.nan)))
    frame = frame.filter(pl.col("archetype").is_not_null())
    frame = frame.with_columns(pl.col(name) / pl.col("r") for name in RELATIVE)
    tables = [_summarize(frame.filter(archetype=name), name) for name in ARCHETYPES]
    return Data(pl.concat(tables).filter(pl.lit(not frame.is_empty())), report.notes, report.provenance)


def _summarize(rankings: pl.DataFrame, archetype: str) -> pl.DataFrame:
    """Return the quartiles of the indicators of the rankings of one archetype."""
    quantiles = {"low": 0.0, "q1": 0.25, "median": 0.5, "q3": 0.75, "high": 1.0}
    table = []
    for indicator in INDICATORS:
        values = rankings[indicator].cast(pl.Float64)
        values = values.filter(values.is_finite())
        numbers = {name: values.quantile(share, "linear") for name, share in quantiles.items()}
        row = {"archetype": archetype, "rankings": len(rankings), "indicator": indicator, "defined": len(values)}
        table.append({**row, **numbers})
    counts = {"rankings": pl.Int64, "defined": pl.Int64}
    return pl.DataFrame(table, schema_overrides={**counts, **dict.fromkeys(quantiles, pl.Float64)})


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw one panel per indicator with a box for each archetype."""
    if frame.is_empty():
        return empty_chart("no topic has relevant documents", style)
    counts = frame.unique("archetype", maintain_order=True).select("archetype", "rankings")
    names = {name: f"{name} ({count:,})" for name, count in counts.iter_rows()}
    labelled = frame.with_columns(name=pl.col("archetype").replace_strict(names))
    total_width = style.total_width(560)
    columns = panels_per_row(len(INDICATORS), total_width - _NAMES, 108)
    width = (total_width - _NAMES - 12 - (columns - 1) * _GAP) // columns
    panels = [
        _panel(labelled.filter(indicator=indicator), list(names.values()), width, style, named=number % columns == 0)
        for number, indicator in enumerate(INDICATORS)
    ]
    return alt.concat(*panels, columns=columns, spacing={"row": 54, "column": _GAP}, bounds="flush")


def _rank_scale(frame: pl.DataFrame) -> dict[str, Any]:
    """Return a logarithmic scale that includes R, with ticks at powers of 10."""
    known = frame.drop_nulls("median")
    low, high = min([1.0, *known["low"]]), max([2.0, *known["high"]])
    powers = [10.0**power for power in range(-6, 10) if low <= 10.0**power <= high]
    axis = {"grid": True, "values": powers, "format": "~r"}
    return {"scale": {"type": "log", "domain": [low, high], "nice": False}, "axis": axis, "title": None}


def _panel(frame: pl.DataFrame, names: list[str], width: int, style: Style, *, named: bool) -> Any:
    """Draw the boxes of one indicator; *named* is true for the first panel of a row, which has the names."""
    indicator = frame["indicator"][0]
    axis = alt.Axis(labels=named, ticks=False, domain=False, labelPadding=6, labelLimit=_NAMES)
    y = alt.Y("name:N", sort=names, title=None, scale=alt.Scale(domain=names), axis=axis)
    options = _rank_scale(frame) if indicator in RELATIVE else _RATIO_SCALE
    colours = archetype_colours(style)
    shades = alt.Scale(domain=list(colours), range=list(colours.values()))
    base = alt.Chart(rows(frame.drop_nulls("median")), width=width, height=alt.Step(_ROW)).encode(
        y,
        alt.Color("archetype:N", scale=shades, legend=None),
        tooltip("archetype:N", "rankings:Q", "defined:Q", *decimals("low", "q1", "median", "q3", "high")),
    )
    return alt.layer(
        base.mark_rule(strokeWidth=1.5).encode(alt.X("low:Q", **options), alt.X2("high:Q")),
        base.mark_bar(size=9, opacity=0.5).encode(alt.X("q1:Q", **options), alt.X2("q3:Q")),
        base.mark_tick(size=11, thickness=2.5, opacity=1).encode(alt.X("median:Q", **options)),
        title=alt.Title(INDICATORS[indicator], fontWeight="normal", fontSize=11, anchor="start", frame="group"),
    )
