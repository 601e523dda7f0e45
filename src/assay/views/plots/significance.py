"""Significant differences: a matrix of all pairs of runs, coloured by the better run and its p.

Rows and columns are the runs, best mean first; a column has the number of its run. A strong colour in the row of a run
means that it is better than the run of the column, or worse in the other colour, and that chance hardly explains it:
the stronger, the smaller p, corrected over all pairs of runs, shown or not. Pale cells are not significant. With an
order by means, what is significant lies away from the diagonal; how far tells how far apart two runs must stand before
one can be sure.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.model.arrays import Floats
from assay.model.notes import count
from assay.results.names import shorten_names
from assay.results.results import Results
from assay.significance import tests as significance
from assay.significance._compare import Comparison, compare
from assay.significance.corrections import CORRECTIONS
from assay.significance.wording import describe_test, p_label
from assay.views.plots._bands import LETTER, beside, even, letters, names_room, wrapped
from assay.views.plots._figures import Data
from assay.views.plots._style import Style, altair, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = None
CHOICES = {"test": significance.names(), "correction": CORRECTIONS}
WIDE = 600
LEVELS = (0.001, 0.01)
"""Below which p is told apart, and below alpha."""
VERDICTS = {1.0: "better", -1.0: "worse", 0.0: "none"}
_CELL = 26  # pixels at most
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
    """Tabulate each ordered pair of runs among the best *most*; p is corrected over the pairs of all runs.

    *number* and *other_number* count runs from the best. *difference* is that of the means, run minus other. *verdict*
    is ``better`` or ``worse`` if p_adjusted is below *alpha*, else ``none`` (null without a test). *below* is the
    smallest of 0.001, 0.01 and alpha that p_adjusted is below, null if it is not. *test* names the test, the correction
    and its family, and *corrected* is the label of p_adjusted. *significant* of the *tested* pairs of all runs differ.
    A comparison is shown by its first measure; pairs that were not compared are left out.
    """
    if most < 1:
        raise InputError(f"most must be at least 1, got {most}")
    if isinstance(source, Comparison):
        comparison = source
    else:
        comparison = compare(
            source, measure, test=test, correction=correction, alpha=alpha, resamples=resamples, seed=seed
        )
    notes, runs = comparison.notes, len(comparison.results.runs)
    if most < runs:
        pairs = count(len(comparison.pairs), "pair")
        notes = (*notes, f"the best {most} of {runs} runs are shown; p is corrected over all {pairs}")
    return Data(_tabulate(comparison, most), notes, comparison.provenance)


def _tabulate(comparison: Comparison, most: int) -> pl.DataFrame:
    results, first = comparison.results, comparison.results.measures[0]
    names = results.best(first)[:most]
    order = np.array([results.runs.index(name) for name in names])
    shown = np.ix_(order, order)
    of = {name: comparison.matrix(first, name)[shown] for name in ("difference", "p", "p_adjusted", "topics")}
    one, other = np.nonzero(~np.isnan(of["topics"]))
    means = results.overall()[order, 0]
    series = pl.Series(names, dtype=pl.String)
    chances = comparison.numbers["p_adjusted"][0]
    columns = {
        "number": one + 1,
        "run": series.gather(one),
        "other_number": other + 1,
        "other": series.gather(other),
        "measure": pl.Series([str(first)] * len(one), dtype=pl.String),
        "mean": means[one],
        "other_mean": means[other],
        **{name: of[name][one, other] for name in ("difference", "p", "p_adjusted")},
        "below": _below(of["p_adjusted"][one, other], comparison.alpha),
        "verdict": pl.Series(comparison.verdicts(first)[shown][one, other]).replace_strict(VERDICTS, default=None),
        "alpha": np.full(len(one), comparison.alpha),
        "corrected": pl.Series([p_label(comparison)] * len(one), dtype=pl.String),
        "test": pl.Series([describe_test(comparison)] * len(one), dtype=pl.String),
        "significant": np.full(len(one), (chances < comparison.alpha).sum()),
        "tested": np.full(len(one), (~np.isnan(chances)).sum()),
    }
    numbers = ("mean", "other_mean", "difference", "p", "p_adjusted", "below")
    return pl.DataFrame(columns).with_columns(pl.col(numbers).fill_nan(None))


def _levels(alpha: float) -> list[float]:
    return [*(level for level in LEVELS if level < alpha), alpha]


def _below(p: Floats, alpha: float) -> Floats:
    """The smallest level that p is below; NaN if there is none."""
    found = np.full(len(p), np.nan)
    for level in reversed(_levels(alpha)):
        found[p < level] = level
    return found


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Square cells; pale where nothing is significant, empty on the diagonal."""
    alt = altair()
    if frame.is_empty():
        return nothing("no runs were compared", style)
    both = [frame.select("number", "run"), frame.select(number="other_number", run="other")]
    order = pl.concat(both).unique().sort("number")
    numbers = order["number"].to_list()
    beside_cells = names_room([f"{run} {number}" for number, run in order.iter_rows()], style.room(WIDE))
    short = shorten_names(order["run"], letters(beside_cells - 10) - len(f" {numbers[-1]}"))
    names = [f"{short[run]} {number}" for number, run in order.iter_rows()]
    free = style.room(WIDE) - beside_cells - 24
    cell = even(min(_CELL, free / len(names)))
    every = math.ceil((5 + LETTER * len(str(numbers[-1]))) / cell)
    axis = alt.Axis(orient="top", values=numbers[::every], labelAngle=0, ticks=False, domain=False, title=None)
    titles = dict.fromkeys(("mean", "other_mean", "difference", "p", "p_adjusted"))
    titles |= {"p": "p, not corrected", "p_adjusted": frame["corrected"][0]}
    exact = [alt.Tooltip(f"{name}:Q", format=".4g", title=title or name) for name, title in titles.items()]
    base = alt.Chart(rows(_worded(frame, short)), width=cell * len(names), height=cell * len(names)).encode(
        x=alt.X("other_number:O", scale=alt.Scale(domain=numbers, padding=0), axis=axis),
        y=alt.Y("row:N", scale=alt.Scale(domain=names, padding=0), axis=beside(names, cell, beside_cells - 10)),
        tooltip=["run:N", "other:N", "verdict:N", *exact],
    )
    pale = base.transform_filter("datum.verdict === 'none'").mark_rect(style="soft")
    untested = base.transform_filter("!isValid(datum.verdict)").mark_text(style="muted", text="×")
    strong = base.transform_filter("isValid(datum.below)").mark_rect().encode(color=_colours(frame, free, style))
    title = alt.TitleParams(f"{frame['measure'][0]}: row against column", subtitle=_told(frame, free), offset=6)
    return alt.layer(pale, untested, strong).properties(title=title)  # type: ignore[no-any-return]


def _kind(verdict: str, level: float) -> str:
    return f"{verdict}, < {level:g}"


def _worded(frame: pl.DataFrame, short: dict[str, str]) -> pl.DataFrame:
    """Add the words of the legend and of the rows."""
    kinds = [
        None if level is None else _kind(verdict, level)
        for verdict, level in frame.select("verdict", "below").iter_rows()
    ]
    run = pl.col("run").replace_strict(short, return_dtype=pl.String)
    row = pl.concat_str(run, pl.col("number").cast(pl.String), separator=" ")
    return frame.with_columns(kind=pl.Series(kinds, dtype=pl.String), row=row)


def _colours(frame: pl.DataFrame, free: float, style: Style) -> alt.Color:
    """The colour of a gain or a loss, the paler the larger p; a line of the legend for each, or a column if narrow."""
    alt = altair()
    levels, label = _levels(frame["alpha"][0]), frame["corrected"][0]
    strengths = _STRENGTHS[: len(levels) - 1] + _STRENGTHS[-1:]
    sides = (("better", style.colours.early), ("worse", style.colours.late))
    if wide := free >= 108 * len(levels):
        entries = [(side, level) for side in sides for level in zip(levels, strengths, strict=True)]
    else:
        entries = [(side, level) for level in zip(levels, strengths, strict=True) for side in sides]
    scale = alt.Scale(
        domain=[_kind(verdict, level) for (verdict, _), (level, _) in entries],
        range=[_faded(shade, strength) for (_, shade), (_, strength) in entries],
    )
    across = len(levels) if wide else 2
    legend = alt.Legend(title=label, orient="bottom", columns=across, symbolType="square", columnPadding=6, offset=4)
    return alt.Color("kind:N", scale=scale, legend=legend)  # type: ignore[no-any-return]


def _faded(shade: str, strength: float) -> str:
    red, green, blue = (int(shade[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {strength:g})"


def _told(frame: pl.DataFrame, free: float) -> list[str]:
    """Return the number of pairs that differ, among all runs and among those shown, and the test, in lines."""
    significant, tested = frame["significant"][0], frame["tested"][0]
    differ, pairs = int((frame["verdict"] == "better").sum()), frame["verdict"].is_not_null().sum() // 2
    shown = "" if pairs == tested else f", {differ:,} of the {pairs:,} shown"
    level = f"{frame['corrected'][0]} < {frame['alpha'][0]:g}"
    text = f"{significant:,} of {tested:,} pairs differ{shown} ({level}); {frame['test'][0]}"
    return wrapped(text, letters(free))
