"""Difference between two runs, topic by topic.

Each bar is a topic on which both runs have a value. Bars are sorted by the difference, and their colour shows the
better run. The dashed line is the mean difference, and the pale band is its confidence interval. The interval and p are
for these two runs alone, without a correction for other comparisons. If a few bars are much longer than the others, a
few topics determine the mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.meta.selection import select_results
from assay.model.arrays import subtract
from assay.model.notes import pluralize
from assay.results.names import shorten_names
from assay.results.results import Results
from assay.significance import tests as significance
from assay.significance._compare import Comparison, compare
from assay.significance.base import significance_test
from assay.significance.values import prepare_values
from assay.significance.wording import get_test_title
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import (
    BOLD_CHARACTER_WIDTH,
    COLUMN_LABEL_WIDTH,
    add_short_names,
    column_axis,
    max_characters,
    wrap_text,
)
from assay.views.plots._figures import Data
from assay.views.plots._selection import find_pair
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = None
HAS_HEIGHT = True
CHOICES = {"test": significance.names()}
OUTCOMES = ("better", "worse", "equal")
DEFAULT_WIDTH, PLOT_HEIGHT = 560, 220
_AXIS_WIDTH = 62  # pixels beside the bars
_MAX_BAR = 40  # maximum width of a bar, in pixels
_COLUMNS = {
    "kind": pl.String,
    "place": pl.Int64,
    **dict.fromkeys(("topic", "measure", "run_a", "run_b"), pl.String),
    **dict.fromkeys(("value_a", "value_b", "difference"), pl.Float64),
    "outcome": pl.String,
    **dict.fromkeys(("low", "high", "confidence", "p", "least"), pl.Float64),
    **dict.fromkeys(("test", "corrected"), pl.String),
}


def data(
    source: Campaign | Results | Comparison,
    *,
    measure: str = "AP",
    pair: Sequence[str] | None = None,
    test: str = "t",
    alpha: float = 0.05,
    resamples: int | None = None,
    seed: int = 0,
) -> Data:
    """Tabulate one row per topic, largest difference first, then one row for the mean (*kind* ``topic`` or ``mean``).

    *place* numbers the topics from 1. *difference* is value_a - value_b, or the difference of their logarithms if the
    measure is aggregated by the geometric mean. *outcome* is ``better``, ``worse`` or ``equal`` for run_a. Only the
    mean has a confidence interval from *low* to *high* at level *confidence*, and the *p* of the *test*. *least* is the
    smallest p that the test can resolve: a p of 0 means p < least. *corrected* is ``uncorrected``, or the family of
    pairs over which p is corrected. For a comparison, the first measure is shown.
    """
    results = source.results if isinstance(source, Comparison) else select_results(source, measure)
    a, b = find_pair(pair, results.best(results.measures[0]), results.provenance)
    if isinstance(source, Comparison):
        comparison = source
    else:
        options: dict[str, Any] = {"test": test, "alpha": alpha, "resamples": resamples, "seed": seed}
        comparison = compare(results.select([a, b]), correction="none", **options)
    return Data(_tabulate(comparison, a, b), comparison.notes, comparison.provenance)


def _tabulate(comparison: Comparison, a: str, b: str) -> pl.DataFrame:
    results, measure = comparison.results, comparison.results.measures[0]
    lower_is_better = measure.lower_is_better
    names = {"measure": str(measure), "run_a": a, "run_b": b}
    numbers = {name: None if np.isnan(value) else value for name, value in comparison.between(measure, a, b).items()}
    mean = {
        "kind": "mean",
        "topic": "all",
        "value_a": numbers["mean_a"],
        "value_b": numbers["mean_b"],
        "outcome": _outcome(numbers["difference"] or 0.0, lower_is_better),
        "confidence": 1 - comparison.alpha,
        "least": comparison.least,
        "test": comparison.test.name,
        "corrected": comparison.family_title if comparison.test.corrected else "uncorrected",
        **{name: numbers[name] for name in ("difference", "low", "high", "p")},
    }
    topics = [
        {"kind": "topic", **row, "outcome": _outcome(row["difference"], lower_is_better)}
        for row in _topic_rows(results.select([a, b]))
    ]
    return pl.DataFrame([{**names, **row} for row in (*topics, mean)], schema=_COLUMNS)


def _topic_rows(results: Results) -> list[dict[str, Any]]:
    """Return a row for each topic on which both runs have a value, largest difference first."""
    a, b = prepare_values(results, 0)
    columns = {"topic": results.topics, "difference": subtract(a, b)}
    columns |= dict(zip(("value_a", "value_b"), results.values[0], strict=True))
    topics = pl.DataFrame(columns).filter(pl.col("difference").is_not_nan())
    ranked = topics.sort("difference", descending=True, maintain_order=True).with_row_index("place", 1)
    return ranked.to_dicts()


def _outcome(difference: float, lower_is_better: bool) -> str:
    if difference == 0:
        return "equal"
    return "better" if (difference > 0) != lower_is_better else "worse"


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw the bars, the mean and its interval; the name of a run has the colour of the bars on which it is better."""
    topics, mean = frame.filter(pl.col("kind") == "topic"), frame.filter(pl.col("kind") == "mean")
    if topics.is_empty():
        return empty_chart("the two runs have no topic in common", style)
    topics = add_short_names(topics, "topic", COLUMN_LABEL_WIDTH)
    names = topics["short_topic"].to_list()
    width = style.total_width(DEFAULT_WIDTH) - _AXIS_WIDTH
    step = width / len(names)
    axis = column_axis(names, step, f"{len(names)} topics" if len(names) > 1 else "topic")
    x = alt.X("short_topic:N", scale=alt.Scale(domain=names, padding=0), axis=axis)
    bar_width = min(_MAX_BAR, step * (0.85 if step > 5 else 1))
    title = f"difference in {mean['measure'][0]}"
    y = alt.Y("difference:Q", title=title, scale=alt.Scale(domain=_y_domain(frame), nice=False))
    shades = [style.colours.early, style.colours.late, style.colours.right]
    colour = alt.Color("outcome:N", scale=alt.Scale(domain=list(OUTCOMES), range=shades), legend=None)
    fields = tooltip("topic:N", *decimals("difference", "value_a", "value_b"), "run_a:N", "run_b:N")
    bars = alt.Chart(rows(topics), width=width, height=style.plot_height(PLOT_HEIGHT)).mark_bar(width=bar_width)
    mean_chart = alt.Chart(rows(mean)).encode(decimals("difference", "p"))
    band = mean_chart.mark_rect(style="soft")
    band = band.encode(alt.Y("low:Q"), alt.Y2("high:Q"), x=alt.value(0), x2=alt.value(width))
    return alt.layer(
        *([band] if mean["low"][0] is not None else []),
        bars.encode(x, y, colour, fields),
        alt.Chart(rows(mean)).mark_rule(strokeWidth=1).encode(y=alt.datum(0)),
        mean_chart.mark_rule(style="reference").encode(alt.Y("difference:Q")),
        *_better_labels(frame, width, style),
        title=alt.Title(_heading(frame, width), subtitle=_subtitle(frame, width), limit=width),
    )


def _y_domain(frame: pl.DataFrame) -> list[float]:
    """Return a domain that includes all values and 0, with margins for a line of text above and below."""
    values = [value for name in ("difference", "low", "high") for value in frame[name].drop_nulls().to_list()]
    low, high = min(0.0, *values), max(0.0, *values)
    margin = 0.1 * (high - low) or 0.1
    return [low - margin, high + margin]


def _heading(frame: pl.DataFrame, width: float) -> str:
    characters = max_characters(width / 2 - 40, BOLD_CHARACTER_WIDTH)
    return " minus ".join(shorten_names(_run_names(frame), characters).values())


def _run_names(frame: pl.DataFrame) -> tuple[str, str]:
    """Return the names of the two runs."""
    return frame["run_a"][0], frame["run_b"][0]


def _subtitle(frame: pl.DataFrame, width: float) -> list[str]:
    """Return the mean difference, the test and the number of topics won, in lines that fit into *width* pixels."""
    [mean] = frame.filter(pl.col("kind") == "mean").iter_rows(named=True)
    outcome = frame.filter(pl.col("kind") == "topic")["outcome"]
    better, worse, equal = (int((outcome == name).sum()) for name in OUTCOMES)
    interval = ""
    test = significance_test(mean["test"])
    if mean["low"] is not None and mean["high"] is not None:
        method = f" ({test.interval})" if test.interval else ""
        ends = f"{_format_difference(mean['low'])} to {_format_difference(mean['high'])}"
        interval = f", {100 * mean['confidence']:g}% interval{method} {ends}"
    lines = [
        f"mean difference {_format_difference(mean['difference'])}{interval}",
        f"{get_test_title(test)}: {_format_p(mean['p'], mean['least'])}, {mean['corrected']}",
        f"better on {pluralize(better, 'topic')}, worse on {worse}, equal on {equal}",
    ]
    return [part for line in lines for part in wrap_text(line, max_characters(width))]


def _format_difference(number: float) -> str:
    """Format a difference with four decimals and the minus sign of the axes."""
    return f"{number:.4f}".replace("-", "\u2212")


def _format_p(p: float | None, least: float) -> str:
    if p is None:
        return "too few topics"
    if p < (finest := max(least, 0.0001)):
        return f"p < {finest:g}"
    return f"p = {p:.3f}" if p >= 0.001 else f"p = {p:.4f}"


def _better_labels(frame: pl.DataFrame, width: int, style: Style) -> list[alt.Chart]:
    """Label the upward bars with the run that is better there, and the downward bars with the other run."""
    difference, outcome = pl.col("difference"), pl.col("outcome")
    reversed_rows = frame.filter(((difference > 0) & (outcome == "worse")) | ((difference < 0) & (outcome == "better")))
    a_is_above = reversed_rows.is_empty()  # else lower values are better
    a, b = shorten_names(_run_names(frame), max_characters(width - 70)).values()
    layers = []
    for name, shade, above in ((a, style.colours.early, a_is_above), (b, style.colours.late, not a_is_above)):
        chart = alt.Chart(rows(pl.DataFrame({"text": [f"{name} better"]})))
        if above:
            text, x, y = chart.mark_text(style="label", align="right", baseline="top"), width - 2, 2
        else:
            text, x, y = (
                chart.mark_text(style="label", align="left", baseline="bottom"),
                2,
                style.plot_height(PLOT_HEIGHT) - 2,
            )
        layers.append(text.encode(alt.Text("text:N"), x=alt.value(x), y=alt.value(y), color=alt.value(shade)))
    return layers
