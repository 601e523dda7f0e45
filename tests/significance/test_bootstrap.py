"""Sakai's paired bootstrap test (docs/reference/tests.md)."""

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


def draw_resamples(seed, count, topics):
    return np.random.default_rng(seed).integers(topics, size=(count, topics)).tolist()


@settings(max_examples=150, derandomize=True, deadline=None)
@given(RUNS, st.sampled_from([0.05, 0.01, 0.3]))
def test_asl_agrees_with_the_definition(runs, alpha):
    """With few topics, many resamples have no variance and many are tied."""
    values = np.array(runs)
    z = [0.0 if abs(each) < 1e-12 else each for each in (values[0] - values[1]).tolist()]
    test = Bootstrap(resamples=60, seed=4)
    asl, delta = test.asl(values, PAIR, alpha)
    expected = oracle.bootstrap(z, draw_resamples(4, 60, len(z)), alpha)
    assert asl[0] == pytest.approx(expected[0], abs=1e-12)
    assert test.compare(values, PAIR).p[0] == asl[0]
    assert math.isnan(delta[0]) == math.isnan(expected[1])
    assert test.compare(values, PAIR).statistic[0] == pytest.approx(oracle.t(z), rel=1e-9, abs=1e-9)


@settings(max_examples=40, derandomize=True, deadline=None)
@given(st.integers(8, 30), st.integers(0, 1000), st.sampled_from([0.05, 0.01, 0.3]))
def test_delta_agrees_with_the_definition(topics, seed, alpha):
    """Delta is the mean of the resample with the ceil(alpha B)-th largest |t|; with many topics there are no ties."""
    values = np.random.default_rng(seed).random((3, topics))
    pairs = np.array([[0, 1], [2, 1]])
    asl, delta = Bootstrap(resamples=100, seed=seed).asl(values, pairs, alpha)
    for k, (i, j) in enumerate(pairs):
        expected = oracle.bootstrap((values[i] - values[j]).tolist(), draw_resamples(seed, 100, topics), alpha)
        assert (asl[k], delta[k]) == pytest.approx(expected, abs=1e-12)


def test_identical_runs_have_no_delta():
    values = np.array([[0.1, 0.5, 0.9, 0.1 + 0.2], [0.1, 0.5, 0.9, 0.3]])
    asl, delta = Bootstrap().asl(values, PAIR)
    assert asl[0] == 1
    assert math.isnan(delta[0])


def test_a_constant_shift_has_p_0():
    """z has no variance, so t is infinite; every resample of w is 0 and has a smaller |t|."""
    values = np.array([[0.4, 0.8, 0.2, 0.35], [0.3, 0.7, 0.1, 0.25]])
    outcome = Bootstrap().compare(values, PAIR)
    assert outcome.p[0] == 0
    assert outcome.statistic[0] == math.inf
    assert (outcome.low[0], outcome.high[0]) == pytest.approx((0.1, 0.1))
    assert Bootstrap().asl(values, PAIR)[1][0] == 0


def test_a_resample_without_variance_has_an_infinite_t():
    """With two topics, |t| is infinite for (w1, w1) and (w2, w2) but 0 for (w1, w2).

    ASL is the fraction of resamples with an infinite |t|.
    """
    values = np.array([[0.9, 0.5], [0.1, 0.4]])
    resampled_topics = draw_resamples(0, 1000, 2)
    assert Bootstrap().compare(values, PAIR).p[0] == sum(a == b for a, b in resampled_topics) / 1000


def test_rank_of_the_resample_that_gives_delta():
    """The rank ceil(alpha B) tolerates rounding errors: 0.07 x 100 gives 7, not 8."""
    values = np.random.default_rng(0).random((2, 12))
    z = (values[0] - values[1]).tolist()
    resampled_topics = draw_resamples(0, 100, 12)
    w = np.array(z) - np.mean(z)
    largest = sorted(resampled_topics, key=lambda topics: -abs(oracle.t(w[topics].tolist())))
    for alpha, rank in ((0.07, 7), (0.071, 8), (0.001, 1)):
        delta = Bootstrap(resamples=100).asl(values, PAIR, alpha)[1][0]
        assert delta == pytest.approx(abs(np.mean(w[largest[rank - 1]])), rel=1e-9)
    with pytest.raises(InputError, match=r"alpha must lie between 0 and 1, such as 0\.05, got 2"):
        Bootstrap().asl(values, PAIR, 2)


def test_the_interval_consists_of_percentiles():
    values = np.random.default_rng(2).random((2, 25))
    z = values[0] - values[1]
    means = [z[topics].mean() for topics in draw_resamples(6, 500, 25)]
    outcome = Bootstrap(resamples=500, seed=6).compare(values, PAIR, alpha=0.1)
    assert (outcome.low[0], outcome.high[0]) == pytest.approx(tuple(np.quantile(means, [0.05, 0.95])), rel=1e-9)


def test_pairs_with_missing_values():
    values = np.random.default_rng(8).random((3, 20))
    values[1, :4] = np.nan
    values[2, 18:] = np.nan
    asl, delta = Bootstrap(resamples=200).asl(values, np.array([[0, 1], [1, 2]]))
    for k, (i, j) in enumerate([(0, 1), (1, 2)]):
        z = values[i] - values[j]
        z = z[~np.isnan(z)]
        expected = oracle.bootstrap(z.tolist(), draw_resamples(0, 200, len(z)), 0.05)
        assert (asl[k], delta[k]) == pytest.approx(expected, abs=1e-12)
    asl, delta = Bootstrap().asl(values[:, :1], np.array([[0, 2]]))
    assert np.isnan([asl, delta]).all()


def test_close_to_the_t_test_for_many_topics():
    values = np.random.default_rng(5).normal(size=(8, 200)) + np.linspace(0, 0.3, 8)[:, None]
    pairs = np.array([[0, i] for i in range(1, 8)])
    np.testing.assert_allclose(
        Bootstrap(resamples=20_000).compare(values, pairs).p, T().compare(values, pairs).p, atol=0.02
    )
