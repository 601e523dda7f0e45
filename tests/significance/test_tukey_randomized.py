"""Tukey's honestly significant differences by randomization."""

from itertools import combinations

import numpy as np
import pytest

from assay.significance.tests.randomization import Randomization
from assay.significance.tests.tukey_randomized import TukeyRandomized
from oracles import significance as oracle


@pytest.mark.parametrize(("runs", "topics"), [(2, 2), (2, 6), (3, 4), (4, 3)])
@pytest.mark.parametrize("digits", [1, 6])
def test_p_is_close_to_the_fraction_of_all_permutations(runs, topics, digits):
    values = np.random.default_rng(runs).random((runs, topics)).round(digits)
    pairs = np.array(list(combinations(range(runs), 2)))
    outcome = TukeyRandomized(resamples=20_000).compare(values, pairs)
    for k, (i, j) in enumerate(pairs):
        expected = oracle.randomized_tukey(values.tolist(), float(values[i].mean() - values[j].mean()))
        assert outcome.p[k] == pytest.approx(expected, abs=5 * np.sqrt(expected * (1 - expected) / 20_000) + 1e-4)
        assert outcome.statistic[k] == pytest.approx(values[i].mean() - values[j].mean(), abs=1e-12)


def test_two_runs_agree_with_the_randomization_test():
    values = np.random.default_rng(4).random((2, 10)) + np.array([[0.2], [0.0]])
    exact = Randomization().compare(values, np.array([[0, 1]])).p[0]
    assert TukeyRandomized(resamples=20_000).compare(values, np.array([[0, 1]])).p[0] == pytest.approx(exact, abs=0.01)


def test_interval_excludes_zero_if_and_only_if_p_is_at_most_alpha():
    rng = np.random.default_rng(7)
    values = rng.random(15) + rng.normal(size=(8, 15)) / 10 + np.arange(8)[:, None] / 50
    pairs = np.array(list(combinations(range(8), 2)))
    outcome = TukeyRandomized(resamples=999).compare(values, pairs, alpha=0.1)
    excludes_zero = (outcome.low > 0) | (outcome.high < 0)
    assert excludes_zero.any()
    assert not excludes_zero.all()
    assert (excludes_zero == (outcome.p <= 0.1)).all()


def test_p_value_is_never_zero():
    values = np.arange(30) + np.array([[0.0], [500.0], [1000.0]])
    outcome = TukeyRandomized(resamples=99).compare(values, np.array([[0, 2], [0, 1]]))
    assert outcome.p[0] == 1 / 100


def test_the_example_of_sakai_is_not_significant():
    """The first two of three systems differ for the paired t test (p = 0.048), but not within the family of three."""
    outcome = TukeyRandomized().compare(np.array(oracle.SAKAI), np.array([[0, 1], [0, 2], [1, 2]]))
    assert outcome.p[0] > 0.2
    assert outcome.p.argsort().tolist() == [1, 0, 2]
