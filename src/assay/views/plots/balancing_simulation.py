"""How often two simulated runs are told apart, against the rank down to which their tops agree.

Two runs are drawn many times over: equal down to a rank, the first with more relevant documents from there to rank 20
(``--top``), the second with far more below. The share of trials in which a t test calls them different by a top-heavy
measure falls about its balancing index, the dashed line: the tail, where they differ most, is not seen. The band holds
the share with confidence 0.95, given the number of trials; the paper has 10,000 of them. The default measure takes
about a second for 2,000; those that are no weighted sum over ranks, such as AP and ERR, take far longer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.measures import Measure
from assay.theory._trials import DRAWINGS, TOP
from assay.theory._trials import trials as run_trials
from assay.views.plots._figures import Data
from assay.views.plots._series import Label, beside, breadth, colours
from assay.views.plots._style import Style, altair, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.workers import Progress

SOURCE = "Ferrante et al. (2015), Fig. 1b"
CHOICES = {"drawing": tuple(DRAWINGS)}
TRIALS = 2000
LETTERS = 24
_NORMAL = 1.959963984540054  # the quantile at 0.975


def data(
    *,
    measures: str | Measure | Iterable[str | Measure] = ("RBP(p=0.8)",),
    trials: int = TRIALS,
    drawing: str = "random-rounding",
    same: float = 20,
    first: tuple[float, float] = (70, 10),
    second: tuple[float, float] = (30, 70),
    top: int = TOP,
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress | None = None,
) -> Data:
    """Tabulate the share of trials: measure, balance, rank, rejected, low, high, first, second, difference.

    *balance* is the balancing index of the measure (null if it has none), *rejected* the share in which the runs differ
    significantly, within *low* and *high*; in *first* and *second* the one or the other is better; *difference* is that
    of their means. *drawing*, *same*, *first*, *second* and *top* are those of ``simulate_trials``.
    """
    design: dict[str, Any] = {"drawing": drawing, "same": same, "first": first, "second": second, "top": top}
    report = run_trials(measures, trials=trials, alpha=alpha, seed=seed, progress=progress, **design)
    index = [int(each) if math.isfinite(each) else None for each in report.balance]
    balance = pl.DataFrame(
        {"measure": [str(one) for one in report.measures], "balance": index}, schema_overrides={"balance": pl.Int64}
    )
    frame = report.frame().join(balance, on="measure", how="left", maintain_order="left")
    frame = frame.with_columns(*_interval(trials)).select(
        "measure", "balance", "rank", "rejected", "low", "high", "first", "second", "difference"
    )
    return Data(frame, report.notes, report.provenance)


def _interval(trials: int) -> tuple[pl.Expr, pl.Expr]:
    """Return the ends of Wilson's interval of a share."""
    share, z = pl.col("rejected"), _NORMAL**2 / trials
    centre = (share + z / 2) / (1 + z)
    half = (share * (1 - share) * z + z**2 / 4).sqrt() / (1 + z)
    return (centre - half).clip(0, 1).alias("low"), (centre + half).clip(0, 1).alias("high")


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """A line with its band for each measure, and a rule at its balancing index."""
    alt = altair()
    if frame.is_empty():
        return nothing("no trials", style)
    names = frame["measure"].unique(maintain_order=True).to_list()
    labels = _labels(frame)
    last = max(frame["rank"].to_list())
    width = style.room() - breadth(labels, LETTERS) - 62
    height = min(max(round(0.75 * width), 16 * len(labels), 150), 340)
    x = alt.X("rank:Q", title="tops agree down to rank", scale=alt.Scale(domain=(0, max(last, 1)), nice=False))
    y = alt.Y(
        "rejected:Q", title="share of trials told apart", scale=alt.Scale(domain=(0, 1)), axis=alt.Axis(tickCount=5)
    )
    colour = colours("measure", names, style)
    numbers = [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("rejected", "low", "high", "first", "second")]
    base = alt.Chart(rows(frame), width=width, height=height).encode(color=colour)
    curves = base.encode(x=x, y=y, tooltip=["measure:N", "rank:Q", *numbers])
    inside = frame.filter(pl.col("balance") <= last).unique("measure", keep="first", maintain_order=True)
    rules = (
        alt.Chart(rows(inside))
        .mark_rule(strokeDash=[3, 3])
        .encode(x=alt.X("balance:Q"), color=colour, tooltip=["measure:N", "balance:Q"])
    )
    return alt.layer(  # type: ignore[no-any-return]
        rules,
        base.mark_area(opacity=0.25).encode(x=x, y=alt.Y("low:Q"), y2="high:Q"),
        curves.mark_line(strokeWidth=2),
        curves.mark_circle(size=26, opacity=1),
        *beside(labels, (0.0, 1.0), height, colour, LETTERS),
    )


def _labels(frame: pl.DataFrame) -> list[Label]:
    """The measures beside where their lines end, each with its balancing index below."""
    ends = frame.filter(pl.col("rank") == pl.col("rank").max()).unique("measure", keep="first", maintain_order=True)
    found = ends.select("measure", "balance", "rejected").iter_rows()
    return [
        Label(f"{measure}, B = {'none' if index is None else index}", end, measure) for measure, index, end in found
    ]
