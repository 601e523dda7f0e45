"""Indicators of the curves of one run over all topics, as parallel coordinates.

A line for each topic, from topics with few relevant documents (dark) to those with many (bright). Axes: R, the number
of relevant documents, as a share of the largest; the recovery ratio of the full-scale ranking, which tells what a topic
allows; then what the run made of it, better the higher: the recovery ratio, the balance point against that of the
full-scale ranking, the lowest point and the end of the curve against its own. What leaves the range from 0 to 1 is
drawn at its border: a curve that is never made up for, or one that ends below the axis. The dashed line is the mean of
what is drawn.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import polars as pl

from assay import effort
from assay.effort._indicators import EffortReport
from assay.errors import InputError
from assay.results.names import shorten_names
from assay.views.plots._bands import BOLD, letters, wrapped
from assay.views.plots._choice import run_named
from assay.views.plots._figures import Data
from assay.views.plots._style import Style, altair, apart, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = "Angelini et al. (2012), Fig. 3"
AXES = {"r": "R", "rho_w": "ρ_w", "rho": "ρ", "b_ratio": "b ratio", "crp_min": "CRP min", "crp_n": "CRP N"}
"""The indicators and what their axes are called."""
HEIGHT = 240
_FEW = 16  # topics that have names beside their lines, if there is room


def data(
    source: Campaign | EffortReport, *, run: str | None = None, depth: int | None = None, length: str = "extend"
) -> Data:
    """Tabulate a row for each topic and indicator of one run, by default the first.

    Columns run, topic, place (of the topic by R, from 1), r (relevant documents), indicator (r, rho_w, rho, b_ratio,
    crp_min, crp_n), value (null if it is not defined), shown (the value cut to the range from 0 to 1; r as a share of
    the largest). Topics without relevant documents are left out.
    """
    report = source if isinstance(source, EffortReport) else effort.indicators(source, depth=depth, length=length)
    results = report.results
    if run is not None and not isinstance(run, str):
        raise InputError(f"run: this figure shows one run, got {len(run)}")
    name = results.runs[0] if run is None else run_named(run, results.runs, results.provenance)
    own = report.frame().filter(pl.col("run") == name, pl.col("r") > 0, pl.col("rho").is_not_null())
    wide = own.sort("r", maintain_order=True).with_row_index("place", 1)
    long = wide.select("run", "topic", "place", "r", *(pl.col(one).cast(pl.Float64).alias(f"_{one}") for one in AXES))
    long = long.unpivot(index=["run", "topic", "place", "r"], variable_name="indicator")
    share = pl.when(pl.col("indicator") == "_r").then(pl.col("value") / pl.col("r").max()).otherwise(pl.col("value"))
    frame = long.with_columns(
        pl.col("place").cast(pl.Int64), pl.col("indicator").str.strip_prefix("_"), shown=share.clip(0, 1)
    ).sort("place", maintain_order=True)
    return Data(frame, report.notes, report.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """A line for each topic across six axes."""
    alt = altair()
    if frame.is_empty():
        return nothing("no topic has relevant documents", style)
    few = frame["topic"].n_unique() <= _FEW and style.room(480) >= 400
    width = style.room(480) - 48 - (94 if few else 36)
    shown = frame.with_columns(axis=pl.col("indicator").replace_strict(AXES))
    wide = frame.filter(pl.col("indicator") != "r").pivot("indicator", index="topic", values="value")
    shown = shown.select("topic", "place", "r", "axis", "shown").join(wide, on="topic", maintain_order="left")
    axis = alt.Axis(orient="top", title=None, labelAngle=0, ticks=False, domain=False, grid=True, labelPadding=8)
    x = alt.X("axis:N", sort=list(AXES.values()), scale=alt.Scale(type="point", padding=0), axis=axis)
    y = alt.Y("shown:Q", scale=alt.Scale(domain=[0, 1]), axis=None)
    over = alt.selection_point(name="over", fields=["topic"], on="pointerover", clear="pointerout")
    bright = alt.Scale(scheme=alt.SchemeParams(style.colours.scale, extent=[0.12, 0.9]))
    told = [alt.Tooltip(f"{name}:Q", title=title, format=".3f") for name, title in AXES.items() if name != "r"]
    lines = alt.Chart(rows(shown)).encode(
        x,
        y,
        alt.Detail("topic:N"),
        alt.Color("place:Q", scale=bright, legend=None),
    )
    # Not the opacity of marks as a whole: a picture would take a layer of its own for each of them, and seconds.
    faint = {"condition": {"param": "over", "value": 0.8}, "value": 0.1}
    # What the pointer meets: thin lines are hard to hit, and lines that change while they are met lose it again.
    behind = shown.with_columns(pl.col("axis", "shown").shift(-1).over("topic").name.suffix("_behind")).drop_nulls(
        "axis_behind"
    )
    strips = alt.Chart(rows(behind)).mark_rule(strokeWidth=7, strokeOpacity=0.001)
    strips = strips.encode(
        x,
        y,
        x2=alt.X2("axis_behind:N"),
        y2=alt.Y2("shown_behind:Q"),
        tooltip=[alt.Tooltip("topic:N"), alt.Tooltip("r:Q", title="R"), *told],
    )
    mean = shown.group_by("axis", maintain_order=True).agg(pl.col("shown").mean())
    layers = [
        lines.mark_line(strokeWidth=1.4).encode(alt.StrokeOpacityValue(**faint)),
        lines.mark_circle(size=24, opacity=1).encode(alt.FillOpacityValue(**faint)),
        alt.Chart(rows(mean)).mark_line(style="reference", strokeWidth=2.5).encode(x, y),
        *_mean(mean, x),
        *_scales(int(frame["r"].max()), x),  # type: ignore[arg-type]
        *(_topics(shown, x) if few else []),
        strips.add_params(over),
    ]
    title = alt.Title(wrapped(frame["run"][0], letters(width, BOLD)))
    return alt.layer(*layers, width=width, height=HEIGHT, title=title)  # type: ignore[no-any-return]


def _scales(most: int, x: Any) -> list[Any]:
    """Numbers of relevant documents to the left, shares to the right."""
    step = next(step * 10**power for power in count() for step in (1, 2, 5) if most <= 5 * step * 10**power)
    counts = [*(number for number in range(0, most, step) if most - number >= step / 2), most]
    left = [{"axis": AXES["r"], "shown": number / most, "text": f"{number:,}"} for number in counts]
    right = [{"axis": AXES["crp_n"], "shown": share, "text": f"{share:g}"} for share in (0, 0.25, 0.5, 0.75, 1)]
    return [_texts(left, x, "muted", align="right", dx=-7), _texts(right, x, "muted", align="left", dx=7)]


def _mean(mean: pl.DataFrame, x: Any) -> list[Any]:
    """The name of the dashed line, above it where it leaves the first axis."""
    made = [{"axis": AXES["r"], "shown": mean.filter(axis=AXES["r"])["shown"][0], "text": "mean"}]
    return [_texts(made, x, kind, align="left", dx=8, dy=-8) for kind in ("halo", "label")]


def _topics(shown: pl.DataFrame, x: Any) -> list[Any]:
    """The names of topics, beside where their lines end."""
    last = shown.filter(axis=AXES["crp_n"]).with_columns(pl.col("shown").fill_null(0))
    places = apart(last["shown"].to_list(), 12 / HEIGHT, 0, 1)
    names = zip(shorten_names(last["topic"], 9).values(), places, strict=True)
    made = [{"axis": AXES["crp_n"], "shown": place, "text": topic} for topic, place in names]
    return [_texts(made, x, "label", align="left", dx=34)]


def _texts(made: list[dict[str, Any]], x: Any, kind: str, **where: Any) -> Any:
    alt = altair()
    chart = alt.Chart({"values": tuple(made)}).mark_text(style=kind, **where)
    return chart.encode(x, alt.Y("shown:Q", axis=None), alt.Text("text:N"))
