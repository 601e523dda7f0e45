"""Eight archetypes of curves of cumulated relative position (CRP), from examples or from runs.

Ideal: the curve lies on the axis. Worst: no relevant document is retrieved. Full-scale: the ideal ranking in reverse
order. Excellent A and B: the curve returns to the axis by rank R (dashed line), where R is the number of relevant
documents; in A all of the first R documents are relevant, in B some are not. Ups-and-downs: the curve returns to the
axis by rank R and later falls below it again. Typical A: the curve returns to the axis after rank R. Typical B: the
curve never returns to the axis. Without input files, the panels show examples. With input files, each panel shows the
ranking whose Twist is nearest to the median Twist of its archetype.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay import effort
from assay.effort import archetypes as effort_archetypes
from assay.effort._indicators import MAIN, EffortReport
from assay.measures.twist import Twist
from assay.model.judged import Judged
from assay.model.relative_position import Curves, EffortSettings
from assay.results.names import shorten_names
from assay.views.plots._altair import alt
from assay.views.plots._crp_layers import (
    ARCHETYPES,
    RankAxis,
    ValueAxis,
    archetype_colours,
    layer,
    pixels,
    quantitative,
    text_layer,
    zero_rule,
)
from assay.views.plots._figures import Data
from assay.views.plots._series import panels_per_row
from assay.views.plots._simplification import select_points
from assay.views.plots._style import Style, empty_chart

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Ferro et al. (2016), Fig. 3"
COUNTS: dict[float, int] = {3: 4, 2: 6, 1: 10}
"""Number of documents of each grade for the examples."""
LENGTH = 50
EXAMPLES = {
    "ideal": "33332222221111111111",
    "worst": "",
    "full-scale": "0" * 30 + "11111111112222223333",
    "excellent A": "32312112111132321112",
    "excellent B": "22223131111311021132",
    "ups-and-downs": "32222311113131200000",
    "typical A": "312211101012030022100000200003010000100003001",
    "typical B": "32001300011012200300301020",
}
"""Grades of the examples by rank; the remaining ranks have grade 0."""
SCHEMA = {
    "archetype": pl.String,
    "rankings": pl.Int64,
    "run": pl.String,
    "topic": pl.String,
    "twist": pl.Float64,
    "r": pl.Int64,
    "rank": pl.Int64,
    "crp": pl.Float64,
}
HEIGHT = 84
_EDGE, _LEFT, _GAP, _ROW = 68, 44, 6, 60


def data(source: Campaign | EffortReport | None = None, *, depth: int | None = None, length: str = "extend") -> Data:
    """Tabulate one row per rank of each curve; an archetype without rankings has a single row.

    The columns are archetype, rankings (the number of rankings with this archetype; null for examples), run and topic
    (null for examples), twist, r (the number of relevant documents), rank and crp.
    """
    if source is None:
        return Data(_examples())
    report = source if isinstance(source, EffortReport) else effort.indicators(source, depth=depth, length=length)
    return Data(_tabulate(report), report.notes, report.provenance)


def _examples() -> pl.DataFrame:
    judged = Judged.from_grades([[int(grade) for grade in text] for text in EXAMPLES.values()], {**COUNTS, 0: LENGTH})
    curves = Curves.from_judged(judged, EffortSettings(LENGTH))
    twist = Twist(cutoff=LENGTH).evaluate_curves(curves)
    return pl.concat(
        _tabulate_curve(curves, i, {"archetype": kind, "twist": twist[i]}) for i, kind in enumerate(EXAMPLES)
    )


def _tabulate(report: EffortReport) -> pl.DataFrame:
    runs, topics = report.results.runs, report.results.topics
    twist = report.results.values[list(MAIN).index("twist")].ravel()
    frames = []
    for archetype in ARCHETYPES:
        rankings = np.flatnonzero(report.archetypes.ravel() == effort_archetypes.NAMES.index(archetype))
        row = {"archetype": archetype, "rankings": len(rankings)}
        if len(rankings):
            typical = int(rankings[np.abs(twist[rankings] - np.median(twist[rankings])).argmin()])
            run, topic = divmod(typical, len(topics))
            row |= {"run": runs[run], "topic": topics[topic], "twist": twist[typical]}
            frames.append(_tabulate_curve(report.curves, typical, row))
        else:
            frames.append(pl.DataFrame([row], schema=SCHEMA))
    return pl.concat(frames)


def _tabulate_curve(curves: Curves, ranking: int, row: dict[str, Any]) -> pl.DataFrame:
    crp = curves.vectors(ranking)[1]
    ranks = pl.DataFrame({"rank": np.arange(1, len(crp) + 1), "crp": crp})
    columns = [
        pl.lit(row.get(name), dtype).alias(name) for name, dtype in SCHEMA.items() if name not in ("r", "rank", "crp")
    ]
    return ranks.select(*columns, pl.lit(int(curves.recall_base[ranking]), pl.Int64).alias("r"), "rank", "crp")


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw one panel per archetype."""
    if frame.is_empty():
        return empty_chart("no curve", style)
    total_width = style.total_width(720)
    columns = panels_per_row(len(ARCHETYPES), total_width, 150)
    width = (total_width - _EDGE - (columns - 1) * (_GAP + _LEFT)) // columns
    total = int(frame.group_by("archetype").agg(pl.first("rankings"))["rankings"].sum())
    curves = frame.partition_by("archetype", maintain_order=True)
    short = _short_names(frame, width)
    panels = [
        _panel(curve, width, total, short, style, first=i % columns == 0, last=i >= len(curves) - columns)
        for i, curve in enumerate(curves)
    ]
    row_spacing = _ROW if frame["run"].is_null().all() else _ROW + 12
    spacing = {"row": row_spacing, "column": _GAP + _LEFT}
    return alt.concat(*panels, columns=columns, spacing=spacing, bounds="flush")


def _short_names(frame: pl.DataFrame, width: int) -> dict[str, str]:
    """Return short forms of topics and runs that fit above a panel."""
    topics = shorten_names(frame["topic"].drop_nulls().unique(maintain_order=True), 8)
    characters = max(6, width // 5 - len(", topic ") - max(map(len, topics.values()), default=0))
    return {**topics, **shorten_names(frame["run"].drop_nulls().unique(maintain_order=True), characters)}


def _panel(
    curve: pl.DataFrame, width: int, total: int, short: dict[str, str], style: Style, *, first: bool, last: bool
) -> Any:
    """Draw one archetype; *total* is the number of rankings of all archetypes. Only outer panels have axis titles."""
    archetype, length = curve["archetype"][0], len(curve)
    lines = _heading(curve, short)
    words = tuple({"text": text, "y": -8 - 13 * (len(lines) - 1 - i)} for i, text in enumerate(lines))
    layers = [
        text_layer(words[:1], {"value": 0}, pixels("y"), "label", align="left", fontWeight=600),
        text_layer(words[1:], {"value": 0}, pixels("y"), "muted", align="left", fontSize=10),
    ]
    if curve["rank"].null_count():
        text = ({"text": f"none of {total:,}"},)
        layers.append(text_layer(text, {"value": width / 2}, {"value": HEIGHT / 2}, "muted"))
    else:
        crp = curve["crp"].to_numpy()
        ranks = RankAxis(length, width)
        axes = {
            "x": ranks.axis(title="rank" if last else None),
            "y": ValueAxis.spanning(crp.min(), crp.max(), HEIGHT, 6, 6).axis("crp", "CRP" if first else None),
        }
        # Besides the points that the shape needs, keep enough points for the tooltip to work everywhere on the curve.
        mask = select_points(crp[None, :])[0] | (np.arange(length) % math.ceil(length / 60) == 0)
        points = curve.filter(pl.Series(mask)).select("rank", "crp")
        line = {"color": archetype_colours(style)[archetype], "strokeWidth": 1.8}
        tooltip = [quantitative("rank"), quantitative("crp", title="CRP")]
        rule = layer(({"rank": curve["r"][0]},), "rule", {"style": "reference"}, x=axes["x"])
        hover = layer(points, "circle", {"size": 90, "opacity": 0.001}, **axes, tooltip=tooltip)
        layers += [zero_rule(), rule, layer(points, "line", line, **axes), hover]
    return alt.layer(*layers, width=width, height=HEIGHT)


def _heading(curve: pl.DataFrame, short: dict[str, str]) -> list[str]:
    """Return the lines above a panel: archetype, run and topic, R and Twist."""
    archetype = curve["archetype"][0]
    if curve["rank"].null_count():
        return [archetype, "", ""]
    numbers = f"R = {curve['r'][0]:,}, Twist = {curve['twist'][0]:.2f}"
    if curve["run"][0] is None:
        return [archetype, numbers]
    return [archetype, f"{short[curve['run'][0]]}, topic {short[curve['topic'][0]]}", numbers]
