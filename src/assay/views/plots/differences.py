"""By how much one run is better than another, topic by topic.

A bar for each topic that both runs have a value for, sorted by the difference; its colour tells which run is better on
it. The dashed line is the mean difference, and the pale band its interval. The interval and p are of these two runs
alone, not corrected for other comparisons. A mean that a few topics make shows as a few long bars.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.model.arrays import subtract
from assay.model.notes import count
from assay.results.names import shorten_names
from assay.results.results import Results
from assay.significance import tests as significance
from assay.significance._compare import Comparison, compare
from assay.significance.base import significance_test
from assay.significance.values import comparable
from assay.significance.wording import title_of
from assay.views.plots._bands import BENEATH, BOLD, add_short_names, beneath, letters, wrapped
from assay.views.plots._choice import two_runs
from assay.views.plots._figures import Data, results_of
from assay.views.plots._style import Style, altair, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = None
CHOICES = {"test": significance.names()}
OUTCOMES = ("better", "worse", "equal")
WIDE, HIGH = 560, 220
_SIDE = 62  # pixels beside the bars
_THICK = 40  # pixels of a bar at most
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
    """Tabulate a row for each topic, the largest difference first, then one for the mean (kind ``topic``, ``mean``).

    *difference* is value_a - value_b (of logarithms if the measure has geometric means); *outcome* tells whether run_a
    is ``better``, ``worse`` or ``equal``. Only the mean has an interval from *low* to *high* with its *confidence*, the
    *p* of the *test*, and *least*: a p of 0 says that it is below that. *corrected* is ``uncorrected``, or the pairs
    that p holds for together. *place* counts topics from 1. A comparison is shown by its first measure.
    """
    if isinstance(source, Comparison):
        comparison, results = source, source.results
        a, b = two_runs(pair, results.best(results.measures[0]), results.provenance)
    else:
        results = results_of(source, measure)
        a, b = two_runs(pair, results.best(results.measures[0]), results.provenance)
        chosen = results.select([a, b])
        comparison = compare(chosen, correction="none", test=test, alpha=alpha, resamples=resamples, seed=seed)
    return Data(_tabulate(comparison, a, b), comparison.notes, comparison.provenance)


def _tabulate(comparison: Comparison, a: str, b: str) -> pl.DataFrame:
    results, measure = comparison.results, comparison.results.measures[0]
    lower = measure.lower_is_better
    names = {"measure": str(measure), "run_a": a, "run_b": b}
    numbers = comparison.between(measure, a, b)
    whole = {name: None if np.isnan(value) else value for name, value in numbers.items()}
    mean = {
        "kind": "mean",
        "topic": "all",
        "value_a": whole["mean_a"],
        "value_b": whole["mean_b"],
        "outcome": _outcome(whole["difference"] or 0.0, lower),
        "confidence": 1 - comparison.alpha,
        "least": comparison.least,
        "test": comparison.test.name,
        "corrected": comparison.family_title if comparison.test.corrected else "uncorrected",
        **{name: whole[name] for name in ("difference", "low", "high", "p")},
    }
    pair = results.select([a, b])
    topics = [{"kind": "topic", **row, "outcome": _outcome(row["difference"], lower)} for row in _topics(pair)]
    return pl.DataFrame([{**names, **row} for row in (*topics, mean)], schema=_COLUMNS)


def _topics(results: Results) -> list[dict[str, Any]]:
    """The topics that both runs have a value for, the largest difference first."""
    a, b = comparable(results, 0)
    difference = subtract(a, b)
    counted = np.flatnonzero(~np.isnan(difference))
    order = counted[np.argsort(-difference[counted], kind="stable")]
    first, second = results.values[0]
    return [
        {
            "place": place,
            "topic": results.topics[at],
            "value_a": float(first[at]),
            "value_b": float(second[at]),
            "difference": float(difference[at]),
        }
        for place, at in enumerate(order.tolist(), 1)
    ]


def _outcome(difference: float, lower_is_better: bool) -> str:
    if difference == 0:
        return "equal"
    return "better" if (difference > 0) != lower_is_better else "worse"


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Bars with their mean and its interval; the names of the runs in the colour of the topics on which they win."""
    alt = altair()
    topics, mean = frame.filter(pl.col("kind") == "topic"), frame.filter(pl.col("kind") == "mean")
    if topics.is_empty():
        return nothing("the two runs have no topic in common", style)
    topics = add_short_names(topics, "topic", BENEATH)
    names = topics["short_topic"].to_list()
    width = style.room(WIDE) - _SIDE
    step = width / len(names)
    reach = _reach(frame)
    axis = beneath(names, step, f"{len(names)} topics" if len(names) > 1 else "topic")
    x = alt.X("short_topic:N", scale=alt.Scale(domain=names, padding=0), axis=axis)
    thick = min(_THICK, step * (0.85 if step > 5 else 1))
    y = alt.Y("difference:Q", title=_title(mean), scale=alt.Scale(domain=reach, nice=False))
    shades = [style.colours.early, style.colours.late, style.colours.right]
    exact = [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("difference", "value_a", "value_b")]
    bars = (
        alt.Chart(rows(topics), width=width, height=HIGH)
        .mark_bar(width=thick)
        .encode(
            x=x,
            y=y,
            color=alt.Color("outcome:N", scale=alt.Scale(domain=list(OUTCOMES), range=shades), legend=None),
            tooltip=["topic:N", *exact, "run_a:N", "run_b:N"],
        )
    )
    whole = alt.Chart(rows(mean)).encode(tooltip=[alt.Tooltip(f"{n}:Q", format=".4f") for n in ("difference", "p")])
    band = whole.mark_rect(style="soft").encode(y="low:Q", y2="high:Q", x=alt.value(0), x2=alt.value(width))
    zero = alt.Chart(rows(mean)).mark_rule(strokeWidth=1).encode(y=alt.datum(0))
    line = whole.mark_rule(style="reference").encode(y="difference:Q")
    title = alt.TitleParams(_heading(frame, style), subtitle=_told(frame, width), limit=width)
    interval = [band] if mean["low"][0] is not None else []
    return alt.layer(*interval, bars, zero, line, *_winners(frame, width, style)).properties(title=title)  # type: ignore[no-any-return]


def _reach(frame: pl.DataFrame) -> list[float]:
    """The ends of the axis: room for what is shown, for 0, and for a line of text above and below."""
    ends = [end for name in ("difference", "low", "high") for end in frame[name].drop_nulls().to_list()]
    low, high = min(0.0, *ends), max(0.0, *ends)
    more = 0.1 * (high - low) or 0.1
    return [low - more, high + more]


def _title(mean: pl.DataFrame) -> str:
    return f"difference in {mean['measure'][0]}"


def _heading(frame: pl.DataFrame, style: Style) -> str:
    most = letters((style.room(WIDE) - _SIDE) / 2 - 40, BOLD)
    return " minus ".join(shorten_names(_both(frame), most).values())


def _both(frame: pl.DataFrame) -> tuple[str, str]:
    """The names of the two runs."""
    return frame["run_a"][0], frame["run_b"][0]


def _told(frame: pl.DataFrame, width: float) -> list[str]:
    """The mean, the test and the counts in words, in lines that fit."""
    [mean] = frame.filter(pl.col("kind") == "mean").iter_rows(named=True)
    outcome = frame.filter(pl.col("kind") == "topic")["outcome"]
    better, worse, equal = (int((outcome == each).sum()) for each in OUTCOMES)
    spread = ""
    test = significance_test(mean["test"])
    if mean["low"] is not None and mean["high"] is not None:
        by = f" ({test.interval})" if test.interval else ""
        ends = f"{_signed(mean['low'])} to {_signed(mean['high'])}"
        spread = f", {100 * mean['confidence']:g}% interval{by} {ends}"
    lines = [
        f"mean {_signed(mean['difference'])}{spread}",
        f"{title_of(test)}: {_chance(mean['p'], mean['least'])}, {mean['corrected']}",
        f"better on {count(better, 'topic')}, worse on {worse}, equal on {equal}",
    ]
    return [part for line in lines for part in wrapped(line, letters(width))]


def _signed(number: float) -> str:
    """With the minus sign that axes have."""
    return f"{number:.4f}".replace("-", "\u2212")


def _chance(p: float | None, least: float) -> str:
    if p is None:
        return "too few topics"
    if p < (finest := max(least, 0.0001)):
        return f"p < {finest:g}"
    return f"p = {p:.3f}" if p >= 0.001 else f"p = {p:.4f}"


def _winners(frame: pl.DataFrame, width: int, style: Style) -> list[Any]:
    """Above the bars, which run wins on those that go up; below, on those that go down."""
    alt = altair()
    up, down = pl.col("difference") > 0, pl.col("difference") < 0
    lower = frame.filter(up & (pl.col("outcome") == "worse") | down & (pl.col("outcome") == "better"))
    a, b = shorten_names(_both(frame), letters(width - 70)).values()
    layers = []
    for name, outcome, above in ((a, "better", lower.is_empty()), (b, "worse", not lower.is_empty())):
        shade = style.colours.early if outcome == "better" else style.colours.late
        text = rows(pl.DataFrame({"text": [f"{name} better"]}))
        place = {"align": "right", "baseline": "top"} if above else {"align": "left", "baseline": "bottom"}
        chart = alt.Chart(text).mark_text(style="label", **place)
        x, y = (alt.value(width - 2), alt.value(2)) if above else (alt.value(2), alt.value(HIGH - 2))
        layers.append(chart.encode(x=x, y=y, text="text:N", color=alt.value(shade)))
    return layers
