"""Box plots of measures: distribution of the means over runs, or over topics.

A box extends from the first to the third quartile, with linear interpolation between adjacent values. The line in the
box is the median. Whiskers end at the last value within 1.5 times the length of the box, and values beyond the whiskers
are drawn as points. If there are at most ten values, all of them are drawn as points. By default each value is the mean
of a run over the topics; with ``--unit topic`` it is the mean of a topic over the runs. The paper shows the
distribution of the same means in another form.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.errors import InputError, suggestion
from assay.meta.selection import select_results
from assay.model.arrays import Floats
from assay.results.results import Results
from assay.views.plots._band_axes import add_short_names, row_label_width
from assay.views.plots._figures import Data
from assay.views.plots._measures import MEASURES
from assay.views.plots._style import Style, altair, empty_chart, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = "Ferro et al. (2016), Fig. 12"
UNITS = ("run", "topic")
CHOICES = {"unit": UNITS}
WHISKER = 1.5
"""Maximum length of a whisker as a multiple of the length of the box."""
_MAX_VALUES_AS_POINTS, _ROW = 10, 24
_SUMMARY = ("q1", "median", "q3", "low", "high")


def data(
    source: Campaign | Results,
    *,
    measures: Iterable[str] = MEASURES,
    unit: str = "run",
    share: float | None = None,
    collection: str | None = None,
) -> Data:
    """Tabulate one row for each measure and each run (or topic) that has a value.

    The columns are collection, measure, unit, name (of the run or topic) and value; q1, median, q3, low and high
    describe the box of the measure, where *low* and *high* are the ends of the whiskers; *outlier* is true if the value
    lies beyond the whiskers. Concatenate the frames of several collections to draw them as panels.
    """
    if unit not in UNITS:
        raise InputError(f"unit {unit!r}: choose one of {', '.join(UNITS)}{suggestion(unit, UNITS)}")
    results = select_results(source, measures, share)
    names = results.runs if unit == "run" else results.topics
    values = results.overall().T if unit == "run" else np.stack([_topic_means(grid) for grid in results.values])
    schema = dict.fromkeys(("value", *_SUMMARY), pl.Float64)
    frames = [
        pl.DataFrame({"name": pl.Series(names, dtype=pl.String), "value": row, **_box(row)}, schema_overrides=schema)
        .filter(pl.col("value").is_not_nan())
        .with_columns(outlier=~pl.col("value").is_between("low", "high"))
        .select(
            pl.lit(collection, pl.String).alias("collection"),
            pl.lit(str(measure)).alias("measure"),
            pl.lit(unit).alias("unit"),
            pl.all(),
        )
        for measure, row in zip(results.measures, values, strict=True)
    ]
    return Data(pl.concat(frames), results.notes, results.provenance)


def _topic_means(values: Floats) -> Floats:
    """Return the mean of each topic over the runs that have a value."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _box(values: Floats) -> dict[str, float]:
    """Return the quartiles and the ends of the whiskers."""
    known = values[~np.isnan(values)]
    if not len(known):
        return dict.fromkeys(_SUMMARY, np.nan)
    q1, median, q3 = np.quantile(known, [0.25, 0.5, 0.75]).tolist()
    limit = WHISKER * (q3 - q1)
    within = known[(known >= q1 - limit) & (known <= q3 + limit)]  # values that are not outliers
    return {"q1": q1, "median": median, "q3": q3, "low": float(within.min()), "high": float(within.max())}


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a box for each measure, in one panel per collection."""
    alt = altair()
    if frame.is_empty():
        return empty_chart("no measure has a value", style)
    collections = frame.partition_by("collection", maintain_order=True)
    low, high = min(0.0, *frame["value"].to_list()), max(frame["value"].to_list())
    scale = alt.Scale(domain=[low, high if high > low else low + 1], nice=True)
    last = len(collections)
    panels = [_panel(points, scale, style, last=number == last) for number, points in enumerate(collections, 1)]
    return panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=12)  # type: ignore[no-any-return]


def _panel(frame: pl.DataFrame, scale: Any, style: Style, last: bool) -> Any:
    alt = altair()
    name_width = row_label_width(frame["measure"].unique().to_list(), style.total_width(), 190)
    frame = add_short_names(frame, "measure", name_width - 8)
    y = alt.Y(
        "short_measure:N",
        sort=frame["short_measure"].unique(maintain_order=True).to_list(),
        title=None,
        axis=alt.Axis(labelLimit=name_width + 22, ticks=False, domain=False, labelPadding=6),
    )
    boxes = frame.unique("measure", keep="first", maintain_order=True).select("measure", "short_measure", *_SUMMARY)
    summary = [alt.Tooltip(f"{name}:Q", format=".4f") for name in _SUMMARY]
    titles = {"run": "mean of a run over topics", "topic": "mean of a topic over runs"}
    x = {"scale": scale, "title": titles[frame["unit"][0]] if last else None, "axis": alt.Axis(grid=True, tickCount=6)}
    base = alt.Chart(rows(boxes), width=style.total_width() - name_width - 24, height=alt.Step(_ROW)).encode(y=y)
    largest = frame.group_by("measure").len()["len"].max()
    visible = frame.filter(pl.col("outlier") | (pl.lit(largest) <= _MAX_VALUES_AS_POINTS))
    visible = visible.select("measure", "short_measure", "name", "value")
    colour = style.colours.late
    points = alt.Chart(rows(visible)).mark_point(size=22, strokeWidth=1.3, opacity=0.9, color=colour)
    whiskers = base.mark_rule(strokeWidth=1.5, opacity=0.9, color=colour)
    layers = [
        whiskers.encode(x=alt.X("low:Q", **x), x2="q1:Q", tooltip=["measure:N", *summary]),
        whiskers.encode(x=alt.X("q3:Q", **x), x2="high:Q", tooltip=["measure:N", *summary]),
        base.mark_bar(size=13, opacity=0.4, color=colour).encode(
            x=alt.X("q1:Q", **x), x2="q3:Q", tooltip=["measure:N", *summary]
        ),
        base.mark_tick(size=17, thickness=2.5, opacity=1, color=colour).encode(
            x=alt.X("median:Q", **x), tooltip=["measure:N", *summary]
        ),
        points.encode(
            x=alt.X("value:Q", **x),
            y=y,
            tooltip=["measure:N", alt.Tooltip("name:N", title=frame["unit"][0]), alt.Tooltip("value:Q", format=".4f")],
        ),
    ]
    heading = {} if frame["collection"][0] is None else {"title": frame["collection"][0]}
    return alt.layer(*layers).properties(**heading)
