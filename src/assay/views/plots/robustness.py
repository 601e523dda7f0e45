"""Robustness of measures: Kendall's tau with the order by all judgments, as fewer and fewer of them are kept.

Judgments are left out at random, by topic and grade, and the runs are ordered anew. The flatter a line and the nearer
to 1, the more robust is the measure. A line is the mean over several samples, its band reaches from the lowest to the
highest of them. As in the study of Twist, only the best 75 % of the runs by MAP are ordered unless another share is
given. Some judgments of each topic and grade are always kept; a share that would leave out none tests nothing and is
not shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.meta._robustness import RATIOS, SEEDS, Robustness, robustness
from assay.views.plots._figures import Data
from assay.views.plots._measures import MEASURES, dashes
from assay.views.plots._series import Label, beside, breadth, colours
from assay.views.plots._style import Style, altair, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = "Ferro et al. (2016), Fig. 13"
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
    """Tabulate a row for each measure and ratio: measure, ratio (percent of the judgments), seeds, tau, low, high.

    *tau* is the mean over the *seeds* for which there is one, *low* and *high* are the ends. With all judgments (100)
    tau is 1 by definition, and null if the measure never tells two runs apart. Ratios at which no judgment could be
    left out have no rows, so that there may be no rows at all.
    """
    report = source
    if not isinstance(report, Robustness):
        report = robustness(report, measures, ratios=ratios, seeds=seeds, best=share, seed=seed)
    tested = [ratio for ratio in report.ratios if report.tested(ratio)]
    tidy = report.frame().filter(pl.col("ratio").is_in(tested))
    tidy = tidy.select(
        "measure", "ratio", "seeds", tau=pl.col("tau_mean"), low=pl.col("tau_min"), high=pl.col("tau_max")
    )
    order = {str(measure): number for number, measure in enumerate(report.measures)}
    place = pl.col("measure").replace_strict(order, return_dtype=pl.Int64)
    frame = pl.concat([_all_judgments(report, tidy.schema), tidy]).sort(place, -pl.col("ratio"), maintain_order=True)
    return Data(frame, report.notes, report.provenance)


def _all_judgments(report: Robustness, schema: pl.Schema) -> pl.DataFrame:
    """The rows of all judgments, unless there is nothing to compare with them."""
    if not (any(map(report.tested, report.ratios)) or 100 in report.ratios):
        return pl.DataFrame(schema=schema)
    told_apart = [bool(np.isfinite(values).any()) for values in report.tau]
    rows = [
        (str(measure), 100.0, len(report.seeds), *[1.0 if known else None] * 3)
        for measure, known in zip(report.measures, told_apart, strict=True)
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """A line for each measure, its name beside its end."""
    alt = altair()
    if frame.is_empty():
        return nothing("too few judgments for any to be left out", style)
    known = frame.filter(pl.col("tau").is_not_null())
    if known.is_empty():
        return nothing("no measure tells two runs apart", style)
    names = frame["measure"].unique(maintain_order=True).to_list()
    room = style.room(420)
    most = 24 if room >= 400 else 14
    last = known.group_by("measure", maintain_order=True).last()
    labels = [Label(name, tau, name) for name, tau in last.select("measure", "tau").iter_rows()]
    width = room - breadth(labels, most) - _AXIS
    height = min(max(round(0.85 * width), 14 * len(names)), 420)
    domain = _limits(known)
    colour = colours("measure", names, style)
    ratios = sorted(known["ratio"].unique().to_list())
    across = alt.Scale(domain=[100, min(ratios[0], 99)], nice=False)
    x = alt.X("ratio:Q", title="judgments kept, %", scale=across, axis=alt.Axis(values=_ticks(ratios, width)))
    scale = alt.Scale(domain=list(domain), nice=False)
    y = alt.Y("tau:Q", title="Kendall's tau with all judgments", scale=scale, axis=alt.Axis(grid=True, tickCount=6))
    tip = [
        "measure:N",
        "ratio:Q",
        *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("tau", "low", "high")),
        "seeds:Q",
    ]
    base = alt.Chart(rows(known), width=width, height=height).encode(x=x, color=colour)
    # Many bands would hide each other and the lines.
    spread = base.mark_area(opacity=0.12) if len(names) <= len(style.colours.series) else base.mark_rule(opacity=0.3)
    return alt.layer(  # type: ignore[no-any-return]
        spread.encode(y=alt.Y("low:Q", scale=scale), y2="high:Q"),
        base.mark_line(strokeWidth=2).encode(y=y, strokeDash=dashes("measure", names)),
        base.mark_circle(size=34, opacity=1).encode(y=y, tooltip=tip),
        *beside(labels, domain, height, colour, most),
    )


def _limits(known: pl.DataFrame) -> tuple[float, float]:
    """From a tenth below the lowest to 1."""
    lowest = min(known["low"].to_list())
    return max(-1.0, min(0.9, int(lowest * 10 - 1e-9) / 10 if lowest > 0 else lowest - 0.05)), 1.0


def _ticks(ratios: list[float], width: int) -> list[float]:
    """The ratios as ticks, as far as their labels do not meet."""
    shown: list[float] = []
    gap = 26 * (100 - min(ratios[0], 99)) / max(width, 1)
    for ratio in reversed(ratios):
        if not shown or shown[-1] - ratio >= gap:
            shown.append(ratio)
    return shown
