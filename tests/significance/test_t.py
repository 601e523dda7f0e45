"""The paired t test."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from assay.significance.tests.t import T
from oracles import significance as oracle

PAIR = np.array([[0, 1]])
RUNS = st.integers(2, 12).flatmap(lambda n: st.tuples(*[st.lists(st.floats(-1, 1), min_size=n, max_size=n)] * 2))


@settings(max_examples=150, derandomize=True, deadline=None)
@given(RUNS)
def test_agrees_with_scipy(runs):
    values = np.array(runs).round(6)
    difference = values[0] - values[1]
    if np.ptp(difference.round(9)) == 0:
        return  # test_a_constant_shift_has_no_variance covers differences without variance.
    outcome, scipy_result = T().compare(values, PAIR), ttest_rel(*values)
    interval = scipy_result.confidence_interval(0.95)
    assert outcome.statistic[0] == pytest.approx(scipy_result.statistic, rel=1e-9, abs=1e-9)
    assert outcome.p[0] == pytest.approx(scipy_result.pvalue, rel=1e-9, abs=1e-12)
    assert (outcome.low[0], outcome.high[0]) == pytest.approx((interval.low, interval.high), rel=1e-9, abs=1e-9)
    assert outcome.statistic[0] == pytest.approx(oracle.t(difference.tolist()), rel=1e-9, abs=1e-9)


def test_many_topics_and_pairs_agree_with_scipy():
    rng = np.random.default_rng(1)
    values = rng.random((7, 333))
    values[2, 10:40] = np.nan
    pairs = np.array([[i, j] for i in range(7) for j in range(7) if i != j])
    outcome = T().compare(values, pairs, alpha=0.1)
    for k, (i, j) in enumerate(pairs):
        scipy_result = ttest_rel(values[i], values[j], nan_policy="omit")
        assert outcome.p[k] == pytest.approx(scipy_result.pvalue, rel=1e-9)
        assert outcome.low[k] == pytest.approx(scipy_result.confidence_interval(0.9).low, rel=1e-9)
        assert outcome.topics[k] == (303 if 2 in (i, j) else 333)


def test_agrees_with_the_example_of_sakai():
    """Sakai reports mean 0.0750, variance 0.0251, t = 2.116, p = 0.048 and a margin of error of 0.0742."""
    outcome = T().compare(np.array(oracle.SAKAI), PAIR)
    assert outcome.statistic[0] == pytest.approx(2.116, abs=5e-4)
    assert outcome.p[0] == pytest.approx(0.048, abs=5e-4)
    assert (outcome.low[0], outcome.high[0]) == pytest.approx((0.0750 - 0.0742, 0.0750 + 0.0742), abs=1e-4)


@pytest.mark.parametrize("shift", [0.1, 1e-4, 3e-6, -3.0, 1e200])
def test_a_constant_shift_has_no_variance(shift):
    values = np.array([[0.3, 0.7, 0.1], [0.3, 0.7, 0.1]])
    values[0] += shift
    outcome = T().compare(values, PAIR)
    assert outcome.statistic[0] == math.copysign(math.inf, shift)
    assert outcome.p[0] == 0
    assert outcome.low[0] == pytest.approx(shift)
    assert outcome.high[0] == pytest.approx(shift)
