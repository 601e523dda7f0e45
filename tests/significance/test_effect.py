"""Effect sizes."""

import math

import numpy as np
import pytest

from assay.significance.effect import hedges_g
from oracles import significance as oracle

PAIRS = np.array([[0, 1], [1, 0], [2, 1]])


def make_values():
    return np.random.default_rng(0).random((3, 20)) + np.array([[0.3], [0.0], [0.1]])


def test_agrees_with_the_definition():
    values = make_values()
    for k, (i, j) in enumerate(PAIRS):
        z = (values[i] - values[j]).tolist()
        assert hedges_g(values, PAIRS)[k] == pytest.approx(oracle.hedges_g(z), rel=1e-12)


def test_agrees_with_the_example_of_sakai():
    """Sakai reports 0.473 without the correction, which is 1 - 3 / (4 x 19 - 1) to four digits."""
    g = hedges_g(np.array(oracle.SAKAI), PAIRS[:1])[0]
    assert g == pytest.approx(0.473 * (1 - 3 / (4 * 19 - 1)), abs=5e-4)


def test_g_is_unbiased():
    """For 20,000 samples of eight differences with mean 0.5 and variance 1, g is 0.5 on average, but t / √n is not."""
    z = np.random.default_rng(1).normal(0.5, 1, size=(20_000, 8))
    pairs = np.array([[i, 20_000] for i in range(20_000)])
    g = hedges_g(np.vstack([z, np.zeros(8)]), pairs)
    error = g.std() / math.sqrt(len(g))
    assert abs(g.mean() - 0.5) < 4 * error
    assert abs((z.mean(axis=1) / z.std(axis=1, ddof=1)).mean() - 0.5) > 10 * error


def test_scaling_shifting_and_missing_values():
    values = make_values()
    expected = hedges_g(values, PAIRS)
    np.testing.assert_allclose(hedges_g(values * 1e200, PAIRS), expected, rtol=1e-9)
    np.testing.assert_allclose(hedges_g(values * 1e-200, PAIRS), expected, rtol=1e-9)
    np.testing.assert_allclose(hedges_g(values + 3, PAIRS), expected, rtol=1e-9)
    np.testing.assert_allclose(hedges_g(np.insert(values, 4, np.nan, axis=1), PAIRS), expected, rtol=1e-12)
    incomplete = values.copy()
    incomplete[2, 5] = np.nan
    shortened = hedges_g(np.delete(values, 5, axis=1), PAIRS)
    np.testing.assert_allclose(hedges_g(incomplete, PAIRS), [*expected[:2], shortened[2]], rtol=1e-12)


def test_differences_without_variance():
    values = np.array([[0.3, 0.7, 0.1], [0.2, 0.6, 0.0], [0.5, 0.5, 0.5], [0.3, 0.7, 0.1]])
    pairs = np.array([[0, 1], [1, 0], [0, 2], [0, 3]])
    assert hedges_g(values, pairs)[[0, 1, 3]].tolist() == [math.inf, -math.inf, 0]


def test_fewer_than_three_topics_give_nan():
    values = make_values()
    assert np.isnan(hedges_g(values[:, :2], PAIRS)).all()
    assert not np.isnan(hedges_g(values[:, :3], PAIRS)).any()


def test_infinite_values_give_nan():
    values = make_values()
    values[1, 2] = math.inf
    pairs = np.array([[0, 1], [1, 1], [0, 2]])
    assert np.isnan(hedges_g(values, pairs)).tolist() == [True, False, False]
