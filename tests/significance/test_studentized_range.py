"""The distribution of the studentized range."""

import numpy as np
import pytest
from scipy.special import stdtr
from scipy.stats import studentized_range

from assay.significance.tests import _studentized_range as ours

Q = np.array([0.0, 1e-6, 0.3, 1.0, 2.5, 3.7, 5.0, 8.0, 20.0])


@pytest.mark.parametrize(("runs", "freedom"), [(2, 1), (3, 2), (3, 38), (10, 9), (50, 49), (129, 6272)])
def test_agrees_with_scipy(runs, freedom):
    np.testing.assert_allclose(ours.survival(Q, runs, freedom), studentized_range.sf(Q, runs, freedom), atol=1e-10)


@pytest.mark.parametrize("freedom", [1, 2, 7, 49, 100_000])
def test_two_runs_are_student_to_all_digits(freedom):
    """Also far out, where a difference from 1 would leave no digits."""
    expected = 2 * stdtr(freedom, -Q / np.sqrt(2))
    np.testing.assert_allclose(ours.survival(Q, 2, freedom), np.maximum(expected, ours.MIN_PROBABILITY), rtol=1e-10)


@pytest.mark.parametrize(("runs", "freedom"), [(20, 19), (129, 6272), (500, 24_500)])
def test_many_values_are_interpolated(runs, freedom):
    q = np.concatenate([Q, np.abs(np.random.default_rng(0).normal(size=600)) * 5, [60.0, 1e9, np.inf]])
    many = ours.survival(q, runs, freedom)
    one_by_one = np.concatenate([ours.survival(part, runs, freedom) for part in np.array_split(q, 6)])
    np.testing.assert_allclose(many, one_by_one, rtol=1e-9)
    assert many[0] == 1
    assert (np.diff(many[np.argsort(q)]) <= 1e-10).all()
    assert (many[:-1] >= ours.MIN_PROBABILITY).all()


def test_the_shape_is_kept():
    assert ours.survival(np.ones((2, 3)), 3, 10).shape == (2, 3)


@pytest.mark.parametrize(("runs", "freedom"), [(2, 1), (3, 20), (129, 6272)])
@pytest.mark.parametrize("p", [0.999, 0.5, 0.05, 1e-3, 1e-9])
def test_quantile(runs, freedom, p):
    q = ours.quantile(p, runs, freedom)
    assert ours.survival(np.array([q]), runs, freedom)[0] == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize(
    ("runs", "freedom", "expected"), [(3, 20, 3.578), (5, 10, 4.654), (10, 60, 4.646), (2, 5, 3.635)]
)
def test_tables_of_textbooks(runs, freedom, expected):
    """The upper 5 % points, as printed."""
    assert ours.quantile(0.05, runs, freedom) == pytest.approx(expected, abs=6e-4)
