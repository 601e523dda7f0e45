"""Fisher's randomization test for pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

from assay.significance.tests.randomization import Randomization
from assay.significance.tests.t import T
from oracles import significance as oracle

PAIR = np.array([[0, 1]])
VALUE = st.one_of(st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0]), st.floats(-1, 1))
RUNS = st.integers(2, 9).flatmap(lambda n: st.tuples(*[st.lists(VALUE, min_size=n, max_size=n)] * 2))


@settings(max_examples=100, derandomize=True, deadline=None)
@given(RUNS)
def test_exact_p_value_agrees_with_the_definition(runs):
    """The p-value is the fraction of all sign flips with at least the observed |sum|, ties included."""
    values = np.array(runs).round(6)
    outcome = Randomization().compare(values, PAIR)
    assert outcome.p[0] == pytest.approx(oracle.randomization((values[0] - values[1]).tolist()), rel=1e-12)
    assert outcome.statistic[0] == pytest.approx(values[0].mean() - values[1].mean(), abs=1e-12)


@pytest.mark.parametrize("n", [4, 9, 12])
def test_exact_p_value_agrees_with_scipy(n):
    rng = np.random.default_rng(n)
    values = rng.random((2, n))
    scipy_result = permutation_test(
        tuple(values), lambda a, b, axis: np.mean(a - b, axis=axis), permutation_type="samples", n_resamples=np.inf,
        vectorized=True,
    )  # fmt: skip
    assert Randomization().compare(values, PAIR).p[0] == pytest.approx(scipy_result.pvalue, rel=1e-9)


def test_exact_up_to_the_number_of_resamples():
    """The test is exact if there are at most as many sign flips as resamples.

    Flipping all signs leaves the absolute mean unchanged, so 14 topics have 2^13 distinct flips, fewer than the 10,000
    resamples; 15 topics have 2^14, which is more.
    """
    values = np.random.default_rng(1).random((2, 15))
    exact = [Randomization(seed=seed).compare(values[:, :14], PAIR).p[0] for seed in (0, 1)]
    monte_carlo = [Randomization(seed=seed).compare(values, PAIR).p[0] for seed in (0, 1)]
    assert exact[0] == exact[1]
    assert (exact[0] * 2**13) % 1 == 0
    assert monte_carlo[0] != monte_carlo[1]
    for count, is_random in ((15, True), (16, False)):  # Five topics have 2^4 distinct flips.
        p_values = {Randomization(resamples=count, seed=seed).compare(values[:, :5], PAIR).p[0] for seed in range(9)}
        assert (len(p_values) > 1) == is_random
    exact_15 = Randomization(resamples=2**14).compare(values, PAIR).p[0]
    assert monte_carlo == pytest.approx([exact_15] * 2, abs=0.02)


def test_monte_carlo_p_value_agrees_with_the_definition():
    """All pairs use the same flips, and the observed signs count as one more resample."""
    values = np.round(np.random.default_rng(3).random((5, 20)), 1)
    pairs = np.array([[0, 1], [2, 3], [1, 4], [4, 0]])
    flips = np.where(np.random.default_rng(9).random((300, 20)) < 0.5, -1.0, 1.0)
    outcome = Randomization(resamples=300, seed=9).compare(values, pairs)
    for (i, j), p in zip(pairs, outcome.p, strict=True):
        assert p == pytest.approx(
            oracle.randomization_from_flips((values[i] - values[j]).tolist(), flips.tolist()), rel=1e-12
        )


def test_p_value_is_never_zero():
    values = np.array([np.arange(30) + 100.0, np.arange(30)])
    assert Randomization(resamples=99).compare(values, PAIR).p[0] == 1 / 100
    assert Randomization().compare(values[:, :5], PAIR).p[0] == 2 / 32


def test_close_to_the_t_test_for_many_topics():
    values = np.random.default_rng(5).normal(size=(8, 100)) + np.linspace(0, 0.4, 8)[:, None]
    pairs = np.array([[0, i] for i in range(1, 8)])
    np.testing.assert_allclose(
        Randomization(resamples=20_000).compare(values, pairs).p, T().compare(values, pairs).p, atol=0.02
    )
