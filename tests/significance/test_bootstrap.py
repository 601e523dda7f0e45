"""Sakai's paired bootstrap test (spec 12.4, A-000-17)."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.significance.tests.bootstrap import Bootstrap
from assay.significance.tests.t import T
from oracles import significance as oracle

PAIR = np.array([[0, 1]])
VALUE = st.one_of(st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0]), st.floats(-1, 1).map(lambda value: round(value, 3)))
RUNS = st.integers(2, 7).flatmap(lambda n: st.tuples(*[st.lists(VALUE, min_size=n, max_size=n)] * 2))


def resamples(seed, many, topics):
    return np.random.default_rng(seed).integers(topics, size=(many, topics)).tolist()


@settings(max_examples=150, derandomize=True, deadline=None)
@given(RUNS, st.sampled_from([0.05, 0.01, 0.3]))
def test_by_definition(runs, alpha):
    """Few topics: many resamples have no spread, and many are tied."""
    values = np.array(runs)
    z = [0.0 if abs(each) < 1e-12 else each for each in (values[0] - values[1]).tolist()]
    test = Bootstrap(resamples=60, seed=4)
    asl, delta = test.asl(values, PAIR, alpha)
    expected = oracle.bootstrap(z, resamples(4, 60, len(z)), alpha)
    assert asl[0] == pytest.approx(expected[0], abs=1e-12)
    assert test.compare(values, PAIR).p[0] == asl[0]
    assert math.isnan(delta[0]) == math.isnan(expected[1])
    assert test.compare(values, PAIR).statistic[0] == pytest.approx(oracle.t(z), rel=1e-9, abs=1e-9)


@settings(max_examples=40, derandomize=True, deadline=None)
@given(st.integers(8, 30), st.integers(0, 1000), st.sampled_from([0.05, 0.01, 0.3]))
def test_delta_by_definition(topics, seed, alpha):
    """Where sizes of t are not tied: the mean of the resample whose t is the ceil(alpha B)-th largest."""
    values = np.random.default_rng(seed).random((3, topics))
    pairs = np.array([[0, 1], [2, 1]])
    asl, delta = Bootstrap(resamples=100, seed=seed).asl(values, pairs, alpha)
    for k, (i, j) in enumerate(pairs):
        expected = oracle.bootstrap((values[i] - values[j]).tolist(), resamples(seed, 100, topics), alpha)
        assert (asl[k], delta[k]) == pytest.approx(expected, abs=1e-12)


def test_identical_runs_have_no_delta():
    values = np.array([[0.1, 0.5, 0.9, 0.1 + 0.2], [0.1, 0.5, 0.9, 0.3]])
    asl, delta = Bootstrap().asl(values, PAIR)
    assert asl[0] == 1
    assert math.isnan(delta[0])


def test_a_constant_shift():
    """z has no spread: t is infinite, and no resample of w, which is 0, is as large."""
    values = np.array([[0.4, 0.8, 0.2, 0.35], [0.3, 0.7, 0.1, 0.25]])
    outcome = Bootstrap().compare(values, PAIR)
    assert outcome.p[0] == 0
    assert outcome.statistic[0] == math.inf
    assert (outcome.low[0], outcome.high[0]) == pytest.approx((0.1, 0.1))
    assert Bootstrap().asl(values, PAIR)[1][0] == 0


def test_a_resample_without_spread_is_as_large_as_can_be():
    """Two topics: (w1, w1) and (w2, w2) are infinite, (w1, w2) is 0, so that ASL is the share of the former."""
    values = np.array([[0.9, 0.5], [0.1, 0.4]])
    drawn = resamples(0, 1000, 2)
    assert Bootstrap().compare(values, PAIR).p[0] == sum(a == b for a, b in drawn) / 1000


def test_which_resample_gives_delta():
    """ceil(alpha B), with no more than rounding in between: 0.07 x 100 is 7, not 8."""
    values = np.random.default_rng(0).random((2, 12))
    z = (values[0] - values[1]).tolist()
    drawn = resamples(0, 100, 12)
    w = np.array(z) - np.mean(z)
    largest = sorted(drawn, key=lambda topics: -abs(oracle.t(w[topics].tolist())))
    for alpha, place in ((0.07, 7), (0.071, 8), (0.001, 1)):
        delta = Bootstrap(resamples=100).asl(values, PAIR, alpha)[1][0]
        assert delta == pytest.approx(abs(np.mean(w[largest[place - 1]])), rel=1e-9)
    with pytest.raises(InputError, match="alpha must lie between 0 and 1, got 2"):
        Bootstrap().asl(values, PAIR, 2)


def test_the_interval_is_that_of_percentiles():
    values = np.random.default_rng(2).random((2, 25))
    z = values[0] - values[1]
    means = [z[topics].mean() for topics in resamples(6, 500, 25)]
    outcome = Bootstrap(resamples=500, seed=6).compare(values, PAIR, alpha=0.1)
    assert (outcome.low[0], outcome.high[0]) == pytest.approx(tuple(np.quantile(means, [0.05, 0.95])), rel=1e-9)


def test_pairs_with_gaps():
    values = np.random.default_rng(8).random((3, 20))
    values[1, :4] = np.nan
    values[2, 18:] = np.nan
    asl, delta = Bootstrap(resamples=200).asl(values, np.array([[0, 1], [1, 2]]))
    for k, (i, j) in enumerate([(0, 1), (1, 2)]):
        z = values[i] - values[j]
        z = z[~np.isnan(z)]
        expected = oracle.bootstrap(z.tolist(), resamples(0, 200, len(z)), 0.05)
        assert (asl[k], delta[k]) == pytest.approx(expected, abs=1e-12)
    asl, delta = Bootstrap().asl(values[:, :1], np.array([[0, 2]]))
    assert np.isnan([asl, delta]).all()


def test_near_the_t_test_for_many_topics():
    values = np.random.default_rng(5).normal(size=(8, 200)) + np.linspace(0, 0.3, 8)[:, None]
    pairs = np.array([[0, i] for i in range(1, 8)])
    np.testing.assert_allclose(
        Bootstrap(resamples=20_000).compare(values, pairs).p, T().compare(values, pairs).p, atol=0.02
    )
