"""Significant differences between all pairs of runs, as a matrix.

Rows and columns are the runs, best mean first; columns are labelled with the numbers of the runs. Colours show whether
the run of the row is significantly better or worse than the run of the column. The stronger the colour, the smaller the
p-value. P-values are corrected over all pairs of runs, including pairs that are not shown. Pale cells are not
significant. Runs are sorted by their means, so significant cells lie away from the diagonal. The width of the pale band
shows how many places two runs must be apart before their difference is significant.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.model.arrays import Floats
from assay.model.notes import pluralize
from assay.results.names import shorten_names
from assay.results.results import Results
from assay.significance import tests as significance
from assay.significance._compare import Comparison, compare
from assay.significance.corrections import CORRECTIONS
from assay.significance.wording import describe_test, p_label
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import (
    CHARACTER_WIDTH,
    max_characters,
    row_axis,
    row_label_width,
    snap_step,
    wrap_text,
)
from assay.views.plots._figures import Data
from assay.views.plots._selection import check_minimum
from assay.views.plots._style import Style, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = None
CHOICES = {"test": significance.names(), "correction": CORRECTIONS}
DEFAULT_WIDTH = 600
LEVELS = (0.001, 0.01)
"""Significance levels that the colours distinguish, besides alpha."""
VERDICTS = {1.0: "better", -1.0: "worse", 0.0: "none"}
_MAX_CELL = 26  # pixels
_STRENGTHS = (1.0, 0.68, 0.38)


def data(
    source: Campaign | Results | Comparison,
    *,
    measure: str = "AP",
    test: str = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    most: int = 40,
    resamples: int | None = None,
    seed: int = 0,
) -> Data:
    """Tabulate each ordered pair among the best *most* runs; p is corrected over the pairs of all runs.

    *number* and *other_number* count the runs from the best. *difference* is the mean of run minus the mean of other.
    *verdict* is ``better`` or ``worse`` if p_adjusted is below *alpha*, else ``none`` (null without a test). *below* is
    the smallest of 0.001, 0.01 and alpha that exceeds p_adjusted; null if there is none. *test* describes the test, the
    correction and its family; *corrected* is the label of p_adjusted. *tested* is the number of tested pairs among all
    runs, and *significant* is the number of significant pairs. For a comparison, the first measure is shown, and pairs
    that were not compared are omitted.
    """
    check_minimum("most", most, 1)
    if isinstance(source, Comparison):
        comparison = source
    else:
        options: dict[str, Any] = {"test": test, "alpha": alpha, "resamples": resamples, "seed": seed}
        comparison = compare(source, measure, correction=correction, **options)
    notes, run_count = comparison.notes, len(comparison.results.runs)
    if most < run_count:
        pairs = pluralize(len(comparison.pairs), "pair")
        notes = (*notes, f"the best {most} of {run_count} runs are shown; p is corrected over all {pairs}")
    return Data(_tabulate(comparison, most), notes, comparison.provenance)


def _tabulate(comparison: Comparison, most: int) -> pl.DataFrame:
    results, first_measure = comparison.results, comparison.results.measures[0]
    names = results.best(first_measure)[:most]
    order = np.array([results.runs.index(name) for name in names])
    selected = np.ix_(order, order)
    matrices = {
        name: comparison.matrix(first_measure, name)[selected] for name in ("difference", "p", "p_adjusted", "topics")
    }
    row, column = np.nonzero(~np.isnan(matrices["topics"]))
    means = results.overall()[order, 0]
    series = pl.Series(names, dtype=pl.String)
    p_values = comparison.numbers["p_adjusted"][0]
    verdicts = pl.Series(comparison.verdicts(first_measure)[selected][row, column])
    columns = {
        "number": row + 1,
        "run": series.gather(row),
        "other_number": column + 1,
        "other": series.gather(column),
        "mean": means[row],
        "other_mean": means[column],
        **{name: matrices[name][row, column] for name in ("difference", "p", "p_adjusted")},
        "below": _below(matrices["p_adjusted"][row, column], comparison.alpha),
        "verdict": verdicts.replace_strict(VERDICTS, default=None),
    }
    numbers = ("mean", "other_mean", "difference", "p", "p_adjusted", "below")
    return pl.DataFrame(columns).select(
        *("number", "run", "other_number", "other"),
        pl.lit(str(first_measure)).alias("measure"),
        pl.col(numbers).fill_nan(None),
        "verdict",
        alpha=pl.lit(comparison.alpha),
        corrected=pl.lit(p_label(comparison)),
        test=pl.lit(describe_test(comparison)),
        significant=pl.lit(int((p_values < comparison.alpha).sum()), pl.Int64),
        tested=pl.lit(int((~np.isnan(p_values)).sum()), pl.Int64),
    )


def _levels(alpha: float) -> list[float]:
    return [*(level for level in LEVELS if level < alpha), alpha]


def _below(p: Floats, alpha: float) -> Floats:
    """Return the smallest level above p; NaN if there is none."""
    smallest = np.full(len(p), np.nan)
    for level in reversed(_levels(alpha)):
        smallest[p < level] = level
    return smallest


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw square cells: pale where the difference is not significant, empty on the diagonal."""
    if frame.is_empty():
        return empty_chart("no runs were compared", style)
    run_numbers = [frame.select("number", "run"), frame.select(number="other_number", run="other")]
    order = pl.concat(run_numbers).unique().sort("number")
    numbers = order["number"].to_list()
    name_width = row_label_width(
        [f"{run} {number}" for number, run in order.iter_rows()], style.total_width(DEFAULT_WIDTH)
    )
    short = shorten_names(order["run"], max_characters(name_width - 10) - len(f" {numbers[-1]}"))
    names = [f"{short[run]} {number}" for number, run in order.iter_rows()]
    available = style.total_width(DEFAULT_WIDTH) - name_width - 24
    cell = snap_step(min(_MAX_CELL, available / len(names)))
    step = math.ceil((5 + CHARACTER_WIDTH * len(str(numbers[-1]))) / cell)
    axis = alt.Axis(orient="top", values=numbers[::step], labelAngle=0, ticks=False, domain=False, title=None)
    titles = {name: name for name in ("mean", "other_mean", "difference")}
    titles |= {"p": "p (uncorrected)", "p_adjusted": frame["corrected"][0]}
    exact = [alt.Tooltip(f"{name}:Q", format=".4g", title=title) for name, title in titles.items()]
    x = alt.X("other_number:O", scale=alt.Scale(domain=numbers, padding=0), axis=axis)
    y_axis = row_axis(names, cell, name_width - 10)
    y = alt.Y("row:N", scale=alt.Scale(domain=names, padding=0), axis=y_axis)
    base = alt.Chart(rows(_add_labels(frame, short)), width=cell * len(names), height=cell * len(names))
    base = base.encode(x, y, tooltip("run:N", "other:N", "verdict:N", *exact))
    heading = f"{frame['measure'][0]}: row compared with column"
    return alt.layer(
        base.transform_filter("datum.verdict === 'none'").mark_rect(style="soft"),
        base.transform_filter("!isValid(datum.verdict)").mark_text(style="muted", text="×"),
        base.transform_filter("isValid(datum.below)").mark_rect().encode(_colours(frame, available, style)),
        title=alt.Title(heading, subtitle=_subtitle(frame, available), offset=6),
    )


def _legend_label(verdict: str, level: float) -> str:
    return f"{verdict}, < {level:g}"


def _add_labels(frame: pl.DataFrame, short: dict[str, str]) -> pl.DataFrame:
    """Add the labels of the legend and of the rows."""
    labels = [
        None if level is None else _legend_label(verdict, level)
        for verdict, level in frame.select("verdict", "below").iter_rows()
    ]
    run = pl.col("run").replace_strict(short, return_dtype=pl.String)
    row = pl.concat_str(run, pl.col("number").cast(pl.String), separator=" ")
    return frame.with_columns(kind=pl.Series(labels, dtype=pl.String), row=row)


def _colours(frame: pl.DataFrame, available: float, style: Style) -> alt.Color:
    """Return the colour channel: stronger colours for smaller p.

    The legend has one line for better and one for worse, or one column for each in a narrow figure.
    """
    levels, label = _levels(frame["alpha"][0]), frame["corrected"][0]
    strengths = _STRENGTHS[: len(levels) - 1] + _STRENGTHS[-1:]
    sides = (("better", style.colours.early), ("worse", style.colours.late))
    if by_line := available >= 108 * len(levels):
        entries = [(side, level) for side in sides for level in zip(levels, strengths, strict=True)]
    else:
        entries = [(side, level) for level in zip(levels, strengths, strict=True) for side in sides]
    scale = alt.Scale(
        domain=[_legend_label(verdict, level) for (verdict, _), (level, _) in entries],
        range=[_fade(shade, strength) for (_, shade), (_, strength) in entries],
    )
    columns = len(levels) if by_line else 2
    legend = alt.Legend(title=label, orient="bottom", columns=columns, symbolType="square", columnPadding=6, offset=4)
    return alt.Color("kind:N", scale=scale, legend=legend)


def _fade(shade: str, strength: float) -> str:
    red, green, blue = (int(shade[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {strength:g})"


def _subtitle(frame: pl.DataFrame, available: float) -> list[str]:
    """Return the number of significant pairs, among all pairs and among those shown, and the test, in short lines."""
    significant, tested = frame["significant"][0], frame["tested"][0]
    significant_shown = int((frame["verdict"] == "better").sum())
    pairs_shown = frame["verdict"].is_not_null().sum() // 2
    shown = "" if pairs_shown == tested else f", {significant_shown:,} of the {pairs_shown:,} shown"
    level = f"{frame['corrected'][0]} < {frame['alpha'][0]:g}"
    text = f"{significant:,} of {tested:,} pairs differ significantly{shown} ({level}); {frame['test'][0]}"
    return wrap_text(text, max_characters(available))
