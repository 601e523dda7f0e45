"""Curves with fewer points that look the same."""

from __future__ import annotations

import numpy as np

from assay.model.arrays import Bools, Floats

MOST = 120
"""Points of a curve."""


def thinned(
    heights: Floats, at: Floats | None = None, *, most: int = MOST, tolerance: float = 0.004, span: float | None = None
) -> Bools:
    """Which points of curves (the rows) suffice: at all others the lines between those are at most a little off.

    The points stand *at* ascending places, by default at the same distance. A curve may be off by *tolerance* x *span*;
    by default the span is that of each curve. A curve that would need more than *most* points may be off by more. Its
    ends, its highest and its lowest point always stay.

    >>> thinned(np.array([[0.0, 1, 2, 3, 2, 1, 0]])).astype(int).tolist()
    [[1, 0, 0, 1, 0, 0, 1]]
    """
    curves, points = heights.shape
    if points <= 2 or not curves:
        return np.ones(heights.shape, dtype=bool)
    high, low = heights.max(axis=1), heights.min(axis=1)
    allowed = tolerance * (np.maximum(high - low, 0) if span is None else np.full(curves, span))
    place = np.arange(points, dtype=np.float64) if at is None else at
    kept = np.zeros(heights.shape, dtype=bool)
    waiting = np.arange(curves)
    while len(waiting):
        kept[waiting] = _refined(heights[waiting], place, allowed[waiting])
        waiting = waiting[kept[waiting].sum(axis=1) > max(most, 4)]
        allowed[waiting] *= 1.5
    return kept


def _refined(heights: Floats, at: Floats, allowed: Floats) -> Bools:
    """Between neighbours among the points that are kept, the point that is farthest off is kept too, if it is too far.

    All curves and all their stretches are looked at at once, until none is too far off.
    """
    curves, points = heights.shape
    kept = np.zeros(heights.shape, dtype=bool)
    kept[:, [0, -1]] = True
    kept[np.arange(curves), heights.argmax(axis=1)] = True
    kept[np.arange(curves), heights.argmin(axis=1)] = True
    flat, too_far = heights.ravel(), np.repeat(allowed, points)
    place = (at + (at[-1] - at[0] + 1) * np.arange(curves)[:, None]).ravel()  # the curves one behind the other
    while True:
        knots = np.flatnonzero(kept.ravel())
        off = np.abs(flat - np.interp(place, place[knots], flat[knots]))
        worst = np.maximum.reduceat(off, knots)
        stretch = np.cumsum(kept.ravel()) - 1
        candidates = np.flatnonzero((off == worst[stretch]) & (off > too_far) & ~kept.ravel())
        if not len(candidates):
            return kept
        _, first = np.unique(stretch[candidates], return_index=True)
        kept.ravel()[candidates[first]] = True
