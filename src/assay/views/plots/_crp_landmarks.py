"""Landmarks of a curve of cumulated relative position (CRP) and of the full-scale curve, with a table of their values.

The figure follows the sketch in the CRP paper, where the full-scale ranking is called the worst case w.
"""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from assay.views.plots._altair import alt
from assay.views.plots._crp_layers import (
    RankAxis,
    ValueAxis,
    layer,
    pixels,
    rank_rule,
    text_layer,
)
from assay.views.plots._style import spread_positions

_ROW = 14  # height of a row of the table, in pixels
_COLUMN, _TABLE_WIDTH = 56, 320  # width of a column of numbers, and of the table
_HEADER = ("rank", "CRP of r", "CRP of w")
_LABEL_GAP = 26  # distance between adjacent labels above the panel
_TABLE_OFFSET = 66  # distance of the table from the axis, with space for the numbers, the title and the legend


class Landmark(NamedTuple):
    """A landmark: its name, its meaning, its rank (None: there is none), and CRP of both curves at this rank.

    A value is None if the rank is not shown.
    """

    name: str
    meaning: str
    rank: int | None
    run: int | None
    full_scale: int | None


class TablePosition(NamedTuple):
    """Position of the table in pixels: the axis above it, and its left and right end."""

    axis: float
    left: float
    right: float


def list_landmarks(run: pl.DataFrame, full_scale: pl.DataFrame) -> list[Landmark]:
    """Return the landmarks of the curve of a run and of the full-scale curve of the same topic."""
    ranks = (
        ("min", "lowest point of r", run["turn_around"][0]),
        ("R", "relevant documents", run["r"][0]),
        ("b_r", "balance point of r", run["balance_point"][0]),
        ("b_w", "balance point of w", full_scale["balance_point"][0]),
        ("N", "last rank", len(run)),
    )
    return [
        Landmark(name, meaning, rank, *((None, None) if rank is None else (_at(run, rank), _at(full_scale, rank))))
        for name, meaning, rank in ranks
    ]


def _at(curve: pl.DataFrame, rank: int) -> int | None:
    """Return CRP at a rank; None if the rank is not shown."""
    return int(curve["crp"][rank - 1]) if rank <= len(curve) else None


def landmark_layers(
    landmarks: list[Landmark], ranks: RankAxis, values: ValueAxis, table: TablePosition, colour: str
) -> list[alt.Chart]:
    """Return the points of both curves, dashed lines at their ranks, labels above them, and a table below the figure.

    The figure already has a line at rank R.
    """
    shown = [mark for mark in landmarks if mark.run is not None]
    other_ranks = {mark.rank for mark in shown} - {mark.rank for mark in shown if mark.name == "R"}
    guides = [rule for rank in sorted(filter(None, other_ranks)) for rule in rank_rule(rank, ranks, table.axis)]
    points = tuple({"rank": mark.rank, "run": mark.run, "full_scale": mark.full_scale} for mark in shown)
    x, circle = ranks.axis(), {"size": 34, "opacity": 1}
    return [
        *guides,
        layer(points, "circle", {"style": "reference", **circle}, x=x, y=values.axis("full_scale", "")),
        layer(points, "circle", {"color": colour, **circle}, x=x, y=values.axis("run", "")),
        *_label_ranks(shown, ranks),
        *_table(landmarks, table),
    ]


def _label_ranks(landmarks: list[Landmark], ranks: RankAxis) -> list[alt.Chart]:
    """Return the names above the panel, moved apart if ranks are close, with short lines to their ranks."""
    targets = [(mark.rank - 0.5) * ranks.rank_width for mark in landmarks if mark.rank is not None]
    positions = spread_positions(targets, _LABEL_GAP, 0, ranks.pixels)
    labels = tuple({"x": x, "text": mark.name} for x, mark in zip(positions, landmarks, strict=True))
    lines = tuple({"x": x, "end": target} for x, target in zip(positions, targets, strict=True))
    ends = {"x": pixels("x"), "x2": {"field": "end"}, "y": {"value": -10}, "y2": {"value": 0}}
    return [
        layer(lines, "rule", {"style": "reference", "strokeDash": [1, 0]}, **ends),
        text_layer(labels, pixels("x"), {"value": -17}, "label"),
    ]


def _table(landmarks: list[Landmark], position: TablePosition) -> list[alt.Chart]:
    """Return a table with a row for each landmark: its rank, and CRP of the run r and of the full-scale ranking w."""
    left, top = position.left, position.axis + _TABLE_OFFSET
    rights = [min(position.right, left + _TABLE_WIDTH) - _COLUMN * column for column in (2, 1, 0)]
    names, numbers = [], [{"x": x, "y": top, "text": text} for x, text in zip(rights, _HEADER, strict=True)]
    for number, mark in enumerate(landmarks, 1):
        y = top + _ROW * number
        names.append({"x": left, "y": y, "text": f"{mark.name}, {mark.meaning}"})
        cells = (mark.rank, mark.run, mark.full_scale)
        numbers += [{"x": x, "y": y, "text": _format(value)} for x, value in zip(rights, cells, strict=True)]
    x_axis, y_axis = pixels("x"), pixels("y")
    return [
        text_layer(tuple(names), x_axis, y_axis, "muted", align="left"),
        text_layer(tuple(numbers), x_axis, y_axis, "muted", align="right"),
    ]


def _format(value: int | None) -> str:
    """Format a number with a minus sign and thousands separators; a dash if there is none."""
    return "–" if value is None else f"{value:,}".replace("-", "−")
