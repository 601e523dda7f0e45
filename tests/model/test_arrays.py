"""Equality up to rounding, and competition ranks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.arrays import ROUNDING, competition_ranks, subtract

VALUES = st.lists(st.sampled_from([0.0, 0.3, 0.1 + 0.2, 0.5, 1.0, 1e6, -2.0, np.nan]), max_size=8)


def equal(a: float, b: float) -> bool:
    """Return whether two values are equal up to rounding, by definition."""
    return a == b or abs(a - b) <= ROUNDING * max(1, abs(a), abs(b))


@given(VALUES, st.booleans())
def test_competition_ranks_agree_with_the_definition(values: list[float], lower: bool) -> None:
    ranks = competition_ranks(np.array(values, dtype=float), lower)
    for value, rank in zip(values, ranks.tolist(), strict=True):
        better = [x for x in values if not np.isnan(x) and (np.isnan(value) or (x < value if lower else x > value))]
        assert rank == 1 + sum(np.isnan(value) or not equal(x, value) for x in better)


@pytest.mark.parametrize(
    ("a", "b", "difference"),
    [
        (0.1 + 0.2, 0.3, 0.0),
        (1e-17, 0.0, 0.0),
        (1e9 + 1e-5, 1e9, 0.0),
        (0.5, 0.25, 0.25),
        (np.inf, np.inf, 0.0),
        (np.inf, 0.5, np.inf),
        (-np.inf, np.inf, -np.inf),
        (np.nan, 0.5, np.nan),
    ],
)
def test_differences_within_rounding_are_zero(a: float, b: float, difference: float) -> None:
    np.testing.assert_equal(subtract(np.array([a]), np.array([b])), [difference])
