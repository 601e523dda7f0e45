"""Indicators of the CRP curves of one run over all topics, as parallel coordinates.

Each line is a topic. Dark lines are topics with few relevant documents, and bright lines are topics with many. The
first two axes describe the topic: R is the number of relevant documents divided by the largest R, and ρ_w is the
recovery ratio of the full-scale ranking. The other four axes describe the run, and higher values are better. They are
the recovery ratio ρ, the balance point (b ratio), the minimum of the curve (CRP min) and its end (CRP N). The last
three are relative to the full-scale ranking. Values below 0 or above 1 are drawn at these limits, for example if a
curve never recovers or ends below the axis. The dashed line is the mean of the drawn values.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import polars as pl

from assay import effort
from assay.effort._indicators import EffortReport
from assay.errors import InputError
from assay.results.names import shorten_names
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import BOLD_CHARACTER_WIDTH, max_characters, wrap_text
from assay.views.plots._figures import Data
from assay.views.plots._selection import find_run
from assay.views.plots._style import Style, empty_chart, rows, spread_positions, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Angelini et al. (2012), Fig. 3"
AXES = {"r": "R", "rho_w": "ρ_w", "rho": "ρ", "b_ratio": "b ratio", "crp_min": "CRP min", "crp_n": "CRP N"}
"""The indicators and the titles of their axes."""
HEIGHT = 240
_MAX_LABELLED_TOPICS = 16  # for more topics, lines have no labels


def data(
    source: Campaign | EffortReport, *, run: str | None = None, depth: int | None = None, length: str = "extend"
) -> Data:
    """Tabulate one row for each topic and indicator of one run, by default the first run.

    The columns are run, topic, place (of the topic by R, from 1), r (the number of relevant documents), indicator (r,
    rho_w, rho, b_ratio, crp_min or crp_n), value (null if undefined) and shown (the value clipped to the range 0 to 1;
    for r, the value divided by its maximum). Topics without relevant documents are omitted.
    """
    report = source if isinstance(source, EffortReport) else effort.indicators(source, depth=depth, length=length)
    results = report.results
    if run is not None and not isinstance(run, str):
        raise InputError(f"run: this figure shows one run, got {len(run)}")
    name = results.runs[0] if run is None else find_run(run, results.runs, results.provenance)
    topics = report.frame().filter(pl.col("run") == name, pl.col("r") > 0, pl.col("rho").is_not_null())
    wide = topics.sort("r", maintain_order=True).with_row_index("place", 1)
    # The prefix distinguishes the indicators from the columns; the column r is also needed as an index.
    indicators = (pl.col(indicator).cast(pl.Float64).alias(f"_{indicator}") for indicator in AXES)
    long = wide.select("run", "topic", "place", "r", *indicators)
    long = long.unpivot(index=["run", "topic", "place", "r"], variable_name="indicator")
    is_r = pl.col("indicator") == "_r"
    relative = pl.when(is_r).then(pl.col("value") / pl.col("r").max()).otherwise(pl.col("value"))
    frame = long.with_columns(
        pl.col("place").cast(pl.Int64), pl.col("indicator").str.strip_prefix("_"), shown=relative.clip(0, 1)
    ).sort("place", maintain_order=True)
    return Data(frame, report.notes, report.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a line for each topic across six axes."""
    if frame.is_empty():
        return empty_chart("no topic has relevant documents", style)
    labelled = frame["topic"].n_unique() <= _MAX_LABELLED_TOPICS and style.total_width(480) >= 400
    width = style.total_width(480) - 48 - (94 if labelled else 36)
    values_by_topic = frame.filter(pl.col("indicator") != "r").pivot("indicator", index="topic", values="value")
    points = frame.select("topic", "place", "r", pl.col("indicator").replace_strict(AXES).alias("axis"), "shown")
    points = points.join(values_by_topic, on="topic", maintain_order="left")
    axis = alt.Axis(orient="top", title=None, labelAngle=0, ticks=False, domain=False, grid=True, labelPadding=8)
    x = alt.X("axis:N", sort=list(AXES.values()), scale=alt.Scale(type="point", padding=0), axis=axis)
    y = alt.Y("shown:Q", scale=alt.Scale(domain=[0, 1]), axis=None)
    hovered = alt.selection_point(name="over", fields=["topic"], on="pointerover", clear="pointerout")
    bright = alt.Scale(scheme=alt.SchemeParams(style.colours.scale, extent=[0.12, 0.9]))  # type: ignore[arg-type]
    indicators = [alt.Tooltip(f"{name}:Q", title=title, format=".3f") for name, title in AXES.items() if name != "r"]
    lines = alt.Chart(rows(points)).encode(x, y, alt.Detail("topic:N"), alt.Color("place:Q", scale=bright, legend=None))
    # Set only the opacity of strokes and fills. With the opacity of complete marks, a picture would need a separate
    # layer for each mark and would take seconds to render.
    faint: dict[str, Any] = {"condition": {"param": "over", "value": 0.8}, "value": 0.1}
    # Invisible wide strips catch the pointer: thin lines are hard to hit, and a line that is redrawn while the pointer
    # is on it loses the pointer again.
    segments = points.with_columns(pl.col("axis", "shown").shift(-1).over("topic").name.suffix("_next"))
    strips = alt.Chart(rows(segments.drop_nulls("axis_next"))).mark_rule(strokeWidth=7, strokeOpacity=0.001)
    fields = tooltip("topic:N", alt.Tooltip("r:Q", title="R"), *indicators)
    strips = strips.encode(x, y, alt.X2("axis_next:N"), alt.Y2("shown_next:Q"), fields)
    mean = points.group_by("axis", maintain_order=True).agg(pl.col("shown").mean())
    layers = [
        lines.mark_line(strokeWidth=1.4).encode(alt.StrokeOpacityValue(**faint)),
        lines.mark_circle(size=24, opacity=1).encode(alt.FillOpacityValue(**faint)),
        alt.Chart(rows(mean)).mark_line(style="reference", strokeWidth=2.5).encode(x, y),
        *_label_mean(mean, x),
        *_label_scales(int(frame["r"].max()), x),  # type: ignore[arg-type]
        *(_label_topics(points, x) if labelled else []),
        strips.add_params(hovered),
    ]
    title = alt.Title(wrap_text(frame["run"][0], max_characters(width, BOLD_CHARACTER_WIDTH)))
    return alt.layer(*layers, width=width, height=HEIGHT, title=title)


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


def _label_topics(points: pl.DataFrame, x: alt.X) -> list[alt.Chart]:
    """Label the ends of the lines with their topics."""
    last = points.filter(axis=AXES["crp_n"]).with_columns(pl.col("shown").fill_null(0))
    positions = spread_positions(last["shown"].to_list(), 12 / HEIGHT, 0, 1)
    names = zip(shorten_names(last["topic"], 9).values(), positions, strict=True)
    labels = [{"axis": AXES["crp_n"], "shown": position, "text": topic} for topic, position in names]
    return [_texts(labels, x, "label", align="left", dx=34)]


def _texts(labels: list[dict[str, Any]], x: alt.X, kind: str, **options: Any) -> Any:
    chart = alt.Chart({"values": tuple(labels)}).mark_text(style=kind, **options)
    return chart.encode(x, alt.Y("shown:Q", axis=None), alt.Text("text:N"))
