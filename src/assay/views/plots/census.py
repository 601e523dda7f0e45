"""Census of archetypes: which shapes the curves of relative position have, for all runs and for each.

Above the share of each archetype among all runs and topics, from the good ones to the bad; below every run, those first
whose curves come back to the axis most often (ideal, excellent, ups-and-downs, typical A). Where relevance is binary
there are no excellent curves and no ups-and-downs. Topics without relevant documents have no curve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay import effort
from assay.effort import archetypes as kinds
from assay.effort._indicators import ALL, EffortReport
from assay.errors import InputError
from assay.views.plots._bands import add_short_names, beside, names_room
from assay.views.plots._figures import Data
from assay.views.plots._style import Style, altair, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = "Ferro et al. (2016), Table 2"
ORDER = ("ideal", "excellent A", "excellent B", "ups-and-downs", "typical A", "typical B", "full-scale", "worst")
"""The archetypes, the best first."""
_BACK = ORDER[:5]
_SHADES = (2, 5, 0, 6, 4, 1, 3, 7)  # of the colours for series: what is good is cool, what is bad is warm
_BAR, _ROW, _LOW = 16, 15, 11
_FEW = 20  # runs that get rows of the full height


def data(source: Campaign | EffortReport, *, depth: int | None = None, length: str = "extend", most: int = 40) -> Data:
    """Tabulate a row for each archetype of all runs (place 0, run ``all``), then of each of the first *most* runs.

    Columns place, run, archetype, curves (how many have it), of (how many curves there are), share (null if there are
    none), runs (how many there are in all).
    """
    report = source if isinstance(source, EffortReport) else effort.indicators(source, depth=depth, length=length)
    if most < 1:
        raise InputError(f"most must be at least 1, got {most}")
    counts = kinds.census(report.archetypes)[:, [kinds.NAMES.index(name) for name in ORDER]]
    total = np.maximum(counts.sum(axis=1), 1)
    back = counts[:, : len(_BACK)].sum(axis=1) / total
    order = np.lexsort((counts[:, -1] / total, -back))[:most]  # of equal ones first those that fail less often
    listed = [(ALL, counts.sum(axis=0)), *((report.results.runs[i], counts[i]) for i in order)]
    rows_of_runs = [
        (place, run, name, int(count), int(row.sum()), count / row.sum() if row.any() else None, len(counts))
        for place, (run, row) in enumerate(listed)
        for name, count in zip(ORDER, row.tolist(), strict=True)
    ]
    whole = {"curves": pl.Int64, "of": pl.Int64, "share": pl.Float64, "runs": pl.Int64}
    schema = {"place": pl.Int64, "run": pl.String, "archetype": pl.String, **whole}
    frame = pl.DataFrame(rows_of_runs, schema=schema, orient="row")
    return Data(frame, report.notes, report.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Bars for all runs, and a stacked bar for each."""
    alt = altair()
    if frame.is_empty() or frame["share"].is_null().all():
        return nothing("no topic has relevant documents", style)
    room = style.room(480)
    runs = frame.filter((pl.col("place") > 0) & pl.col("share").is_not_null())
    left = max(names_room([*ORDER, *runs["run"].to_list()], room, 150), 100)
    shades = alt.Scale(domain=list(ORDER), range=[style.colours.series[i] for i in _SHADES])
    colour = alt.Color("archetype:N", scale=shades, legend=None)
    above = _all(frame.filter(pl.col("place") == 0), room - left - 64, left, colour)
    if frame["runs"][0] < 2:
        return above  # type: ignore[no-any-return]
    return alt.vconcat(above, _each(runs, room - left - 24, left, colour), spacing=16)  # type: ignore[no-any-return]


def _tips() -> list[Any]:
    alt = altair()
    return ["archetype:N", alt.Tooltip("share:Q", format=".1%"), "curves:Q", alt.Tooltip("of:Q", title="of curves")]


def _all(frame: pl.DataFrame, width: int, left: int, colour: Any) -> Any:
    alt = altair()
    texts = pl.Series("text", [percent(share) for share in frame["share"].to_list()], dtype=pl.String)
    axis = alt.Axis(ticks=False, domain=False, labelPadding=6, minExtent=left, maxExtent=left)
    scale = alt.Scale(domain=[0, max(frame["share"].to_list())], nice=False)
    base = alt.Chart(rows(frame.with_columns(texts)), width=width, height=alt.Step(_BAR)).encode(
        x=alt.X("share:Q", scale=scale, axis=None),
        y=alt.Y("archetype:N", sort=list(ORDER), title=None, axis=axis),
        tooltip=_tips(),
    )
    title = f"{frame['of'][0]} curves"
    return alt.layer(
        base.mark_bar(opacity=0.9, size=11).encode(color=colour),
        base.mark_text(style="label", align="left", dx=4).encode(text="text:N"),
    ).properties(title=title)


def percent(share: float) -> str:
    """A share as a label: with one decimal, and next to nothing told from nothing.

    >>> percent(0), percent(0.0003), percent(0.1234)
    ('0.0 %', '<0.1 %', '12.3 %')
    """
    return "<0.1 %" if 0 < share < 0.0005 else f"{100 * share:.1f} %"


def _each(runs: pl.DataFrame, width: int, left: int, colour: Any) -> Any:
    alt = altair()
    runs = add_short_names(runs, "run", left - 8)
    names = runs["short_run"].unique(maintain_order=True).to_list()
    row = _ROW if len(names) <= _FEW else _LOW
    places = {name: number for number, name in enumerate(ORDER)}
    shown = runs.filter(pl.col("curves") > 0).with_columns(
        kind=pl.col("archetype").replace_strict(places, return_dtype=pl.Int64)
    )
    axis = beside(names, row, left - 8)
    axis.minExtent = axis.maxExtent = left
    ticks = alt.Axis(format=".0%", tickCount=5 if width >= 240 else 2)
    many = runs["runs"][0]
    title = f"{many} runs" if len(names) == many else f"the first {len(names)} of {many} runs"
    base = alt.Chart(rows(shown.drop("runs", "place")), width=width, height=alt.Step(row), title=title)
    return base.mark_bar(opacity=0.9, size=row - 2).encode(
        x=alt.X("share:Q", title="share of topics", stack="zero", scale=alt.Scale(domain=[0, 1]), axis=ticks),
        y=alt.Y("short_run:N", sort=names, title=None, axis=axis),
        color=colour,
        order=alt.Order("kind:Q"),
        tooltip=["run:N", *_tips()],
    )
