"""Reduce the number of points of a curve without a visible change of its shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.model.arrays import Bools, Floats

MAX_POINTS = 120
"""Default maximum number of points of a curve."""


def select_points(
    heights: Floats,
    x: Floats | None = None,
    *,
    most: int = MAX_POINTS,
    tolerance: float = 0.004,
    span: float | None = None,
) -> Bools:
    """Return a mask of the points that suffice to draw each curve (row): lines between them stay near all other points.

    The ends, the maximum and the minimum of a curve are always selected.

    Parameters
    ----------
    heights
        One curve per row.
    x
        Ascending x coordinates of the points; by default they are equidistant.
    most
        Maximum number of points of a curve; the tolerance of a curve that needs more points is increased.
    tolerance
        Maximum error of a curve, as a fraction of *span*.
    span
        Height of the drawing; by default the range of each curve.

    Examples
    --------
    >>> select_points(np.array([[0.0, 1, 2, 3, 2, 1, 0]])).astype(int).tolist()
    [[1, 0, 0, 1, 0, 0, 1]]
    """
    curves, points = heights.shape
    if points <= 2 or not curves:
        return np.ones(heights.shape, dtype=bool)
    high, low = heights.max(axis=1), heights.min(axis=1)
    max_error = tolerance * (np.maximum(high - low, 0) if span is None else np.full(curves, span))
    positions = np.arange(points, dtype=np.float64) if x is None else x
    selected = np.zeros(heights.shape, dtype=bool)
    pending = np.arange(curves)
    while len(pending):
        selected[pending] = _refine(heights[pending], positions, max_error[pending])
        pending = pending[selected[pending].sum(axis=1) > max(most, 4)]
        max_error[pending] *= 1.5
    return selected


def simplify(curve: pl.DataFrame, column: str, *, most: int, **options: Any) -> pl.DataFrame:
    """Select the rows that suffice to draw the values of a column as a curve; for *options* see ``select_points``."""
    return curve.filter(pl.Series(select_points(curve[column].to_numpy()[None, :], most=most, **options)[0]))


def _refine(heights: Floats, positions: Floats, max_error: Floats) -> Bools:
    """Select points until all others are within *max_error* of the lines between adjacent selected points.

    As in the algorithm of Ramer, Douglas and Peucker, each pass adds the point with the largest error of each segment.
    One pass processes all segments of all curves together.
    """
    curves, points = heights.shape
    selected = np.zeros(heights.shape, dtype=bool)
    selected[:, [0, -1]] = True
    selected[np.arange(curves), heights.argmax(axis=1)] = True
    selected[np.arange(curves), heights.argmin(axis=1)] = True
    flat, limit = heights.ravel(), np.repeat(max_error, points)
    # The curves are placed one after another on one x axis, so that one call of np.interp interpolates all curves.
    x = (positions + (positions[-1] - positions[0] + 1) * np.arange(curves)[:, None]).ravel()
    while True:
        knots = np.flatnonzero(selected.ravel())
        error = np.abs(flat - np.interp(x, x[knots], flat[knots]))
        largest = np.maximum.reduceat(error, knots)
        segment = np.cumsum(selected.ravel()) - 1
        candidates = np.flatnonzero((error == largest[segment]) & (error > limit) & ~selected.ravel())
        if not len(candidates):
            return selected
        _, first = np.unique(segment[candidates], return_index=True)
        selected.ravel()[candidates[first]] = True
