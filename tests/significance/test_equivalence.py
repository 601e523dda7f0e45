"""Equivalence by two one-sided tests."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp, ttest_rel

from assay.errors import InputError
from assay.significance.equivalence import tost

PAIRS = np.array([[0, 1], [1, 0], [0, 2]])


def make_values():
    rng = np.random.default_rng(0)
    return rng.random(30) + rng.normal(size=(3, 30)) / 50 + np.array([[0.01], [0.0], [0.1]])


@pytest.mark.parametrize("margin", [0.0, 0.005, 0.02, 0.3])
def test_agrees_with_two_one_sided_tests_of_scipy(margin):
    values = make_values()
    p = tost(values, PAIRS, margin)
    for k, (i, j) in enumerate(PAIRS):
        z = values[i] - values[j]
        sides = ttest_1samp(z, -margin, alternative="greater"), ttest_1samp(z, margin, alternative="less")
        assert p[k] == pytest.approx(max(side.pvalue for side in sides), rel=1e-9)
    assert p[0] == pytest.approx(p[1], rel=1e-12)


def test_p_is_alpha_if_the_interval_just_fits_the_margin():
    values = make_values()
    interval = ttest_rel(values[0], values[1]).confidence_interval(0.9)
    margin = max(abs(interval.low), abs(interval.high))
    assert tost(values, PAIRS[:1], margin)[0] == pytest.approx(0.05, rel=1e-9)


def test_not_significant_does_not_mean_equivalent():
    """With few topics, neither a difference nor equivalence can be shown."""
    values = make_values()[:, :4] * np.array([[1.0], [1.0], [2.0]])
    assert ttest_rel(values[0], values[2]).pvalue > 0.05
    assert tost(values, PAIRS, 0.05)[2] > 0.05


@pytest.mark.parametrize("share", [0.01, 0.05, 1.5])
def test_relative_margin_is_a_contrast_with_the_baseline(share):
    values = make_values()
    values[1, 3:7] = np.nan
    p = tost(values, PAIRS, share, relative=True)
    for k, (i, j) in enumerate(PAIRS):
        known = ~(np.isnan(values[i]) | np.isnan(values[j]))
        a, b = values[i, known], values[j, known]
        sides = [ttest_1samp(x, 0, alternative="greater") for x in (a - (1 - share) * b, (1 + share) * b - a)]
        assert p[k] == pytest.approx(max(side.pvalue for side in sides), rel=1e-9)
    assert p[0] != p[1]


def test_relative_margin_of_a_baseline_with_a_negative_or_zero_mean():
    values = make_values()
    np.testing.assert_allclose(tost(-values, PAIRS, 0.05, relative=True), tost(values, PAIRS, 0.05, relative=True))
    centred = values - values.mean(axis=1, keepdims=True)
    assert (tost(centred, PAIRS, 0.05, relative=True) >= 0.499).all()


def test_differences_without_variance():
    values = np.array([[0.3, 0.7, 0.1], [0.2, 0.6, 0.0], [0.3, 0.7, 0.1]])
    assert tost(values, PAIRS, 0.2).tolist() == [0, 0, 0]
    assert tost(values, PAIRS, 0.05).tolist() == [1, 1, 0]
    assert tost(values, PAIRS[2:], 0.0).tolist() == [0.5]


def test_a_margin_for_each_pair():
    values = make_values()
    p = tost(values, PAIRS, [0.02, math.nan, 0.3])
    np.testing.assert_allclose(p[[0, 2]], [tost(values, PAIRS, m)[k] for k, m in ((0, 0.02), (2, 0.3))])
    assert math.isnan(p[1])
    np.testing.assert_allclose(tost(values * 1e-250, PAIRS, np.array([0.02, 0.02, 0.3]) * 1e-250)[2], p[2])
    assert tost(values * 1e-310, PAIRS, 1e5).tolist() == [0, 0, 0]


def test_negative_margins_raise_and_one_topic_gives_nan():
    with pytest.raises(InputError, match=r"margin must be at least 0, got -0\.1"):
        tost(make_values(), PAIRS, -0.1)
    assert np.isnan(tost(make_values()[:, :1], PAIRS, 0.1)).all()
