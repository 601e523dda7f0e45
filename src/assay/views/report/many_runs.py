"""Figures that summarize many runs: a staircase of tied runs, and quantile bands of mean curves."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.effort._mean_curve import MeanCurve
from assay.significance.comparison import Comparison
from assay.views.plots._altair import alt
from assay.views.plots._style import Style, decimals, rows, tooltip
from assay.views.plots.recall_precision import select_ranks

MIN_RUNS = 20
"""These figures are for more runs than this."""
KINDS = ("tied with the leader", "worse than the leader", "not tested against the leader")
_ROW = 3.5  # height of a row in pixels
_QUANTILES = {"lowest": 0.0, "q10": 0.1, "q25": 0.25, "median": 0.5, "q75": 0.75, "q90": 0.9, "highest": 1.0}


def tabulate_staircase(comparison: Comparison, order: list[int]) -> pl.DataFrame:
    """Return a row for each run, best first: number, run, first, last, tied, against_leader.

    *first* and *last* are the numbers of the best and of the worst run that are not significantly different from the
    run, and *tied* is the number of such runs, without the run itself. *against_leader* is one of ``KINDS``.
    """
    verdicts = comparison.verdicts(comparison.results.measures[0])[np.ix_(order, order)]
    tied = verdicts == 0
    np.fill_diagonal(tied, True)
    runs = np.arange(len(order))
    return pl.DataFrame(
        {
            "number": runs + 1,
            "run": [comparison.results.runs[run] for run in order],
            "first": tied.argmax(axis=1) + 1,
            "last": len(order) - tied[:, ::-1].argmax(axis=1),
            "tied": tied.sum(axis=1) - 1,
            "against_leader": np.select([tied[:, 0], verdicts[:, 0] == -1], [*KINDS[:2]], KINDS[2]),
        }
    )


def draw_staircase(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a bar for each run, from the best to the worst run that is not significantly different from it."""
    width = style.total_width() - 60
    domain = [0.5, len(frame) + 0.5]
    y = alt.Y(
        "number:Q",
        title="run, best first",
        scale=alt.Scale(domain=domain, reverse=True, nice=False),
        axis=alt.Axis(grid=False, tickCount=6),
    )
    x_scale = alt.Scale(domain=domain, nice=False)
    present = [kind for kind in KINDS if kind in frame["against_leader"].to_list()]
    shades = dict(zip(KINDS, (style.colours.late, style.colours.early, style.colours.series[7]), strict=True))
    colour = alt.Color(
        "against_leader:N",
        scale=alt.Scale(domain=present, range=[shades[kind] for kind in present]),
        legend=alt.Legend(orient="top", title=None, columns=1 if width < 400 else 3),
    )
    base = alt.Chart(rows(frame), width=width, height=max(_ROW * len(frame), 160)).encode(y)
    fields = tooltip("number:Q", "run:N", "tied:Q", "first:Q", "last:Q")
    x = alt.X("first:Q", title="number of the runs that are not significantly different", scale=x_scale)
    marks = base.mark_rule(strokeWidth=2.2, opacity=0.8).encode(x, alt.X2("last:Q"), colour, fields)
    dots = base.mark_circle(style="label", size=9, opacity=1).encode(alt.X("number:Q", scale=x_scale), fields)
    return alt.layer(marks, dots)


def tabulate_bands(report: MeanCurve, representatives: dict[str, int]) -> pl.DataFrame:
    """Return a row for each rank: quantiles of the mean curves over the runs, and the curves of some runs.

    *representatives* are the titles and the indices of runs.
    """
    ranks = np.array(select_ranks(report.mean.shape[1]))
    means = report.mean[report.topics > 0][:, ranks - 1]
    quantiles = np.quantile(means, list(_QUANTILES.values()), axis=0)
    columns = dict(zip(_QUANTILES, quantiles, strict=True))
    curves = {title: report.mean[run][ranks - 1] for title, run in representatives.items()}
    return pl.DataFrame({"rank": ranks, **columns, **curves}).with_columns(pl.col(pl.Float64).round(5))


def draw_bands(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw the bands of all runs, of 80 % and of 50 % of the runs, and the curves of the representatives."""
    width = style.total_width() - 60
    titles = [name for name in frame.columns if name not in ("rank", *_QUANTILES)]
    x = alt.X("rank:Q", title="rank", scale=alt.Scale(type="log", nice=False), axis=alt.Axis(tickCount=4))
    title = "mean CRP / R"
    base = alt.Chart(rows(frame), width=width, height=min(width, 320)).encode(x)
    bands = [
        base.mark_area(style="label", opacity=0.13, strokeWidth=0).encode(
            alt.Y(f"{low}:Q", title=title), alt.Y2(f"{high}:Q")
        )
        for low, high in (("lowest", "highest"), ("q10", "q90"), ("q25", "q75"))
    ]
    curves = frame.unpivot(titles, index="rank", variable_name="curve", value_name="mean")
    colour = alt.Color(
        "curve:N",
        scale=alt.Scale(domain=titles, range=list(style.colours.series[: len(titles)])),
        legend=alt.Legend(orient="top", title=None, columns=1 if width < 400 else len(titles), labelLimit=width - 30),
    )
    lines = (
        alt.Chart(rows(curves))
        .mark_line(strokeWidth=2)
        .encode(x, alt.Y("mean:Q", title=title), colour, tooltip("curve:N", alt.Tooltip("rank:Q"), *decimals("mean")))
    )
    return alt.layer(*bands, lines)
