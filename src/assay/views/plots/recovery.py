"""Recovery ratio, space ratio and Twist of a ranking, compared with its full-scale ranking.

The upper panel shows the CRP curves of a ranking and of its full-scale ranking. The full-scale ranking is the ideal
ranking in reverse order; no ranking is farther from the ideal ranking. The recovery ratio ρ is R / b. R is the number
of relevant documents; b is the last rank before the curve returns to the axis, but at least R. The lower panel shows
the relative positions (RP) that the curves accumulate. The coloured areas are the loss through documents that come too
early (s−) and the recovery through documents that come too late (s+). The grey areas behind them belong to the
full-scale ranking. The space ratio σ is high if the coloured areas cover little of the grey areas. Twist is the mean of
ρ and σ. Without input files, the figure shows an example, run a or b of the paper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.effort._curve import find_landmarks, reference_curve, tabulate_curve
from assay.measures._effort import harmonic_mean, space_ratio
from assay.model.judged import Judged
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import max_characters, wrap_text
from assay.views.plots._crp_layers import (
    SHARED,
    LabelledPoint,
    RankAxis,
    ValueAxis,
    hover_layers,
    label_points,
    layer,
    line_colour,
    merge_ranks,
    nominal,
    pixels,
    rank_rule,
    rank_selection,
    text_layer,
    zero_rule,
)
from assay.views.plots._figures import Data
from assay.views.plots._selection import check_choice
from assay.views.plots._shown_curves import ShownCurves, choose_curves
from assay.views.plots._style import Style, empty_chart, rows
from assay.views.plots.crp import DOCUMENT, LEFT, RUN, format_grade, heading

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Ferro et al. (2016), Fig. 2"
KEEP = "documents"
COUNTS: dict[float, int] = {3: 2, 2: 2, 1: 3}
EXAMPLES = {"a": "332012000100000", "b": "301020002100310"}
"""Grades of the two example runs of the paper, by rank."""
CHOICES = {"example": tuple(EXAMPLES)}
FULL_SCALE = "full-scale"
COLUMNS = ("rank", "document", "grade", "ideal", "rp", "crp")
CURVE_HEIGHT, SPACE_HEIGHT = 170, 120
"""Heights of the panels, in pixels."""


def data(
    source: Campaign | ShownCurves | None = None,
    *,
    topic: str | None = None,
    run: str | None = None,
    depth: int | None = None,
    length: str = "extend",
    example: str = "b",
) -> Data:
    """Tabulate one row per rank of the ranking and of its full-scale ranking.

    The columns are topic (or the name of the example), curve (``run`` or ``full-scale``), run (null for an example),
    rank, document, grade, ideal (the grade in the ideal ranking at this rank), rp, crp, r (the number of relevant
    documents), balance_point (null if there is none), s_minus and s_plus (the spaces), rho, sigma_minus, sigma_plus,
    sigma and twist.
    """
    if source is None:
        check_choice("example", example, EXAMPLES)
        return Data(_tabulate(_example(EXAMPLES[example]), None, f"example {example}"))
    selected = choose_curves(source, topic, run, depth=depth, length=length, most=1)
    frame = _tabulate(selected.curves[selected.run], selected.run, selected.topic)
    return Data(frame, selected.notes, selected.provenance)


def _example(grades: str) -> pl.DataFrame:
    judged = Judged.from_grades([[int(grade) for grade in grades]], {**COUNTS, 0: len(grades)})
    return tabulate_curve(judged, [f"d{rank}" for rank in range(1, len(grades) + 1)])


def _tabulate(frame: pl.DataFrame, run: str | None, topic: str) -> pl.DataFrame:
    full_curve = reference_curve(frame, FULL_SCALE).with_columns(document=pl.lit(None, pl.String)).select(COLUMNS)
    curves = ((RUN, frame.select(COLUMNS)), (FULL_SCALE, full_curve))
    return pl.concat(_add_indicators(ranks, full_curve, topic, name, run) for name, ranks in curves)


def _add_indicators(
    ranks: pl.DataFrame, full_curve: pl.DataFrame, topic: str, curve: str, run: str | None
) -> pl.DataFrame:
    """Add topic, curve, run and indicators to the ranks of a curve."""
    landmarks = find_landmarks(ranks)
    (minus, plus), (full_minus, full_plus) = _spaces(ranks), _spaces(full_curve)
    sigma_minus, sigma_plus = space_ratio(minus, full_minus), space_ratio(plus, full_plus)
    rho = landmarks.relevant / landmarks.balance if landmarks.balance else 0.0
    sigma = harmonic_mean(sigma_plus, sigma_minus)[0]
    indicators = {
        "s_minus": minus[0],
        "s_plus": plus[0],
        "rho": rho,
        "sigma_minus": sigma_minus[0],
        "sigma_plus": sigma_plus[0],
        "sigma": sigma,
        "twist": (rho + sigma) / 2,
    }
    return ranks.select(
        pl.lit(topic).alias("topic"),
        pl.lit(curve).alias("curve"),
        pl.lit(run, pl.String).alias("run"),
        *COLUMNS,
        pl.lit(landmarks.relevant, pl.Int64).alias("r"),
        pl.lit(landmarks.balance, pl.Int64).alias("balance_point"),
        *(pl.lit(float(value)).alias(name) for name, value in indicators.items()),
    )


def _spaces(ranks: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the backward and the forward space, each as an array of one element."""
    rp = ranks["rp"].to_numpy().astype(np.float64)
    return np.array([abs(rp[rp < 0].sum())]), np.array([rp[rp > 0].sum()])


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw the CRP curves, and below them the relative positions."""
    if frame.is_empty():
        return empty_chart("no ranking", style)
    if not frame["r"].max():
        return empty_chart("the topic has no relevant documents", style)
    run_curve, full_curve = (frame.filter(curve=name) for name in (RUN, FULL_SCALE))
    width = style.total_width() - LEFT - 8
    upper_selection, lower_selection = rank_selection("above"), rank_selection("below")
    highlighted = upper_selection | lower_selection
    run, topic = run_curve["run"][0], run_curve["topic"][0]
    title = heading(run, topic, width) if run else alt.Title(topic)
    characters = max_characters(style.total_width() - 16)
    title.subtitle = [part for line in _numbers(run_curve, full_curve) for part in wrap_text(line, characters)]
    upper_axis, lower_axis = RankAxis(len(run_curve), width, labels=False), RankAxis(len(run_curve), width)
    upper = _curves(run_curve, full_curve, upper_axis, style)
    lower = _positions(run_curve, full_curve, lower_axis, style)
    upper += hover_layers(upper_selection, highlighted, upper_axis, DOCUMENT, CURVE_HEIGHT)
    lower += hover_layers(lower_selection, highlighted, lower_axis, DOCUMENT, SPACE_HEIGHT)
    panels = [
        alt.layer(*layers, width=width, height=height)
        for layers, height in ((upper, CURVE_HEIGHT), (lower, SPACE_HEIGHT))
    ]
    shared = rows(run_curve.select(COLUMNS).with_columns(grade=format_grade()))
    return alt.vconcat(*panels, spacing=14, bounds="flush", title=title, data=shared)


def _numbers(run_curve: pl.DataFrame, full_curve: pl.DataFrame) -> list[str]:
    """Return the computation of Twist, step by step."""
    indicators, maximum = run_curve.row(0, named=True), full_curve.row(0, named=True)
    b = indicators["balance_point"]
    ratio = (
        f"ρ = R / b = {indicators['r']:,} / {b:,} = {indicators['rho']:.3f}"
        if b
        else "ρ = 0: the curve never returns to the axis"
    )
    minus = f"σ− = 1 − {indicators['s_minus']:,.0f} / {maximum['s_minus']:,.0f} = {indicators['sigma_minus']:.3f}"
    plus = f"σ+ = 1 − {indicators['s_plus']:,.0f} / {maximum['s_plus']:,.0f} = {indicators['sigma_plus']:.3f}"
    total = f"σ = {indicators['sigma']:.3f} (harmonic mean), Twist = (ρ + σ) / 2 = {indicators['twist']:.3f}"
    return [ratio, minus, plus, total]


def _curves(run_curve: pl.DataFrame, full_curve: pl.DataFrame, ranks: RankAxis, style: Style) -> list[Any]:
    """Draw both curves; the full-scale curve is clipped.

    The panel ends above at the maximum of the run's curve, or as far above the axis as the full-scale curve goes below
    it, whichever is higher.
    """
    crp, full_crp = run_curve["crp"].to_numpy(), full_curve["crp"].to_numpy()
    highest = max(crp.max(), min(full_crp.max(), -full_crp.min()))
    values = ValueAxis.spanning(full_crp.min(), highest, CURVE_HEIGHT, 10, 14)
    axes = {"x": ranks.axis(), "y": values.axis("crp", "CRP")}
    # The label of the full-scale curve is at its maximum, or where the curve leaves the panel.
    end = int(np.argmax(full_crp >= min(full_crp.max(), values.high)))
    b = run_curve["balance_point"][0]
    labels = [LabelledPoint(end + 1, min(full_crp[end], values.high), FULL_SCALE, "right", -6, 4)]
    points = [] if b is None else [LabelledPoint(b, crp[b - 1], "")]
    dashed = {"style": "reference", "strokeWidth": 1.5, "clip": True}
    return [
        zero_rule(),
        *_landmark_rules(ranks, run_curve),
        layer(full_curve.select("rank", "crp"), "line", dashed, **axes),
        layer(SHARED, "line", {"color": line_colour(style), "strokeWidth": 2}, **axes),
        *label_points(labels, ranks, values, line_colour(style))[:-1],  # without the layer of points
        *label_points(points, ranks, values, line_colour(style)),
    ]


def _landmark_rules(ranks: RankAxis, run_curve: pl.DataFrame) -> list[Any]:
    """Draw vertical lines at R and b with labels above; close labels are aligned so that they do not overlap."""
    r, b = run_curve["r"][0], run_curve["balance_point"][0]
    close = b is not None and (b - r) * ranks.rank_width < 60
    labels = [(r, f"R = {r:,}", "right" if close else "center")]
    if b == r:
        labels = [(r, f"R = b = {r:,}", "center")]
    elif b is not None:
        labels.append((b, f"b = {b:,}", "left" if close else "center"))
    layers = []
    for rank, text, align in labels:
        shift = 0.0 if b is None else min(8.0, (b - r) * ranks.rank_width / 2 - 3)
        data, dx = ({"rank": rank, "text": text},), {"right": shift, "left": -shift}.get(align, 0)
        label = text_layer(data, ranks.axis(), {"value": -6}, "muted", align=align, dx=dx)
        layers += [*rank_rule(rank, ranks, CURVE_HEIGHT), label]
    return layers


def _positions(run_curve: pl.DataFrame, full_curve: pl.DataFrame, ranks: RankAxis, style: Style) -> list[Any]:
    """Draw the relative positions as areas, in front of the areas of the full-scale ranking."""
    low, high = full_curve["rp"].min(), max(full_curve["rp"].max(), run_curve["rp"].max())  # type: ignore[type-var]
    values = ValueAxis.spanning(low, high, SPACE_HEIGHT, 22, 12)  # type: ignore[arg-type]
    mark = {"strokeWidth": round(max(0.0, 1 - ranks.rank_width), 2)}
    colour = {"color": nominal("colour", scale=None), "stroke": nominal("colour", scale=None)}
    colours = pl.when(pl.col("rp") < 0).then(pl.lit(style.colours.early)).otherwise(pl.lit(style.colours.late))
    axes = {"x": ranks.axis("first"), "x2": {"field": "last"}, "y": values.axis("rp", "RP"), "y2": {"datum": 0}}
    indicators = run_curve.row(0, named=True)
    minus, plus = f"s− = {indicators['s_minus']:,.0f}", f"s+ = {indicators['s_plus']:,.0f}"
    labels = (
        {"text": minus, "x": indicators["r"] * ranks.rank_width + 6, "y": values.pixel(0) + 12},
        {"text": plus, "x": 6, "y": 10},
    )
    run_areas, full_areas = (merge_ranks(curve.filter(pl.col("rp") != 0), "rp") for curve in (run_curve, full_curve))
    return [
        layer(full_areas, "rect", {"style": "soft"}, **axes),
        layer(run_areas.with_columns(colour=colours), "rect", mark, **axes, **colour),
        zero_rule(),
        *rank_rule(indicators["r"], ranks, SPACE_HEIGHT),
        *(text_layer(labels, pixels("x"), pixels("y"), kind, align="left") for kind in ("halo", "label")),
    ]
