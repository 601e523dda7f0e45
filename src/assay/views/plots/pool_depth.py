"""Values of runs with a shallow pool against their values with all judgments, for several measures.

Each point is a run. The x axis is its value with the judgments of a shallow pool, and the y axis is its value with all
judgments. The value of a run below the dashed diagonal decreases when more documents are judged; above the diagonal, it
increases. RBP can only increase, because unjudged documents count as non-relevant. AP can change in either direction,
because its recall base also grows; with a shallow pool, AP is usually too high. The subtitle shows Kendall's tau
between the two orders of the runs, and the number of runs whose value is lower with all judgments.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.errors import InputError
from assay.measures import Measure
from assay.meta._pool_depth import PoolDepth, pool_depth
from assay.model.arrays import ROUNDING
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import BOLD_CHARACTER_WIDTH, max_characters, wrap_text
from assay.views.plots._figures import Data
from assay.views.plots._series import panels_per_row
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Moffat & Zobel (2008), Figs. 2, 4"
KEEP = "judgments"
MEASURES = ("AP", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)")
_MAX_RUNS_WITH_LARGE_POINTS = 40


def data(
    source: Campaign | PoolDepth, *, measures: str | Measure | Iterable[str | Measure] = MEASURES, pool: int = 10
) -> Data:
    """Tabulate the values of runs: measure, run, pool, shallow, full, tau.

    *shallow* is the value with only the judgments of a pool of depth *pool*, and *full* is the value with all
    judgments. *tau* is Kendall's tau between the two orders of runs; it is the same in all rows of a measure.
    """
    report = source if isinstance(source, PoolDepth) else pool_depth(source, measures, [pool])
    if pool not in report.depths:
        raise InputError(f"pool: the report has no depth {pool}; choose one of {', '.join(map(str, report.depths))}")
    values, keys = report.by_run(), ["measure", "run"]
    taus = report.by_pool().filter(pl.col("depth") == pool).select("measure", "tau")
    full = values.filter(pl.col("depth").is_null()).select(*keys, full="value")
    order = pl.col("measure").replace_strict({str(measure): i for i, measure in enumerate(report.measures)})
    frame = (
        values.filter(pl.col("depth") == pool)
        .join(full, on=keys, how="left", maintain_order="left")
        .join(taus, on="measure", how="left", maintain_order="left")
        .select(*keys, pool="depth", shallow="value", full="full", tau="tau")
        .sort(order, maintain_order=True)
    )
    return Data(frame, report.notes, report.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw one panel per measure."""
    known = frame.filter(pl.col("shallow").is_finite() & pl.col("full").is_finite())
    if known.is_empty():
        return empty_chart("no run has a value", style)
    measure_frames = known.partition_by("measure", maintain_order=True)
    per_row = panels_per_row(len(measure_frames), style.total_width(), 150)
    side = min(320, (style.total_width() - 20) // per_row - 36)
    panels = [
        _panel(measure_frame, side, style, left=number % per_row == 0, bottom=number + per_row >= len(measure_frames))
        for number, measure_frame in enumerate(measure_frames)
    ]
    return alt.concat(*panels, columns=per_row, spacing=10)


def _panel(frame: pl.DataFrame, side: int, style: Style, *, left: bool, bottom: bool) -> Any:
    values = pl.concat([frame["shallow"], frame["full"]])
    domain = (1.04 * min(0.0, *values), 1.04 * max(0.0, *values) or 1.0)
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    axis = alt.Axis(tickCount=4, labelFlush=False, labelOverlap="greedy", labelSeparation=5)
    pool = frame["pool"][0]
    x = alt.X("shallow:Q", scale=scale, axis=axis, title=f"value, pool of depth {pool}" if bottom else None)
    y = alt.Y("full:Q", scale=scale, axis=axis, title="value, all judgments" if left else None)
    diagonal = alt.Chart(rows(pl.DataFrame({"shallow": domain, "full": domain})), width=side, height=side)
    size = 26 if len(frame) > _MAX_RUNS_WITH_LARGE_POINTS else 42
    points = alt.Chart(rows(frame)).mark_circle(size=size, opacity=0.7, color=style.colours.late)
    return alt.layer(
        diagonal.mark_line(style="reference", clip=True).encode(x, y),
        points.encode(x, y, tooltip("run:N", *decimals("shallow", "full"))),
        title=alt.Title(_heading(frame["measure"][0], side), subtitle=_subtitle(frame)),
    )


def _heading(measure: str, side: int) -> list[str]:
    """Return the name of a measure, in several lines if it is longer than the panel."""
    return wrap_text(measure, max_characters(side + 24, BOLD_CHARACTER_WIDTH))


def _subtitle(frame: pl.DataFrame) -> str:
    """Return tau and the number of runs below the diagonal."""
    shallow, full = pl.col("shallow"), pl.col("full")
    lower_count = frame.filter(full < shallow - ROUNDING * shallow.abs().clip(1)).height
    tau = frame["tau"][0]
    return f"{'no tau' if tau is None else f'tau {tau:.3f}'}, {lower_count} of {len(frame)} lower"
