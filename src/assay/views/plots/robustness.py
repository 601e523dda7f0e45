"""Robustness of measures to incomplete judgments: Kendall's tau with the order of runs by all judgments.

Judgments are omitted at random, stratified by topic and grade, and the runs are ordered again. The x axis is the
percentage of the judgments that remain. A measure is robust if its line stays flat and near 1. The line is the mean tau
over several samples, and the band extends from the lowest to the highest tau. By default only the best 75 % of the runs
by MAP are ordered, as in the Twist study. Some judgments of each topic and grade are always kept. Percentages at which
no judgment would be omitted are not shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.meta._robustness import RATIOS, SEEDS, Robustness, robustness
from assay.views.plots._altair import alt
from assay.views.plots._figures import Data
from assay.views.plots._measures import MEASURES, dashes
from assay.views.plots._series import Label, label_layers, labels_width, series_colours
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Ferro et al. (2016), Fig. 13"
HAS_HEIGHT = True
KEEP = "judgments"
_AXIS = 54


def data(
    source: Campaign | Robustness,
    *,
    measures: Iterable[str] = MEASURES,
    ratios: Iterable[float] = RATIOS,
    seeds: int = SEEDS,
    share: float = 0.75,
    seed: int = 0,
) -> Data:
    """Tabulate one row per measure and ratio: measure, ratio (percentage of judgments), seeds, tau, low, high.

    *tau* is the mean over the *seeds* for which tau is defined; *low* and *high* are the minimum and the maximum. With
    all judgments (ratio 100), tau is 1 by definition, or null if the measure never separates two runs. Ratios at which
    no judgment can be omitted have no rows; the table may therefore be empty.
    """
    if isinstance(source, Robustness):
        report = source
    else:
        report = robustness(source, measures, ratios=ratios, seeds=seeds, best=share, seed=seed)
    tested = [ratio for ratio in report.ratios if report.omits_judgments(ratio)]
    table = report.frame().filter(pl.col("ratio").is_in(tested))
    table = table.select("measure", "ratio", "seeds", tau="tau_mean", low="tau_min", high="tau_max")
    order = {str(measure): number for number, measure in enumerate(report.measures)}
    position = pl.col("measure").replace_strict(order, return_dtype=pl.Int64)
    frame = pl.concat([_all_judgments(report, table.schema), table])
    return Data(frame.sort(position, -pl.col("ratio"), maintain_order=True), report.notes, report.provenance)


def _all_judgments(report: Robustness, schema: pl.Schema) -> pl.DataFrame:
    """Return the rows for all judgments; no rows if no ratio omits judgments and 100 is not one of the ratios."""
    if not (any(map(report.omits_judgments, report.ratios)) or 100 in report.ratios):
        return pl.DataFrame(schema=schema)
    defined = [bool(np.isfinite(values).any()) for values in report.tau]
    rows = [
        (str(measure), 100.0, len(report.seeds), *[1.0 if known else None] * 3)
        for measure, known in zip(report.measures, defined, strict=True)
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a line for each measure, with its name at the end."""
    if frame.is_empty():
        return empty_chart("too few judgments to omit any", style)
    known = frame.filter(pl.col("tau").is_not_null())
    if known.is_empty():
        return empty_chart("no measure separates any two runs", style)
    names = frame["measure"].unique(maintain_order=True).to_list()
    total_width = style.total_width(420)
    characters = 24 if total_width >= 400 else 14
    last = known.group_by("measure", maintain_order=True).last()
    labels = [Label(name, tau, name) for name, tau in last.select("measure", "tau").iter_rows()]
    width = total_width - labels_width(labels, characters) - _AXIS
    height = style.plot_height(min(max(round(0.85 * width), 14 * len(names)), 420))
    domain = _limits(known)
    colour = series_colours("measure", names, style)
    ratios = sorted(known["ratio"].unique().to_list())
    x_scale = alt.Scale(domain=[100, min(ratios[0], 99)], nice=False)
    x = alt.X("ratio:Q", title="judgments kept (%)", scale=x_scale, axis=alt.Axis(values=_ticks(ratios, width)))
    y_scale = alt.Scale(domain=list(domain), nice=False)
    y = alt.Y("tau:Q", title="Kendall's tau with all judgments", scale=y_scale, axis=alt.Axis(grid=True, tickCount=6))
    fields = tooltip("measure:N", "ratio:Q", *decimals("tau", "low", "high"), "seeds:Q")
    base = alt.Chart(rows(known), width=width, height=height).encode(x, colour)
    # Vertical rules instead of bands if there are many measures: bands would hide each other and the lines.
    spread = base.mark_area(opacity=0.12) if len(names) <= len(style.colours.series) else base.mark_rule(opacity=0.3)
    return alt.layer(
        spread.encode(alt.Y("low:Q", scale=y_scale), alt.Y2("high:Q")),
        base.mark_line(strokeWidth=2).encode(y, dashes("measure", names)),
        base.mark_circle(size=34, opacity=1).encode(y, fields),
        *label_layers(labels, domain, height, colour, characters),
    )


def _limits(known: pl.DataFrame) -> tuple[float, float]:
    """Return the domain of tau: from the lowest value, rounded down to a tenth, to 1."""
    lowest = min(known["low"].to_list())
    return max(-1.0, min(0.9, int(lowest * 10 - 1e-9) / 10 if lowest > 0 else lowest - 0.05)), 1.0


def _ticks(ratios: list[float], width: int) -> list[float]:
    """Return the ratios whose labels fit on the axis without overlapping."""
    ticks: list[float] = []
    gap = 26 * (100 - min(ratios[0], 99)) / max(width, 1)
    for ratio in reversed(ratios):
        if not ticks or ticks[-1] - ratio >= gap:
            ticks.append(ratio)
    return ticks
