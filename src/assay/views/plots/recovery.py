"""Recovery ratio and space ratio of a ranking, beside its full-scale ranking.

Above, the curve of a ranking and that of the full-scale ranking (the ideal one reversed, the farthest from it). The
recovery ratio ρ is R over b, the last rank before the curve is back on the axis, but at least R. Below, the relative
positions that the curves add up: the coloured spaces are what was lost by documents that come too early (s−) and what
was made up for by those that come too late (s+), before the spaces of the full-scale ranking. The space ratio σ tells
how little of those is covered; Twist is the mean of ρ and σ. Without files it is drawn of an example, run a or b of the
paper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.effort._curve import landmarks, reference, tabulate_curve
from assay.errors import InputError, suggestion
from assay.measures._effort import harmonic_mean, space_ratio
from assay.model.judged import Judged
from assay.views.plots._crp import (
    SHARED,
    Heights,
    Mark,
    Ranks,
    ground,
    layer,
    line_colour,
    marked,
    number,
    pointer,
    under,
    upright,
    word,
)
from assay.views.plots._figures import Data
from assay.views.plots._shown_curves import ShownCurves, choose_curves
from assay.views.plots._style import Style, altair, nothing, rows
from assay.views.plots.crp import DOCUMENT, LEFT, RUN, graded, heading

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = "Ferro et al. (2016), Fig. 2"
KEEP = "documents"
COUNTS: dict[float, int] = {3: 2, 2: 2, 1: 3}
EXAMPLES = {"a": "332012000100000", "b": "301020002100310"}
"""The grades of the runs of the paper's example, rank by rank."""
CHOICES = {"example": tuple(EXAMPLES)}
FULL = "full-scale"
SHOWN = ("rank", "document", "grade", "ideal", "rp", "crp")
CURVE, SPACE = 170, 120
"""The heights of the panels."""


def data(
    source: Campaign | ShownCurves | None = None,
    *,
    topic: str | None = None,
    run: str | None = None,
    depth: int | None = None,
    length: str = "extend",
    example: str = "b",
) -> Data:
    """Tabulate a row for each rank of the ranking and of its full-scale ranking.

    Columns topic, curve (``run`` or ``full-scale``), run (null for an example, whose topic is its name), rank,
    document, grade, ideal (the grade that the ideal ranking has there), rp, crp, r (relevant documents), balance_point
    (null if there is none), s_minus and s_plus (the spaces), rho, sigma_minus, sigma_plus, sigma, twist.
    """
    if source is None:
        if example not in EXAMPLES:
            raise InputError(f"example {example!r}: choose one of {', '.join(EXAMPLES)}{suggestion(example, EXAMPLES)}")
        return Data(_tabulate(_example(EXAMPLES[example]), None, f"example {example}"))
    shown = choose_curves(source, topic, run, depth=depth, length=length, most=1)
    return Data(_tabulate(shown.curves[shown.run], shown.run, shown.topic), shown.notes, shown.provenance)


def _example(grades: str) -> pl.DataFrame:
    judged = Judged.from_grades([[int(grade) for grade in grades]], {**COUNTS, 0: len(grades)})
    return tabulate_curve(judged, [f"d{rank}" for rank in range(1, len(grades) + 1)])


def _tabulate(frame: pl.DataFrame, run: str | None, topic: str) -> pl.DataFrame:
    full = reference(frame, FULL).with_columns(document=pl.lit(None, pl.String)).select(SHOWN)
    both = ((RUN, frame.select(SHOWN)), (FULL, full))
    return pl.concat(_add_indicators(part, full, topic, curve, run) for curve, part in both)


def _add_indicators(part: pl.DataFrame, full: pl.DataFrame, topic: str, curve: str, run: str | None) -> pl.DataFrame:
    """Return a curve with its indicators."""
    of = landmarks(part)
    (minus, plus), (most_minus, most_plus) = _spaces(part), _spaces(full)
    behind, ahead = space_ratio(minus, most_minus), space_ratio(plus, most_plus)
    rho = of.relevant / of.balance if of.balance else 0.0
    sigma = harmonic_mean(ahead, behind)[0]
    indicators = {
        "s_minus": minus[0],
        "s_plus": plus[0],
        "rho": rho,
        "sigma_minus": behind[0],
        "sigma_plus": ahead[0],
        "sigma": sigma,
        "twist": (rho + sigma) / 2,
    }
    return part.select(
        pl.lit(topic).alias("topic"),
        pl.lit(curve).alias("curve"),
        pl.lit(run, pl.String).alias("run"),
        *SHOWN,
        pl.lit(of.relevant, pl.Int64).alias("r"),
        pl.lit(of.balance, pl.Int64).alias("balance_point"),
        *(pl.lit(float(value)).alias(name) for name, value in indicators.items()),
    )


def _spaces(part: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the backward and the forward space."""
    rp = part["rp"].to_numpy().astype(np.float64)
    return np.array([abs(rp[rp < 0].sum())]), np.array([rp[rp > 0].sum()])


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """The curves, and below them what they add up."""
    alt = altair()
    if frame.is_empty():
        return nothing("no ranking", style)
    if not frame["r"].max():
        return nothing("the topic has no relevant documents", style)
    own, full = (frame.filter(curve=name) for name in (RUN, FULL))
    width = style.room() - LEFT - 8
    here, there = pointer("above"), pointer("below")
    title = heading(own["run"][0], own["topic"][0], width) if own["run"][0] else alt.Title(own["topic"][0])
    title.subtitle = _numbers(own, full)
    upper = _curves(own, full, Ranks(len(own), width, labels=False), style)
    lower = _positions(own, full, Ranks(len(own), width), style)
    upper += under(here, here | there, Ranks(len(own), width, labels=False), DOCUMENT, CURVE)
    lower += under(there, here | there, Ranks(len(own), width), DOCUMENT, SPACE)
    panels = [alt.layer(*made, width=width, height=high) for made, high in ((upper, CURVE), (lower, SPACE))]
    shared = rows(own.select(SHOWN).with_columns(grade=graded()))
    return alt.vconcat(*panels, spacing=14, bounds="flush", title=title, data=shared)  # type: ignore[no-any-return]


def _numbers(own: pl.DataFrame, full: pl.DataFrame) -> list[str]:
    """Return the steps from the spaces to Twist."""
    of, most = own.row(0, named=True), full.row(0, named=True)
    b = of["balance_point"]
    ratio = f"ρ = R / b = {of['r']:,} / {b:,} = {of['rho']:.3f}" if b else "ρ = 0: the curve never comes back"
    minus = f"σ− = 1 − {of['s_minus']:,.0f} / {most['s_minus']:,.0f} = {of['sigma_minus']:.3f}"
    plus = f"σ+ = 1 − {of['s_plus']:,.0f} / {most['s_plus']:,.0f} = {of['sigma_plus']:.3f}"
    last = f"σ = {of['sigma']:.3f} (harmonic mean), Twist = (ρ + σ) / 2 = {of['twist']:.3f}"
    return [ratio, minus, plus, last]


def _curves(own: pl.DataFrame, full: pl.DataFrame, ranks: Ranks, style: Style) -> list[Any]:
    """Both curves; the full-scale one is cut where it rises far above what its depth and the other curve need."""
    height, other = own["crp"].to_numpy(), full["crp"].to_numpy()
    heights = Heights.around(other.min(), max(height.max(), min(other.max(), -other.min())), CURVE, 10, 14)
    where = {"x": ranks.axis(), "y": heights.axis("crp", "CRP")}
    leaves = int(np.argmax(other >= min(other.max(), heights.high)))
    b = own["balance_point"][0]
    words = [Mark(leaves + 1, min(other[leaves], heights.high), FULL, "right", -6, 4)]
    marks = [] if b is None else [Mark(b, height[b - 1], "")]
    dashed = {"style": "reference", "strokeWidth": 1.5, "clip": True}
    return [
        ground(),
        *_uprights(ranks, own),
        layer(full.select("rank", "crp"), "line", dashed, **where),
        layer(SHARED, "line", {"color": line_colour(style), "strokeWidth": 2}, **where),
        *marked(words, ranks, heights, line_colour(style))[:-1],
        *marked(marks, ranks, heights, line_colour(style)),
    ]


def _uprights(ranks: Ranks, own: pl.DataFrame) -> list[Any]:
    """R and b, with their names above; names that are close to each other stand on either side."""
    r, b = own["r"][0], own["balance_point"][0]
    close = b is not None and (b - r) * ranks.each < 60
    made = [(r, f"R = {r:,}", "right" if close else "center")]
    if b == r:
        made = [(r, f"R = b = {r:,}", "center")]
    elif b is not None:
        made.append((b, f"b = {b:,}", "left" if close else "center"))
    return [
        one
        for rank, text, align in made
        for one in (
            *upright(rank, ranks, CURVE),
            layer(
                ({"rank": rank, "text": text},),
                "text",
                {"style": "muted", "align": align, "dx": {"right": 8, "left": -8}.get(align, 0)},
                x=ranks.axis(),
                y={"value": -6},
                text=word("text"),
            ),
        )
    ]


def _positions(own: pl.DataFrame, full: pl.DataFrame, ranks: Ranks, style: Style) -> list[Any]:
    """Relative positions as spaces, before those of the full-scale ranking."""
    low, high = full["rp"].min(), max(full["rp"].max(), own["rp"].max())  # type: ignore[type-var]
    heights = Heights.around(low, high, SPACE, 22, 12)  # type: ignore[arg-type]
    narrow = {"strokeWidth": round(max(0.0, 1 - ranks.each), 2)}
    colour = {"color": word("colour", scale=None), "stroke": word("colour", scale=None)}
    colours = pl.when(pl.col("rp") < 0).then(pl.lit(style.colours.early)).otherwise(pl.lit(style.colours.late))
    spans = {"x": ranks.axis("first"), "x2": {"field": "last"}, "y": heights.axis("rp", "RP"), "y2": {"datum": 0}}
    of = own.row(0, named=True)
    words = (
        {"text": f"s− = {of['s_minus']:,.0f}", "x": of["r"] * ranks.each + 6, "y": heights.pixel(0) + 12},
        {"text": f"s+ = {of['s_plus']:,.0f}", "x": 6, "y": 10},
    )
    free = {"x": number("x", scale=None, axis=None), "y": number("y", scale=None, axis=None), "text": word("text")}
    return [
        layer(_cells(full), "rect", {"style": "soft"}, **spans),
        layer(_cells(own).with_columns(colour=colours), "rect", narrow, **spans, **colour),
        ground(),
        *upright(of["r"], ranks, SPACE),
        *(layer(words, "text", {"style": kind, "align": "left"}, **free) for kind in ("halo", "label")),
    ]


def _cells(part: pl.DataFrame) -> pl.DataFrame:
    """Ranks with the same position that follow each other, as one: first, last, rp."""
    return (
        part.filter(pl.col("rp") != 0)
        .with_columns(stretch=pl.col("rp").rle_id() + pl.col("rank") - pl.int_range(pl.len()))
        .group_by("stretch", maintain_order=True)
        .agg(pl.first("rp"), first=pl.min("rank") - 0.5, last=pl.max("rank") + 0.5)
        .select("first", "last", "rp")
    )
