"""Curves with fewer points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.views.plots._simplification import select_points

CURVES = st.integers(1, 5).flatmap(
    lambda curves: st.integers(1, 60).flatmap(
        lambda points: st.lists(
            st.lists(st.integers(-50, 50), min_size=points, max_size=points), min_size=curves, max_size=curves
        )
    )
)


def farthest(curve: np.ndarray, kept: np.ndarray, at: np.ndarray) -> float:
    """By how much the line through the points that are kept is off."""
    return float(np.abs(np.interp(at, at[kept], curve[kept]) - curve).max())


@settings(max_examples=200)
@given(CURVES, st.sampled_from([0.0, 0.01, 0.2]), st.booleans())
def test_lines_stay_close(steps: list[list[int]], tolerance: float, rooted: bool) -> None:
    heights = np.cumsum(np.array(steps, dtype=float), axis=1)
    at = np.sqrt(np.arange(heights.shape[1]) + 0.5) if rooted else np.arange(heights.shape[1], dtype=float)
    kept = select_points(heights, at if rooted else None, most=1000, tolerance=tolerance)
    for curve, chosen in zip(heights, kept, strict=True):
        assert chosen[0]
        assert chosen[-1]
        assert curve[chosen].max() == curve.max()
        assert curve[chosen].min() == curve.min()
        assert farthest(curve, chosen, at) <= tolerance * np.ptp(curve) + 1e-9


def test_corners_are_enough() -> None:
    zigzag = np.interp(np.arange(1000), [0, 90, 400, 401, 999], [0, -4000, -3000, 9000, 9000])
    kept = select_points(np.stack([zigzag, np.zeros(1000)]))
    assert set(np.flatnonzero(kept[0])) >= {0, 90, 400, 401, 999}
    assert kept[0].sum() <= 6
    assert kept[1].sum() <= 3


def test_no_curve_has_too_many_points() -> None:
    wild = np.cumsum(np.random.default_rng(1).normal(size=(3, 1000)), axis=1)
    kept = select_points(wild, most=50)
    assert (kept.sum(axis=1) <= 50).all()
    assert (kept.sum(axis=1) > 10).all()
    assert [wild[i][kept[i]].max() for i in range(3)] == wild.max(axis=1).tolist()


def test_one_span_for_all() -> None:
    small, large = np.array([0.0, 1, 0, 1, 0, 1, 0]), np.array([0.0, 0, 0, 1000, 0, 0, 0])
    assert select_points(np.stack([small, large]), tolerance=0.01)[0].all()
    assert not select_points(np.stack([small, large]), tolerance=0.01, span=1000.0)[0].all()


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (3, 1), (2, 2)])
def test_little_to_thin(shape: tuple[int, int]) -> None:
    assert select_points(np.zeros(shape)).shape == shape
    assert select_points(np.zeros(shape)).all()
