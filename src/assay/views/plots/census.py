"""Census of archetypes: frequency of each shape of CRP curve, over all runs and by run.

The upper panel shows the fraction of each archetype among all runs and topics, best archetype first. The lower panel
shows the fractions for each run. Runs are sorted by the fraction of curves that return to the axis (ideal, excellent,
ups-and-downs and typical A), largest first. With binary relevance, there are no excellent curves and no ups-and-downs.
Topics without relevant documents have no curve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay import effort
from assay.effort import archetypes
from assay.effort._indicators import ALL, EffortReport
from assay.model.notes import pluralize
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import add_short_names, row_axis, row_label_width
from assay.views.plots._figures import Data
from assay.views.plots._selection import check_minimum
from assay.views.plots._style import Style, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Ferro et al. (2016), Table 2"
ORDER = ("ideal", "excellent A", "excellent B", "ups-and-downs", "typical A", "typical B", "full-scale", "worst")
"""The archetypes, best first."""
_RECOVERING = ORDER[:5]  # archetypes whose curves return to the axis
_SHADES = (2, 5, 0, 6, 4, 1, 3, 7)  # indices into the colours of series: cool for good archetypes, warm for bad ones
_BAR, _ROW, _LOW_ROW = 16, 15, 11
_MAX_FULL_HEIGHT_RUNS = 20  # for more runs, rows are lower


def data(source: Campaign | EffortReport, *, depth: int | None = None, length: str = "extend", most: int = 40) -> Data:
    """Tabulate each archetype for all runs together (place 0, run ``all``), then for each of the first *most* runs.

    The columns are place, run, archetype, curves (the number of curves with this archetype), of (the number of all
    curves), share (curves / of; null without curves) and runs (the total number of runs).
    """
    report = source if isinstance(source, EffortReport) else effort.indicators(source, depth=depth, length=length)
    check_minimum("most", most, 1)
    counts = archetypes.count_archetypes(report.archetypes)[:, [archetypes.NAMES.index(name) for name in ORDER]]
    total = np.maximum(counts.sum(axis=1), 1)
    recovering = counts[:, : len(_RECOVERING)].sum(axis=1) / total
    order = np.lexsort((counts[:, -1] / total, -recovering))[:most]  # ties: fewer worst curves first
    groups = [(ALL, counts.sum(axis=0)), *((report.results.runs[i], counts[i]) for i in order)]
    table = [
        (place, run, name, int(count), int(row.sum()), count / row.sum() if row.any() else None, len(counts))
        for place, (run, row) in enumerate(groups)
        for name, count in zip(ORDER, row.tolist(), strict=True)
    ]
    numbers = {"curves": pl.Int64, "of": pl.Int64, "share": pl.Float64, "runs": pl.Int64}
    schema = {"place": pl.Int64, "run": pl.String, "archetype": pl.String, **numbers}
    frame = pl.DataFrame(table, schema=schema, orient="row")
    return Data(frame, report.notes, report.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw bars for all runs together, and a stacked bar for each run."""
    if frame.is_empty() or frame["share"].is_null().all():
        return empty_chart("no topic has relevant documents", style)
    total_width = style.total_width(480)
    runs = frame.filter((pl.col("place") > 0) & pl.col("share").is_not_null())
    name_width = max(row_label_width([*ORDER, *runs["run"].to_list()], total_width, 150), 100)
    shades = alt.Scale(domain=list(ORDER), range=[style.colours.series[i] for i in _SHADES])
    colour = alt.Color("archetype:N", scale=shades, legend=None)
    overall = _draw_overall(frame.filter(pl.col("place") == 0), total_width - name_width - 64, name_width, colour)
    if frame["runs"][0] < 2:
        return overall  # type: ignore[no-any-return]
    return alt.vconcat(overall, _draw_runs(runs, total_width - name_width - 24, name_width, colour), spacing=16)


def _tooltip() -> list[alt.Tooltip]:
    fraction = alt.Tooltip("share:Q", format=".1%", title="fraction of curves")
    return tooltip("archetype:N", fraction, "curves:Q", alt.Tooltip("of:Q", title="all curves"))


def _draw_overall(frame: pl.DataFrame, width: int, name_width: int, colour: alt.Color) -> Any:
    texts = pl.Series("text", [percent(fraction) for fraction in frame["share"].to_list()], dtype=pl.String)
    axis = alt.Axis(ticks=False, domain=False, labelPadding=6, minExtent=name_width, maxExtent=name_width)
    x = alt.X("share:Q", scale=alt.Scale(domain=[0, max(frame["share"].to_list())], nice=False), axis=None)
    y = alt.Y("archetype:N", sort=list(ORDER), title=None, axis=axis)
    base = alt.Chart(rows(frame.with_columns(texts)), width=width, height=alt.Step(_BAR)).encode(x, y, _tooltip())
    bars = base.mark_bar(opacity=0.9, size=11).encode(colour)
    labels = base.mark_text(style="label", align="left", dx=4).encode(alt.Text("text:N"))
    return alt.layer(bars, labels, title=pluralize(frame["of"][0], "curve"))


def percent(fraction: float) -> str:
    """Format a fraction as a percentage with one decimal; values that would round to 0 are shown as "<0.1 %".

    >>> percent(0), percent(0.0003), percent(0.1234)
    ('0.0 %', '<0.1 %', '12.3 %')
    """
    return "<0.1 %" if 0 < fraction < 0.0005 else f"{100 * fraction:.1f} %"


def _draw_runs(runs: pl.DataFrame, width: int, name_width: int, colour: alt.Color) -> Any:
    runs = add_short_names(runs, "run", name_width - 8)
    names = runs["short_run"].unique(maintain_order=True).to_list()
    row = _ROW if len(names) <= _MAX_FULL_HEIGHT_RUNS else _LOW_ROW
    positions = {name: number for number, name in enumerate(ORDER)}
    segments = runs.filter(pl.col("curves") > 0).with_columns(
        kind=pl.col("archetype").replace_strict(positions, return_dtype=pl.Int64)
    )
    axis = row_axis(names, row, name_width - 8)
    axis.minExtent = axis.maxExtent = name_width
    ticks = alt.Axis(format=".0%", tickCount=5 if width >= 240 else 2)
    x = alt.X("share:Q", title="fraction of topics", stack="zero", scale=alt.Scale(domain=[0, 1]), axis=ticks)
    y = alt.Y("short_run:N", sort=names, title=None, axis=axis)
    total = runs["runs"][0]
    title = pluralize(total, "run") if len(names) == total else f"first {len(names)} of {total:,} runs"
    base = alt.Chart(rows(segments.drop("runs", "place")), width=width, height=alt.Step(row), title=title)
    bars = base.mark_bar(opacity=0.9, size=row - 2)
    return bars.encode(x, y, colour, alt.Order("kind:Q"), tooltip("run:N", *_tooltip()))
