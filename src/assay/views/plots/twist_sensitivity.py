"""Sensitivity of Twist: its mean and the order of runs, against persistence and for several weights.

The x axis of both panels is the persistence of the user; its scale is stretched near 1, where Twist changes most. The
first panel shows the mean of Twist. The second panel shows Kendall's tau between the order of runs by this form of
Twist and the order by published Twist, which has persistence 1 and no weights. Each line belongs to one weighting of
misplacements.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import polars as pl

from assay.effort._sensitivity import PERSISTENCES, WEIGHTS, sensitivity
from assay.views.plots._altair import alt
from assay.views.plots._figures import Data
from assay.views.plots._series import names_above, series_colours
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = None
HAS_HEIGHT = True
_STRETCH = 8  # the power that spreads persistences close to 1
_TICKS = (0.5, 0.8, 0.9, 0.95, 1.0)
PANELS = {"mean": "mean Twist", "tau": "tau with published Twist"}


def data(
    source: Campaign,
    *,
    persistences: Iterable[float] = PERSISTENCES,
    weights: str | Iterable[str] = WEIGHTS,
    depth: int | None = None,
) -> Data:
    """Tabulate the forms of Twist: weights, persistence, mean, tau, tau_ap, change.

    *mean* is the mean of Twist over runs and topics. *tau* and *tau_ap* compare the order of runs with the order by
    published Twist. *change* is the largest absolute change of the mean of a run.
    """
    report = sensitivity(source, persistences=persistences, weights=weights, depth=depth)
    return Data(report.frame(), report.notes, report.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw two panels with a line for each weighting."""
    if frame.is_empty():
        return empty_chart("no form of Twist to show", style)
    names = frame["weights"].unique(maintain_order=True).to_list()
    is_narrow = style.total_width() < 480
    width = style.total_width() - 60 if is_narrow else (style.total_width() - 130) // 2
    lowest = float(frame.select(pl.col("persistence").min()).item())
    axis = alt.Axis(values=[tick for tick in _TICKS if tick >= lowest], format=".2~f", labelFlush=False)
    scale = alt.Scale(type="pow", exponent=_STRETCH, zero=False, nice=False)
    x = alt.X("persistence:Q", title="persistence", axis=axis, scale=scale)
    colour = series_colours("weights", names, style)
    panels: list[alt.LayerChart | alt.FacetChart] = []
    for column, title in PANELS.items():
        y = alt.Y(f"{column}:Q", title=title, scale=alt.Scale(zero=False))
        base = alt.Chart(
            rows(frame.filter(pl.col(column).is_not_null())), width=width, height=style.plot_height(220)
        ).encode(x, y, colour)
        fields = tooltip("weights:N", alt.Tooltip("persistence:Q"), *decimals("mean", "tau", "change"))
        layers = [base.mark_line(strokeWidth=1.8), base.mark_circle(size=40).encode(fields)]
        # The names stand above the first panel; beside it, the second panel has room for them, too.
        shown = [] if panels and is_narrow else names_above(names, width, style.colours.series)
        panels.append(alt.layer(*layers, *shown))
    return alt.vconcat(*panels) if is_narrow else alt.hconcat(*panels)
