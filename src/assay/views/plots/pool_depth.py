"""The value of each run with a shallow pool against its value with all judgments, for several measures.

A point for each run. Below the dotted line a run is worth less when more documents are judged, above it more. RBP can
only rise: what is not judged yet counts as not relevant. AP has no such direction, as its recall base grows, too; with
a shallow pool it is usually too high. Tau tells how much the order of runs by the shallow pool is that by all
judgments.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.errors import InputError
from assay.measures import Measure
from assay.meta._pool_depth import PoolDepth, pool_depth
from assay.model.arrays import ROUNDING
from assay.views.plots._figures import Data
from assay.views.plots._series import columns
from assay.views.plots._style import Style, altair, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = "Moffat & Zobel (2008), Figs. 2, 4"
KEEP = "judgments"
MEASURES = ("AP", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)")
_MANY = 40  # runs: smaller points


def data(
    source: Campaign | PoolDepth, *, measures: str | Measure | Iterable[str | Measure] = MEASURES, pool: int = 10
) -> Data:
    """Tabulate the values of runs: measure, run, pool, shallow, full, tau.

    *shallow* is the value with the judgments of a pool of depth *pool* only, *full* that with all judgments, *tau*
    Kendall's correlation of the two orders of runs, the same for all runs.
    """
    report = source if isinstance(source, PoolDepth) else pool_depth(source, measures, [pool])
    if pool not in report.depths:
        raise InputError(f"pool: there is none of depth {pool}; choose one of {', '.join(map(str, report.depths))}")
    values, keys = report.by_run(), ["measure", "run"]
    taus = report.by_pool().filter(pl.col("depth") == pool).select("measure", "tau")
    all_judged = values.filter(pl.col("depth").is_null()).select(*keys, full="value")
    frame = (
        values.filter(pl.col("depth") == pool)
        .join(all_judged, on=keys, how="left", maintain_order="left")
        .join(taus, on="measure", how="left", maintain_order="left")
        .select(*keys, pool="depth", shallow="value", full="full", tau="tau")
        .sort(
            pl.col("measure").replace_strict({str(one): i for i, one in enumerate(report.measures)}),
            maintain_order=True,
        )
    )
    return Data(frame, report.notes, report.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """A panel for each measure."""
    seen = frame.filter(pl.col("shallow").is_finite() & pl.col("full").is_finite())
    if seen.is_empty():
        return nothing("no run has a value", style)
    parts = seen.partition_by("measure", maintain_order=True)
    across = columns(len(parts), style.room(), 150)
    side = min(320, (style.room() - 20) // across - 36)
    panels = [
        _panel(part, side, style, left=number % across == 0, bottom=number + across >= len(parts))
        for number, part in enumerate(parts)
    ]
    return altair().concat(*panels, columns=across, spacing=10)  # type: ignore[no-any-return]


def _panel(frame: pl.DataFrame, side: int, style: Style, *, left: bool, bottom: bool) -> Any:
    alt = altair()
    values = pl.concat([frame["shallow"], frame["full"]])
    domain = (1.04 * min(0.0, *values), 1.04 * max(0.0, *values) or 1.0)
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    axis = alt.Axis(tickCount=4, labelFlush=False, labelOverlap="greedy", labelSeparation=5)
    pool = frame["pool"][0]
    x = alt.X("shallow:Q", scale=scale, axis=axis, title=f"pool of depth {pool}" if bottom else None)
    y = alt.Y("full:Q", scale=scale, axis=axis, title="all judgments" if left else None)
    exact = [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("shallow", "full")]
    ends = alt.Chart(rows(pl.DataFrame({"shallow": domain, "full": domain})), width=side, height=side)
    size = 26 if len(frame) > _MANY else 42
    points = alt.Chart(rows(frame)).mark_circle(size=size, opacity=0.7, color=style.colours.late)
    return alt.layer(
        ends.mark_line(style="reference", clip=True).encode(x=x, y=y),
        points.encode(x=x, y=y, tooltip=["run:N", *exact]),
    ).properties(title=alt.Title(frame["measure"][0], subtitle=_told(frame), limit=side + 24))


def _told(frame: pl.DataFrame) -> str:
    """The correlation, and how many runs are below the line."""
    shallow, full = pl.col("shallow"), pl.col("full")
    below = frame.filter(full < shallow - ROUNDING * shallow.abs().clip(1)).height
    tau = frame["tau"][0]
    return f"{'no tau' if tau is None else f'tau {tau:.3f}'}, {below} of {len(frame)} fall"
