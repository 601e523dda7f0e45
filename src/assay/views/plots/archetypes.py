"""The eight kinds of curves of cumulated relative position, from examples or from runs.

Ideal: the axis. Worst: nothing relevant was found. Full-scale: the ideal ranking reversed. Excellent A and B: back on
the axis by rank R (the dotted line), with relevant documents only up to there, or not only. Ups-and-downs: back by
rank R, and below again. Typical A: back behind rank R. Typical B: never back. Without files the curves are those of
examples; with files, for each kind that of the ranking whose Twist is nearest to the median of its kind.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay import effort
from assay.effort import archetypes as kinds
from assay.effort._indicators import MAIN, EffortReport
from assay.measures.twist import Twist
from assay.model.judged import Judged
from assay.model.relative_position import Curves, Setting
from assay.results.names import shorten_names
from assay.views.plots._crp import KINDS, Heights, Ranks, ground, kind_colours, layer, number, word
from assay.views.plots._figures import Data
from assay.views.plots._series import columns
from assay.views.plots._style import Style, altair, nothing
from assay.views.plots._thinning import thinned

if TYPE_CHECKING:
    import altair as alt

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
"""The grades of the examples, rank by rank; those that are left out are 0."""
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
    """Tabulate a row for each rank of each curve, or one for a kind that the runs lack.

    Columns archetype, rankings (how many are of this kind; null for examples), run, topic (null for examples), twist, r
    (relevant documents), rank, crp.
    """
    if source is None:
        return Data(_examples())
    report = source if isinstance(source, EffortReport) else effort.indicators(source, depth=depth, length=length)
    return Data(_tabulate(report), report.notes, report.provenance)


def _examples() -> pl.DataFrame:
    judged = Judged.from_grades([[int(grade) for grade in text] for text in EXAMPLES.values()], {**COUNTS, 0: LENGTH})
    curves = Curves.of(judged, Setting(LENGTH))
    twist = Twist(cutoff=LENGTH).evaluate_curves(curves)
    return pl.concat(_one(curves, i, {"archetype": kind, "twist": twist[i]}) for i, kind in enumerate(EXAMPLES))


def _tabulate(report: EffortReport) -> pl.DataFrame:
    runs, topics = report.results.runs, report.results.topics
    twist = report.results.values[list(MAIN).index("twist")].ravel()
    frames = []
    for kind in KINDS:
        those = np.flatnonzero(report.archetypes.ravel() == kinds.NAMES.index(kind))
        about = {"archetype": kind, "rankings": len(those)}
        if len(those):
            typical = int(those[np.abs(twist[those] - np.median(twist[those])).argmin()])
            run, topic = divmod(typical, len(topics))
            about |= {"run": runs[run], "topic": topics[topic], "twist": twist[typical]}
            frames.append(_one(report.curves, typical, about))
        else:
            frames.append(pl.DataFrame([about], schema=SCHEMA))
    return pl.concat(frames)


def _one(curves: Curves, ranking: int, about: dict[str, Any]) -> pl.DataFrame:
    height = curves.vectors(ranking)[1]
    ranks = pl.DataFrame({"rank": np.arange(1, len(height) + 1), "crp": height})
    columns = [
        pl.lit(about.get(name), kind).alias(name) for name, kind in SCHEMA.items() if name not in ("r", "rank", "crp")
    ]
    return ranks.select(*columns, pl.lit(int(curves.relevant[ranking]), pl.Int64).alias("r"), "rank", "crp")


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Panels with a curve each."""
    alt = altair()
    if frame.is_empty():
        return nothing("no curve", style)
    room = style.room(720)
    wide = columns(len(KINDS), room, 150)
    width = (room - _EDGE - (wide - 1) * (_GAP + _LEFT)) // wide
    among = int(frame.group_by("archetype").agg(pl.first("rankings"))["rankings"].sum())
    parts = frame.partition_by("archetype", maintain_order=True)
    short = _short_names(frame, width)
    panels = [
        _panel(part, width, among, short, style, first=i % wide == 0, last=i >= len(parts) - wide)
        for i, part in enumerate(parts)
    ]
    between = _ROW if frame["run"].is_null().all() else _ROW + 12
    spaces = {"row": between, "column": _GAP + _LEFT}
    return alt.concat(*panels, columns=wide, spacing=spaces, bounds="flush")  # type: ignore[no-any-return]


def _short_names(frame: pl.DataFrame, width: int) -> dict[str, str]:
    """Short forms of the topics and of the runs, as long as a panel has room for."""
    topics = shorten_names(frame["topic"].drop_nulls().unique(maintain_order=True), 8)
    room = max(6, width // 5 - len(", topic ") - max(map(len, topics.values()), default=0))
    return {**topics, **shorten_names(frame["run"].drop_nulls().unique(maintain_order=True), room)}


def _panel(
    part: pl.DataFrame, width: int, among: int, short: dict[str, str], style: Style, *, first: bool, last: bool
) -> alt.LayerChart:
    """One kind; *among* is how many rankings there are of all kinds. Those at the left and below name the axes."""
    kind, length = part["archetype"][0], len(part)
    about = _about(part, short)
    words = tuple({"text": text, "y": -8 - 13 * (len(about) - 1 - i)} for i, text in enumerate(about))
    corner = {"x": {"value": 0}, "y": number("y", scale=None, axis=None), "text": word("text")}
    layers = [
        layer(words[:1], "text", {"style": "label", "align": "left", "fontWeight": 600}, **corner),
        layer(words[1:], "text", {"style": "muted", "align": "left", "fontSize": 10}, **corner),
    ]
    if part["rank"].null_count():
        middle = {"x": {"value": width / 2}, "y": {"value": HEIGHT / 2}}
        layers += [layer(({"text": f"none of {among:,}"},), "text", {"style": "muted"}, **middle, text=word("text"))]
    else:
        height = part["crp"].to_numpy()
        ranks = Ranks(length, width)
        where = {
            "x": ranks.axis(title="rank" if last else None),
            "y": Heights.around(height.min(), height.max(), HEIGHT, 6, 6).axis("crp", "CRP" if first else None),
        }
        # What the curve needs, and enough points beside that for the pointer to meet one everywhere.
        needed = thinned(height[None, :])[0] | (np.arange(length) % math.ceil(length / 60) == 0)
        shown = part.filter(pl.Series(needed)).select("rank", "crp")
        look = {"color": kind_colours(style)[kind], "strokeWidth": 1.8}
        told = [number("rank"), number("crp", title="CRP")]
        dotted = layer(({"rank": part["r"][0]},), "rule", {"style": "reference"}, x=where["x"])
        near = layer(shown, "circle", {"size": 90, "opacity": 0.001}, **where, tooltip=told)
        layers += [ground(), dotted, layer(shown, "line", look, **where), near]
    return altair().layer(*layers, width=width, height=HEIGHT)  # type: ignore[no-any-return]


def _about(part: pl.DataFrame, short: dict[str, str]) -> list[str]:
    """The lines above a panel: the kind, whose curve it is, numbers."""
    kind = part["archetype"][0]
    if part["rank"].null_count():
        return [kind, "", ""]
    numbers = f"R = {part['r'][0]:,}, Twist = {part['twist'][0]:.2f}"
    if part["run"][0] is None:
        return [kind, numbers]
    return [kind, f"{short[part['run'][0]]}, topic {short[part['topic'][0]]}", numbers]
