"""Tests of the simplification of curves."""

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


def max_deviation(curve: np.ndarray, selected: np.ndarray, positions: np.ndarray) -> float:
    """Return the maximum distance between a curve and the line through its selected points."""
    return float(np.abs(np.interp(positions, positions[selected], curve[selected]) - curve).max())


@settings(max_examples=200)
@given(CURVES, st.sampled_from([0.0, 0.01, 0.2]), st.booleans())
def test_simplified_lines_stay_close(steps: list[list[int]], tolerance: float, rooted: bool) -> None:
    heights = np.cumsum(np.array(steps, dtype=float), axis=1)
    positions = np.sqrt(np.arange(heights.shape[1]) + 0.5) if rooted else np.arange(heights.shape[1], dtype=float)
    selected = select_points(heights, positions if rooted else None, most=1000, tolerance=tolerance)
    for curve, mask in zip(heights, selected, strict=True):
        assert mask[0]
        assert mask[-1]
        assert curve[mask].max() == curve.max()
        assert curve[mask].min() == curve.min()
        assert max_deviation(curve, mask, positions) <= tolerance * np.ptp(curve) + 1e-9


def test_corners_are_sufficient() -> None:
    zigzag = np.interp(np.arange(1000), [0, 90, 400, 401, 999], [0, -4000, -3000, 9000, 9000])
    selected = select_points(np.stack([zigzag, np.zeros(1000)]))
    assert set(np.flatnonzero(selected[0])) >= {0, 90, 400, 401, 999}
    assert selected[0].sum() <= 6
    assert selected[1].sum() <= 3


def test_number_of_points_is_limited() -> None:
    curves = np.cumsum(np.random.default_rng(1).normal(size=(3, 1000)), axis=1)
    selected = select_points(curves, most=50)
    assert (selected.sum(axis=1) <= 50).all()
    assert (selected.sum(axis=1) > 10).all()
    assert [curves[i][selected[i]].max() for i in range(3)] == curves.max(axis=1).tolist()


def test_span_can_be_shared_by_all_curves() -> None:
    small, large = np.array([0.0, 1, 0, 1, 0, 1, 0]), np.array([0.0, 0, 0, 1000, 0, 0, 0])
    assert select_points(np.stack([small, large]), tolerance=0.01)[0].all()
    assert not select_points(np.stack([small, large]), tolerance=0.01, span=1000.0)[0].all()


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (3, 1), (2, 2)])
def test_short_curves_are_unchanged(shape: tuple[int, int]) -> None:
    assert select_points(np.zeros(shape)).shape == shape
    assert select_points(np.zeros(shape)).all()
