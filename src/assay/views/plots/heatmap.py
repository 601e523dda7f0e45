"""Every value: runs by topics as a heat map, best runs first, hardest topics first.

A row is a run, a column a topic, and the colour of a cell the value of the measure. Rows go from the best mean down,
columns from the topic with the worst mean over the runs to the one with the best. What breaks the pattern is worth a
look: a hard topic that one run solves, an easy one that a good run fails on. A crossed cell has no value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.model.arrays import Floats, Ints
from assay.results.results import Results
from assay.views.plots._bands import BENEATH, add_short_names, beneath, beside, even, names_room
from assay.views.plots._figures import Data, results_of
from assay.views.plots._style import Style, altair, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = None
WIDE, HIGH = 640, 560
_LEGEND = 66  # pixels beside the cells
_CROSSED = 7  # pixels of a cell that has room for a cross


def data(source: Campaign | Results, *, measure: str = "AP", most: int | None = None) -> Data:
    """Tabulate a row for each of the *most* best runs and each topic: their places, their means, and the value.

    *run_place* counts runs from the best, *topic_place* topics from the hardest by their mean over the runs shown;
    *value* is null where there is none. *better* is ``higher``, or ``lower`` of a measure of cost.
    """
    if most is not None and most < 1:
        raise InputError(f"most must be at least 1, got {most}")
    results = results_of(source, measure)
    first = results.measures[0]
    shown = results.select(results.best(first)[:most])
    values = shown.values[0]
    order = _hardest_first(values, first.lower_is_better)
    run, topic = np.indices(values.shape).reshape(2, -1)
    at = order[topic]
    frame = pl.DataFrame(
        {
            "run_place": run + 1,
            "run": pl.Series(shown.runs, dtype=pl.String).gather(run),
            "topic_place": topic + 1,
            "topic": pl.Series(shown.topics, dtype=pl.String).gather(at),
            "measure": pl.Series([str(first)] * len(run), dtype=pl.String),
            "value": values[run, at],
            "run_mean": shown.overall()[:, 0][run],
            "topic_mean": _means(values)[at],
            "better": pl.Series(["lower" if first.lower_is_better else "higher"] * len(run), dtype=pl.String),
        }
    ).with_columns(pl.col("value", "run_mean", "topic_mean").fill_nan(None))
    return Data(frame, results.notes, results.provenance)


def _means(values: Floats) -> Floats:
    """The mean of each topic over the runs that have a value."""
    known = ~np.isnan(values)
    many = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.asarray(np.divide(total, many, out=np.full(len(many), np.nan), where=many > 0))


def _hardest_first(values: Floats, lower_is_better: bool) -> Ints:
    mean = _means(values)
    ease = -mean if lower_is_better else mean
    return np.argsort(np.where(np.isnan(ease), np.inf, ease), kind="stable")


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """A rectangle for each value, as many names as can be read, and a legend beside."""
    alt = altair()
    if frame.is_empty() or frame["value"].is_null().all():
        return nothing("no run has a value", style)
    runs, topics = (frame[name].unique(maintain_order=True).to_list() for name in ("run", "topic"))
    names = names_room(runs, style.room(WIDE))
    across = even((style.room(WIDE) - names - _LEGEND) / len(topics))
    down = even(min(18.0, max(3.0, HIGH / len(runs))))
    width, height = across * len(topics), down * len(runs)
    frame = add_short_names(add_short_names(frame, "topic", BENEATH), "run", names - 10)
    runs, topics = (frame[name].unique(maintain_order=True).to_list() for name in ("short_run", "short_topic"))
    base = alt.Chart(rows(frame), width=width, height=height).encode(
        x=alt.X("short_topic:N", scale=_cells(topics), axis=beneath(topics, across, _TOPICS, thin=True)),
        y=alt.Y("short_run:N", scale=_cells(runs), axis=beside(runs, down, names - 10)),
        tooltip=[
            "run:N",
            "topic:N",
            *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("value", "run_mean", "topic_mean")),
        ],
    )
    cells = base.transform_filter("isValid(datum.value)").mark_rect().encode(color=_colour(frame, height, style))
    if not frame["value"].null_count():
        return cells  # type: ignore[no-any-return]
    empty = base.transform_filter("!isValid(datum.value)")
    layers = [empty.mark_rect(style="soft"), cells]
    if min(across, down) >= _CROSSED:
        layers.append(empty.mark_text(style="muted").encode(text=alt.value("×")))
    return alt.layer(*layers)  # type: ignore[no-any-return]


_TOPICS = "topics, hardest first"


def _cells(names: list[str]) -> alt.Scale:
    return altair().Scale(domain=names, padding=0)  # type: ignore[no-any-return]


def _colour(frame: pl.DataFrame, height: float, style: Style) -> alt.Color:
    alt = altair()
    low, high = (float(end) for end in (frame["value"].min(), frame["value"].max()))  # type: ignore[arg-type]
    if low == high:
        low, high = low - 0.5, high + 0.5
    scale = alt.Scale(scheme=style.colours.scale, domain=[low, high], reverse=frame["better"][0] == "lower")
    legend = alt.Legend(title=frame["measure"][0], gradientLength=min(120, max(40, height - 20)), titleLimit=_LEGEND)
    return alt.Color("value:Q", scale=scale, legend=legend)  # type: ignore[no-any-return]
