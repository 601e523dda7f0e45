"""Fraction of simulated run pairs that a measure separates, against the rank down to which the runs agree.

Each trial simulates two runs that agree down to a rank, which is the x axis. Between this rank and rank 20 (``--top``),
the first run has more relevant documents; below rank 20, the second run has far more. The y axis is the fraction of
trials in which a t test is significant. For a top-heavy measure, this fraction falls near the balancing index (dashed
line): the measure ignores the tail, where the runs differ most. The band is the 95 % confidence interval of the
fraction for this number of trials; the paper uses 10,000. The default measure takes about a second for 2,000 trials.
Measures that are not weighted sums over ranks, such as AP and ERR, take far longer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.measures import Measure
from assay.theory._trials import DRAWINGS, TOP
from assay.theory._trials import trials as run_trials
from assay.views.plots._altair import alt
from assay.views.plots._figures import Data
from assay.views.plots._series import Label, label_layers, labels_width, series_colours
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.workers import Progress

SOURCE = "Ferrante et al. (2015), Fig. 1b"
HAS_HEIGHT = True
CHOICES = {"drawing": tuple(DRAWINGS)}
TRIALS = 2000
MAX_CHARACTERS = 24
_NORMAL_QUANTILE = 1.959963984540054  # at 0.975


def data(
    *,
    measures: str | Measure | Iterable[str | Measure] = ("RBP(p=0.8)",),
    n: int = 1000,
    trials: int = TRIALS,
    topics: int = 50,
    drawing: str = "random-rounding",
    same: float = 20,
    first: tuple[float, float] = (70, 10),
    second: tuple[float, float] = (30, 70),
    top: int = TOP,
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress | None = None,
) -> Data:
    """Tabulate the fraction of trials: measure, balance, rank, rejected, low, high, first, second, difference.

    *balance* is the balancing index of the measure (null if it has none). *rejected* is the fraction of trials with a
    significant difference; its confidence interval is from *low* to *high*. *first* and *second* are the fractions of
    trials in which the first or the second run is significantly better. *difference* is the mean difference of the two
    runs. For the arguments see ``assay.theory.trials``.
    """
    design: dict[str, Any] = {"drawing": drawing, "same": same, "first": first, "second": second, "top": top}
    report = run_trials(measures, n, trials=trials, topics=topics, alpha=alpha, seed=seed, progress=progress, **design)
    index = {
        str(measure): int(value) if math.isfinite(value) else None
        for measure, value in zip(report.measures, report.balance, strict=True)
    }
    balance = pl.col("measure").replace_strict(index, return_dtype=pl.Int64)
    frame = report.frame().with_columns(*_interval(trials), balance=balance)
    columns = ("measure", "balance", "rank", "rejected", "low", "high", "first", "second", "difference")
    return Data(frame.select(columns), report.notes, report.provenance)


def _interval(trials: int) -> tuple[pl.Expr, pl.Expr]:
    """Return the ends of the Wilson score interval of a fraction."""
    fraction, z = pl.col("rejected"), _NORMAL_QUANTILE**2 / trials
    centre = (fraction + z / 2) / (1 + z)
    half = (fraction * (1 - fraction) * z + z**2 / 4).sqrt() / (1 + z)
    return (centre - half).clip(0, 1).alias("low"), (centre + half).clip(0, 1).alias("high")


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a line with its band for each measure, and a vertical rule at the balancing index of the measure."""
    if frame.is_empty():
        return empty_chart("no trials", style)
    names = frame["measure"].unique(maintain_order=True).to_list()
    labels = _labels(frame)
    last = max(frame["rank"].to_list())
    width = style.total_width() - labels_width(labels, MAX_CHARACTERS) - 62
    height = style.plot_height(min(max(round(0.75 * width), 16 * len(labels), 150), 340))
    x = alt.X("rank:Q", title="rank to which the runs agree", scale=alt.Scale(domain=(0, max(last, 1)), nice=False))
    y_scale, title = alt.Scale(domain=(0, 1)), "fraction of significant trials"
    y = alt.Y("rejected:Q", title=title, scale=y_scale, axis=alt.Axis(tickCount=5))
    colour = series_colours("measure", names, style)
    base = alt.Chart(rows(frame), width=width, height=height).encode(x, colour)
    numbers = decimals("rejected", "low", "high", "first", "second")
    curves = base.encode(y, tooltip("measure:N", "rank:Q", *numbers))
    visible = frame.filter(pl.col("balance") <= last).unique("measure", keep="first", maintain_order=True)
    rules = alt.Chart(rows(visible)).mark_rule(strokeDash=[3, 3])
    return alt.layer(
        rules.encode(alt.X("balance:Q"), colour, tooltip("measure:N", "balance:Q")),
        base.mark_area(opacity=0.25).encode(alt.Y("low:Q"), alt.Y2("high:Q")),
        curves.mark_line(strokeWidth=2),
        curves.mark_circle(size=26, opacity=1),
        *label_layers(labels, (0.0, 1.0), height, colour, MAX_CHARACTERS),
    )


def _labels(frame: pl.DataFrame) -> list[Label]:
    """Return a label for the end of each line, with the balancing index of the measure."""
    ends = frame.filter(pl.col("rank") == pl.col("rank").max()).unique("measure", keep="first", maintain_order=True)
    return [
        Label(f"{measure}, B = {'none' if index is None else index}", end, measure)
        for measure, index, end in ends.select("measure", "balance", "rejected").iter_rows()
    ]
