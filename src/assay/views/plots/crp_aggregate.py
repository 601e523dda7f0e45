"""Indicators of the CRP curves of one run over all topics, as parallel coordinates.

Each line is a topic. Dark lines are topics with few relevant documents, and bright lines are topics with many. The
first two axes describe the topic: R is the number of relevant documents divided by the largest R, and ρ_w is the
recovery ratio of the full-scale ranking. The other four axes describe the run, and higher values are better. They are
the recovery ratio ρ, the balance point (b ratio), the minimum of the curve (CRP min) and its end (CRP N). The last
three are relative to the full-scale ranking. Values below 0 or above 1 are drawn at these limits, for example if a
curve never recovers or ends below the axis. The dashed line is the mean of the drawn values. ``--mark`` highlights and
labels topics. In HTML, the pointer shows the name and the values of a topic, and a rectangle that is drawn across one
or more axes keeps only the topics whose values on these axes lie inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, cycle
from typing import TYPE_CHECKING, Any

import polars as pl

from assay import effort
from assay.effort._indicators import EffortReport
from assay.errors import InputError
from assay.results.names import shorten_names
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import BOLD_CHARACTER_WIDTH, max_characters, wrap_text
from assay.views.plots._figures import Data
from assay.views.plots._selection import find_run, find_topic
from assay.views.plots._style import Style, empty_chart, rows, spread_positions, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Angelini et al. (2012), Fig. 3"
AXES = {"r": "R", "rho_w": "ρ_w", "rho": "ρ", "b_ratio": "b ratio", "crp_min": "CRP min", "crp_n": "CRP N"}
"""The indicators and the titles of their axes."""
HEIGHT = 240
MAX_MARKED = 4
"""Maximum number of marked topics: readers can distinguish this many colours from those of the other lines."""
_INSIDE = (
    "!isValid(brush.axis) || indexof(brush.axis, datum.axis) < 0"
    " || (isValid(datum.shown) && inrange(datum.shown, brush.shown))"
)
_MAX_LABELLED_TOPICS = 16  # for more topics, lines have no labels


def data(
    source: Campaign | EffortReport,
    *,
    run: str | None = None,
    mark: str | Sequence[str] | None = None,
    depth: int | None = None,
    length: str = "extend",
) -> Data:
    """Tabulate one row for each topic and indicator of one run, by default the first run.

    The columns are run, topic, place (of the topic by R, from 1), r (the number of relevant documents), indicator (r,
    rho_w, rho, b_ratio, crp_min or crp_n), value (null if undefined), shown (the value clipped to the range 0 to 1; for
    r, the value divided by its maximum) and marked (true for the topics *mark*). Topics without relevant documents are
    omitted.
    """
    report = source if isinstance(source, EffortReport) else effort.indicators(source, depth=depth, length=length)
    results = report.results
    if run is not None and not isinstance(run, str):
        raise InputError(f"run: this figure shows one run, got {len(run)}")
    name = results.runs[0] if run is None else find_run(run, results.runs, results.provenance)
    marked = [mark] if isinstance(mark, str) else list(mark or ())
    if len(marked) > MAX_MARKED:
        raise InputError(f"mark: at most {MAX_MARKED} topics can be marked, got {len(marked)}")
    for topic in marked:
        find_topic(topic, results.topics, results.provenance)
    topics = report.frame().filter(pl.col("run") == name, pl.col("r") > 0, pl.col("rho").is_not_null())
    wide = topics.sort("r", maintain_order=True).with_row_index("place", 1)
    # The prefix distinguishes the indicators from the columns; the column r is also needed as an index.
    indicators = (pl.col(indicator).cast(pl.Float64).alias(f"_{indicator}") for indicator in AXES)
    long = wide.select("run", "topic", "place", "r", *indicators)
    long = long.unpivot(index=["run", "topic", "place", "r"], variable_name="indicator")
    is_r = pl.col("indicator") == "_r"
    relative = pl.when(is_r).then(pl.col("value") / pl.col("r").max()).otherwise(pl.col("value"))
    frame = long.with_columns(
        pl.col("place").cast(pl.Int64),
        pl.col("indicator").str.strip_prefix("_"),
        shown=relative.clip(0, 1),
        marked=pl.col("topic").is_in(marked),
    ).sort("place", maintain_order=True)
    return Data(frame, report.notes, report.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a line for each topic across six axes."""
    if frame.is_empty():
        return empty_chart("no topic has relevant documents", style)
    few = frame["topic"].n_unique() <= _MAX_LABELLED_TOPICS and style.total_width(480) >= 400
    labelled = frame if few else frame.filter("marked")
    width = style.total_width(480) - 48 - (36 if labelled.is_empty() else 94)
    values_by_topic = frame.filter(pl.col("indicator") != "r").pivot("indicator", index="topic", values="value")
    points = frame.select(
        "topic", "place", "r", pl.col("indicator").replace_strict(AXES).alias("axis"), "shown", "marked"
    )
    points = points.join(values_by_topic, on="topic", maintain_order="left")
    angle: dict[str, Any] = {"labelAngle": 0}
    if width < 200:  # the names do not fit side by side
        angle = {"labelAngle": -90, "labelAlign": "left", "labelBaseline": "middle"}
    axis = alt.Axis(orient="top", title=None, ticks=False, domain=False, grid=True, labelPadding=8, **angle)
    x = alt.X("axis:N", sort=list(AXES.values()), scale=alt.Scale(type="point", padding=0), axis=axis)
    y = alt.Y("shown:Q", scale=alt.Scale(domain=[0, 1]), axis=None)
    hovered = alt.selection_point(name="over", fields=["topic"], on="pointerover", clear="pointerout")
    brush = alt.selection_interval(name="brush", encodings=["x", "y"])
    mean = points.group_by("axis", maintain_order=True).agg(pl.col("shown").mean())
    layers = [
        *_lines(points, x, y, style),
        alt.Chart(rows(mean)).mark_line(style="reference", strokeWidth=2.5).encode(x, y),
        *_label_mean(mean, x),
        *_label_scales(int(frame["r"].max()), x),  # type: ignore[arg-type]
        *_label_topics(
            points.filter(pl.col("topic").is_in(labelled["topic"].unique())), x, _marked_shades(points, style)
        ),
        _name_hovered(points, width),
        _strips(points, x, y).add_params(hovered, brush),
    ]
    title = alt.Title(wrap_text(frame["run"][0], max_characters(width, BOLD_CHARACTER_WIDTH)))
    return alt.layer(*layers, width=width, height=HEIGHT, title=title)


def _lines(points: pl.DataFrame, x: alt.X, y: alt.Y, style: Style) -> list[Any]:
    """Draw the lines of the topics and their points; marked topics are drawn last, in separate colours."""
    bright = alt.Scale(scheme=alt.SchemeParams(style.colours.scale, extent=[0.12, 0.9]))  # type: ignore[arg-type]
    others = points.filter(~pl.col("marked"))
    strength = 0.8 if len(others) == len(points) else 0.25
    layers = _line_layers(
        others.drop("marked"), x, y, {"color": alt.Color("place:Q", scale=bright, legend=None)}, strength
    )
    for topic, shade in _marked_shades(points, style).items():
        colour = {"color": alt.value(shade)}
        layers += _line_layers(points.filter(topic=topic).drop("marked"), x, y, colour, 1.0, wide=True)
    return layers


def _line_layers(
    points: pl.DataFrame, x: alt.X, y: alt.Y, colour: dict[str, Any], strength: float, *, wide: bool = False
) -> list[Any]:
    """Draw lines with the opacity *strength*; topics that are not selected, or not under the pointer, are faint."""
    chart = alt.Chart(rows(points)).encode(x, y, alt.Detail("topic:N"), **colour)
    # A topic is selected if its values on all axes within the rectangle are inside. Without a rectangle, all are.
    chart = chart.transform_calculate(inside=_INSIDE).transform_joinaggregate(selected="min(inside)", groupby=["topic"])
    # Set only the opacity of strokes and fills. With the opacity of complete marks, a picture would need a separate
    # layer for each mark and would take seconds to render.
    test = {"and": [{"param": "over"}, "datum.selected"]}
    faint: dict[str, Any] = {"condition": {"test": test, "value": strength}, "value": 0.1}
    return [
        chart.mark_line(strokeWidth=2.4 if wide else 1.4).encode(alt.StrokeOpacityValue(**faint)),
        chart.mark_circle(size=36 if wide else 24, opacity=1).encode(alt.FillOpacityValue(**faint)),
    ]


def _marked_shades(points: pl.DataFrame, style: Style) -> dict[str, str]:
    """Return the colours of the marked topics."""
    topics = points.filter("marked")["topic"].unique(maintain_order=True)
    return dict(zip(topics, cycle((style.colours.early, *style.colours.series[3:5], style.colours.late)), strict=False))


def _strips(points: pl.DataFrame, x: alt.X, y: alt.Y) -> Any:
    """Draw invisible wide strips that catch the pointer.

    Thin lines are hard to hit, and a line that is redrawn while the pointer is on it loses the pointer again.
    """
    segments = points.with_columns(pl.col("axis", "shown").shift(-1).over("topic").name.suffix("_next"))
    chart = alt.Chart(rows(segments.drop_nulls("axis_next"))).mark_rule(strokeWidth=7, strokeOpacity=0.001)
    indicators = [alt.Tooltip(f"{name}:Q", title=title, format=".3f") for name, title in AXES.items() if name != "r"]
    fields = tooltip("topic:N", alt.Tooltip("r:Q", title="R"), *indicators)
    return chart.encode(x, y, alt.X2("axis_next:N"), alt.Y2("shown_next:Q"), fields)


def _name_hovered(points: pl.DataFrame, width: int) -> Any:
    """Show the name of the topic under the pointer at the upper right."""
    short = shorten_names(points["topic"].unique(maintain_order=True), max_characters(width / 2))
    names = tuple({"topic": topic, "text": f"topic {name}"} for topic, name in short.items())
    text = alt.Chart({"values": names}).mark_text(style="label", align="right")
    hovered: Any = {"param": "over", "empty": False}
    return text.encode(alt.Text("text:N"), x=alt.value("width"), y=alt.value(-36)).transform_filter(hovered)


def _label_scales(largest: int, x: alt.X) -> list[alt.Chart]:
    """Label the left axis with numbers of relevant documents, and the right axis with values from 0 to 1."""
    step = next(step * 10**power for power in count() for step in (1, 2, 5) if largest <= 5 * step * 10**power)
    counts = [*(number for number in range(0, largest, step) if largest - number >= step / 2), largest]
    left = [{"axis": AXES["r"], "shown": number / largest, "text": f"{number:,}"} for number in counts]
    right = [{"axis": AXES["crp_n"], "shown": tick, "text": f"{tick:g}"} for tick in (0, 0.25, 0.5, 0.75, 1)]
    return [_texts(left, x, "muted", align="right", dx=-7), _texts(right, x, "muted", align="left", dx=7)]


def _label_mean(mean: pl.DataFrame, x: alt.X) -> list[alt.Chart]:
    """Label the dashed line at the first axis."""
    label = [{"axis": AXES["r"], "shown": mean.filter(axis=AXES["r"])["shown"][0], "text": "mean"}]
    return [_texts(label, x, kind, align="left", dx=8, dy=-8) for kind in ("halo", "label")]


def _label_topics(points: pl.DataFrame, x: alt.X, shades: dict[str, str]) -> list[alt.Chart]:
    """Label the ends of the lines with their topics; *shades* are the colours of marked topics."""
    last = points.filter(axis=AXES["crp_n"]).with_columns(pl.col("shown").fill_null(0))
    # Labels of lines that end at the same value are in the order of the lines on the axis before.
    previous = points.filter(axis=AXES["crp_min"])["shown"].fill_null(0)
    order = last.with_columns(previous=previous).sort("shown", "previous", maintain_order=True)
    positions = spread_positions(order["shown"].to_list(), 12 / HEIGHT, 0, 1)
    short = shorten_names(order["topic"], 9)
    layers = []
    for topic, position in zip(order["topic"], positions, strict=True):
        label = [{"axis": AXES["crp_n"], "shown": position, "text": short[topic], "topic": topic}]
        text = _texts(label, x, "label", align="left", dx=34)
        layers.append(
            text.encode(tooltip("topic:N"), **({"color": alt.value(shades[topic])} if topic in shades else {}))
        )
    return layers


def _texts(labels: list[dict[str, Any]], x: alt.X, kind: str, **options: Any) -> Any:
    chart = alt.Chart({"values": tuple(labels)}).mark_text(style=kind, **options)
    return chart.encode(x, alt.Y("shown:Q", axis=None), alt.Text("text:N"))
