"""Spread of the runs on each topic, from the hardest topic to the easiest, with a run or two marked.

A topic is a thin line from the worst run to the best, a box for the middle half of the runs, and a tick at their
median; topics are sorted by that. Coloured points are the marked runs, unless others are named the best one. A long
line is a topic on which the choice of the system matters; a point far from its box is one that the run owes its mean
to, or that it should look at.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.model.arrays import Floats
from assay.results.names import shorten_names
from assay.results.results import Results
from assay.views.plots._bands import BENEATH, add_short_names, beneath, letters
from assay.views.plots._choice import run_named
from assay.views.plots._figures import Data, results_of
from assay.views.plots._style import Style, altair, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = None
WIDE, HIGH = 560, 240
MOST = 8
"""Number of runs that can be marked."""
_SIDE = 60  # pixels beside the boxes
_THICK = 24  # pixels of a box at most
_COLUMNS = {
    "kind": pl.String,
    "place": pl.Int64,
    **dict.fromkeys(("topic", "measure", "run"), pl.String),
    **dict.fromkeys(("value", "low", "first_quarter", "third_quarter", "high"), pl.Float64),
    "runs": pl.Int64,
}


def data(source: Campaign | Results, *, measure: str = "AP", mark: str | Sequence[str] | None = None) -> Data:
    """Tabulate each topic (*kind* ``topic``), the hardest first, then each marked run on each topic (``run``).

    Of a topic, *value* is the median over the *runs* that have a value, and *low*, *first_quarter*, *third_quarter* and
    *high* are the smallest value, the quartiles and the largest one. Of a run, *value* is its own.
    """
    results = results_of(source, measure)
    first = results.measures[0]
    values = np.where(np.isinf(results.values[0]), np.nan, results.values[0])
    counted = np.flatnonzero(~np.isnan(values).all(axis=0))
    quarters = np.nanquantile(values[:, counted], [0.0, 0.25, 0.5, 0.75, 1.0], axis=0)
    order = np.argsort(-quarters[2] if first.lower_is_better else quarters[2], kind="stable")
    spread = [_topic(results, values, at, quarters[:, i]) for at, i in zip(counted[order], order, strict=True)]
    places = {row["topic"]: place for place, row in enumerate(spread, 1)}
    marked = [
        {"kind": "run", "topic": topic, "run": run, "value": _value(results, values, run, topic)}
        for run in _marked(results, mark)
        for topic in places
    ]
    table = [{**row, "place": places[row["topic"]], "measure": str(first)} for row in (*spread, *marked)]
    frame = pl.DataFrame(table, schema=_COLUMNS).with_columns(pl.col("value").fill_nan(None))
    return Data(frame, results.notes, results.provenance)


def _topic(results: Results, values: Floats, at: int, quarters: Floats) -> dict[str, Any]:
    low, first, median, third, high = quarters.tolist()
    return {
        "kind": "topic",
        "topic": results.topics[at],
        "value": median,
        "low": low,
        "first_quarter": first,
        "third_quarter": third,
        "high": high,
        "runs": int((~np.isnan(values[:, at])).sum()),
    }


def _value(results: Results, values: Floats, run: str, topic: str) -> float:
    return float(values[results.runs.index(run), results.topics.index(topic)])


def _marked(results: Results, mark: str | Sequence[str] | None) -> list[str]:
    if mark is None:
        return results.best(results.measures[0])[:1]
    names = [mark] if isinstance(mark, str) else list(mark)
    if len(names) > MOST:
        raise InputError(f"mark: at most {MOST} runs can be marked, got {len(names)}")
    return list(dict.fromkeys(run_named(name, results.runs, results.provenance) for name in names))


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Boxes in the order of their medians, and the marked runs as points in the colours of their names."""
    alt = altair()
    topics, marked = frame.filter(pl.col("kind") == "topic"), frame.filter(pl.col("kind") == "run")
    if topics.is_empty():
        return nothing("no run has a value", style)
    short = add_short_names(frame, "topic", BENEATH)
    topics, marked = short.filter(pl.col("kind") == "topic"), short.filter(pl.col("kind") == "run")
    names = topics["short_topic"].to_list()
    width = style.room(WIDE) - _SIDE
    step = width / len(names)
    thick = max(1.0, min(_THICK, 0.7 * step))
    x = alt.X(
        "short_topic:N",
        scale=alt.Scale(domain=names, padding=0),
        axis=beneath(names, step, "topics, hardest first by the median"),
    )
    title = frame["measure"][0]
    exact = ("value", "low", "first_quarter", "third_quarter", "high")
    base = alt.Chart(rows(topics), width=width, height=HIGH).encode(
        x=x, tooltip=["topic:N", *(alt.Tooltip(f"{name}:Q", format=".4f") for name in exact), "runs:Q"]
    )
    y = alt.Y("low:Q", title=title, scale=alt.Scale(zero=True, nice=True))
    lines = base.mark_rule(strokeWidth=max(0.4, min(1.0, step / 5))).encode(y=y, y2="high:Q")
    boxes = base.mark_bar(width=thick, opacity=0.35, color=style.colours.late).encode(
        y="first_quarter:Q", y2="third_quarter:Q"
    )
    ticks = base.mark_tick(style="label", width=thick, height=1.5, orient="horizontal").encode(y="value:Q")
    layers = [lines, boxes, ticks]
    runs = marked["run"].unique(maintain_order=True).to_list()
    if runs:
        scale = alt.Scale(domain=runs, range=_shades(style)[: len(runs)])
        layers.append(_points(marked, x, alt.Color("run:N", scale=scale, legend=None), step))
    return alt.layer(*layers, *_names(runs, width, style))  # type: ignore[no-any-return]


def _shades(style: Style) -> list[str]:
    """Return the colours of marked runs; boxes have the colour that is left out."""
    palette = style.colours
    own = (palette.early, palette.right, *(shade for shade in palette.series[3:] if shade != palette.late))
    return list(islice(cycle(own), MOST))


def _points(marked: pl.DataFrame, x: alt.X, colour: alt.Color, step: float) -> Any:
    alt = altair()
    size = max(8.0, min(40.0, 4 * step))
    exact = alt.Tooltip("value:Q", format=".4f")
    points = alt.Chart(rows(marked)).mark_point(filled=True, opacity=1, size=size)
    return points.encode(x=x, y="value:Q", color=colour, tooltip=["run:N", "topic:N", exact])


def _names(runs: list[str], width: int, style: Style) -> list[Any]:
    """The names of marked runs, each in its colour, above the boxes."""
    alt = altair()
    layers = []
    for number, name in enumerate(shorten_names(runs, letters(width - 20)).values()):
        text = rows(pl.DataFrame({"text": [f"● {name}"]}))
        chart = alt.Chart(text).mark_text(style="label", align="left", baseline="top")
        place = {"x": alt.value(0), "y": alt.value(14 * (number - len(runs)) - 4)}
        layers.append(chart.encode(text="text:N", color=alt.value(_shades(style)[number]), **place))
    return layers
