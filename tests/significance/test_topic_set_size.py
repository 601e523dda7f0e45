"""Topic set size design."""

import math

import numpy as np
import pytest
from scipy.stats import nct, norm
from scipy.stats import t as student

from assay.errors import InputError
from assay.significance.tests.t import T
from assay.significance.topic_set_size import (
    compute_detectable_difference,
    compute_power,
    compute_topics_needed,
    estimate_variances,
    plan_topics,
)


def test_agrees_with_textbook_tables():
    """Sample sizes of the two-sided paired t test.

    At alpha 0.05 and power 0.8, effect sizes of 0.2, 0.5 and 0.8 need 199, 34 and 15 topics. An effect size of 0.5
    needs 54 topics at power 0.95 and 51 topics at alpha 0.01.
    """
    assert plan_topics([0.2, 0.5, 0.8], 1.0).tolist() == [199, 34, 15]
    assert plan_topics(0.5, 1.0, power=0.95).tolist() == 54
    assert plan_topics(0.5, 1.0, alpha=0.01).tolist() == 51


@pytest.mark.parametrize("n", [2, 5, 30, 500])
@pytest.mark.parametrize("effect", [0.01, 0.4, 1.5])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_power_agrees_with_scipy(n, effect, alpha):
    critical, shift = student.ppf(1 - alpha / 2, n - 1), math.sqrt(n) * effect
    expected = nct.sf(critical, n - 1, shift) + np.nan_to_num(nct.cdf(-critical, n - 1, shift))
    assert compute_power(n, effect * 0.3, 0.09, alpha) == pytest.approx(expected, rel=1e-9)


def test_power_is_the_rejection_rate_of_simulated_pairs():
    """Simulate 4000 pairs whose true difference is half a standard deviation, on 20 topics each."""
    z = np.random.default_rng(0).normal(0.5, 1, size=(4000, 20))
    pairs = np.array([[i, 4000] for i in range(4000)])
    rejection_rate = (T().compare(np.vstack([z, np.zeros(20)]), pairs).p < 0.05).mean()
    expected = float(compute_power(20, 0.5, 1.0))
    assert rejection_rate == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 4000))


def test_power_of_a_zero_difference_is_alpha():
    assert compute_power(20, 0.0, 1.0, alpha=0.03) == pytest.approx(0.03, rel=1e-9)
    assert compute_power(20, 0.0, 0.0) == pytest.approx(0.05)
    assert compute_power(20, 0.1, 0.0) == 1


def test_power_is_symmetric_and_increasing():
    n = np.arange(2, 200)
    power = compute_power(n, 0.2, 1.0)
    np.testing.assert_allclose(compute_power(n, -0.2, 1.0), power)
    assert (np.diff(power) > 0).all()
    effects = np.geomspace(1e-3, 1e7, 300)
    assert (np.diff(compute_power(2, effects, 1.0, alpha=1e-6)) >= -1e-8).all()
    assert compute_power(2, 1e9, 1.0, alpha=1e-6) == pytest.approx(1, abs=1e-2)


@pytest.mark.parametrize("alpha", [0.05, 1e-4])
@pytest.mark.parametrize("target", [0.3, 0.8, 0.999])
def test_planned_number_of_topics_is_minimal(alpha, target):
    difference = np.geomspace(0.02, 30, 60)
    n = plan_topics(difference, 1.0, alpha, target)
    assert (n == np.floor(n)).all()
    assert (compute_power(n, difference, 1.0, alpha) >= target).all()
    above_minimum = n > 2
    assert above_minimum.any()
    assert (compute_power(n[above_minimum] - 1, difference[above_minimum], 1.0, alpha) < target).all()


def test_normal_approximation_for_very_many_topics():
    """The normal approximation used from a million topics on continues the exact numbers without a jump."""
    difference = np.array([0.002802, 0.0028, 0.00279, 1e-6])
    n = plan_topics(difference, 1.0)
    assert n[0] < 1e6 < n[1]
    # This formula ignores rejections in the wrong direction, about a millionth of the power.
    np.testing.assert_allclose(n, ((norm.ppf(0.975) + norm.ppf(0.8)) / difference) ** 2, rtol=5e-6)


def test_zero_or_missing_difference_or_variance():
    topics = plan_topics([0.0, 0.1, math.nan, 0.1], [0.1, 0.0, 0.1, math.nan])
    assert topics[:2].tolist() == [math.inf, 2]
    assert np.isnan(topics[2:]).all()


def test_topics_needed_for_observed_pairs():
    rng = np.random.default_rng(1)
    values = rng.random((4, 25)) + np.arange(4)[:, None] / 10
    values[3, 2:5] = np.nan
    pairs = np.array([[0, 1], [0, 2], [3, 0], [1, 1]])
    topics, variances = compute_topics_needed(values, pairs, 0.01, 0.9), estimate_variances(values, pairs)
    for k, (i, j) in enumerate(pairs):
        z = values[i] - values[j]
        z = z[~np.isnan(z)]
        assert variances[k] == pytest.approx(np.var(z, ddof=1), rel=1e-12)
        assert topics[k] == plan_topics(z.mean(), np.var(z, ddof=1), 0.01, 0.9)
    assert topics[3] == math.inf
    assert np.isnan(compute_topics_needed(values[:, :1], pairs)).all()
    assert np.isnan(estimate_variances(values[:, :1], pairs)).all()


def test_invalid_arguments_raise():
    for call, message in (
        (lambda: compute_power(1, 0.1, 0.1), "topics must be at least 2, got 1"),
        (lambda: plan_topics(0.1, [-0.1, 0.2]), r"variance must be at least 0, got -0\.1"),
        (lambda: plan_topics(0.1, 0.1, alpha=0), "alpha must lie between 0 and 1, such as 0.05, got 0"),
        (lambda: plan_topics(0.1, 0.1, power=1), "power must lie between 0 and 1, such as 0.8, got 1"),
        (lambda: plan_topics(0.1, 0.1, power=0.05), r"power must be above alpha=0\.05, got 0\.05"),
        (lambda: compute_topics_needed(np.zeros((2, 3)), np.array([[0, 1]]), power=0.01), "power must be above"),
    ):
        with pytest.raises(InputError, match=message):
            call()


@pytest.mark.parametrize("topics", [2, 3, 30, 20_000])
@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.001, 0.95)])
def test_the_detectable_difference_is_detected_with_the_power(topics, alpha, power):
    difference = compute_detectable_difference(topics, 0.04, alpha, power)
    assert compute_power(topics, difference, 0.04, alpha) == pytest.approx(power, abs=0.005 if topics == 2 else 2e-5)


def test_the_detectable_difference_is_unknown_for_one_topic():
    assert np.isnan(compute_detectable_difference([1, 5], 0.04)).tolist() == [True, False]
    assert compute_detectable_difference(5, 0.0) == 0
