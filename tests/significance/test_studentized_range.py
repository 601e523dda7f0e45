"""The distribution of the studentized range."""

import numpy as np
import pytest
from scipy.special import stdtr
from scipy.stats import studentized_range

from assay.significance.tests import _studentized_range as implementation

Q = np.array([0.0, 1e-6, 0.3, 1.0, 2.5, 3.7, 5.0, 8.0, 20.0])


@pytest.mark.parametrize(("runs", "degrees_of_freedom"), [(2, 1), (3, 2), (3, 38), (10, 9), (50, 49), (129, 6272)])
def test_agrees_with_scipy(runs, degrees_of_freedom):
    np.testing.assert_allclose(
        implementation.survival(Q, runs, degrees_of_freedom),
        studentized_range.sf(Q, runs, degrees_of_freedom),
        atol=1e-10,
    )


@pytest.mark.parametrize("degrees_of_freedom", [1, 2, 7, 49, 100_000])
def test_two_runs_agree_with_the_t_distribution(degrees_of_freedom):
    """Far tails are included: 1 minus a distribution function would leave no correct digits there."""
    expected = 2 * stdtr(degrees_of_freedom, -Q / np.sqrt(2))
    np.testing.assert_allclose(
        implementation.survival(Q, 2, degrees_of_freedom),
        np.maximum(expected, implementation.MIN_PROBABILITY),
        rtol=1e-10,
    )


@pytest.mark.parametrize(("runs", "degrees_of_freedom"), [(20, 19), (129, 6272), (500, 24_500)])
def test_interpolation_of_many_values(runs, degrees_of_freedom):
    q = np.concatenate([Q, np.abs(np.random.default_rng(0).normal(size=600)) * 5, [60.0, 1e9, np.inf]])
    at_once = implementation.survival(q, runs, degrees_of_freedom)
    in_chunks = np.concatenate(
        [implementation.survival(chunk, runs, degrees_of_freedom) for chunk in np.array_split(q, 6)]
    )
    np.testing.assert_allclose(at_once, in_chunks, rtol=1e-9)
    assert at_once[0] == 1
    assert (np.diff(at_once[np.argsort(q)]) <= 1e-10).all()
    assert (at_once[:-1] >= implementation.MIN_PROBABILITY).all()


def test_output_has_the_shape_of_the_input():
    assert implementation.survival(np.ones((2, 3)), 3, 10).shape == (2, 3)


@pytest.mark.parametrize(("runs", "degrees_of_freedom"), [(2, 1), (3, 20), (129, 6272)])
@pytest.mark.parametrize("p", [0.999, 0.5, 0.05, 1e-3, 1e-9])
def test_quantile_inverts_survival(runs, degrees_of_freedom, p):
    q = implementation.quantile(p, runs, degrees_of_freedom)
    assert implementation.survival(np.array([q]), runs, degrees_of_freedom)[0] == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize(
    ("runs", "degrees_of_freedom", "expected"), [(3, 20, 3.578), (5, 10, 4.654), (10, 60, 4.646), (2, 5, 3.635)]
)
def test_agrees_with_textbook_tables(runs, degrees_of_freedom, expected):
    """Upper 5 % points as printed in textbooks."""
    assert implementation.quantile(0.05, runs, degrees_of_freedom) == pytest.approx(expected, abs=6e-4)
