"""Tukey's honestly significant differences, blocked by topic."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import studentized_range, ttest_rel

from assay.significance.tests.tukey import Tukey
from oracles import significance as oracle


def all_pairs(runs):
    return np.array(list(combinations(range(runs), 2)))


@pytest.mark.parametrize(("runs", "topics"), [(2, 2), (3, 2), (3, 20), (6, 11), (12, 40)])
def test_agrees_with_the_definition(runs, topics):
    rng = np.random.default_rng(runs)
    values = rng.random((runs, topics)) + rng.random(topics) + np.arange(runs)[:, None] / 10
    pairs = all_pairs(runs)
    outcome = Tukey().compare(values, pairs, alpha=0.1)
    error = np.sqrt(oracle.residual_mean_square(values.tolist()) / topics)
    degrees_of_freedom = (runs - 1) * (topics - 1)
    critical = studentized_range.ppf(0.9, runs, degrees_of_freedom)
    for k, (i, j) in enumerate(pairs):
        difference = values[i].mean() - values[j].mean()
        assert outcome.statistic[k] == pytest.approx(difference / error, rel=1e-9)
        assert outcome.p[k] == pytest.approx(
            studentized_range.sf(abs(difference / error), runs, degrees_of_freedom), abs=1e-9
        )
        assert outcome.low[k] == pytest.approx(difference - critical * error, rel=1e-6, abs=1e-9)
        assert outcome.high[k] == pytest.approx(difference + critical * error, rel=1e-6, abs=1e-9)


def test_two_runs_agree_with_the_paired_t_test():
    """A test of independent samples would differ, because topics vary far more than runs."""
    rng = np.random.default_rng(1)
    values = rng.random(30) + rng.normal(size=(2, 30)) / 50 + np.array([[0.01], [0.0]])
    outcome, scipy_result = Tukey().compare(values, np.array([[0, 1]])), ttest_rel(*values)
    assert outcome.p[0] == pytest.approx(scipy_result.pvalue, rel=1e-9)
    assert outcome.statistic[0] == pytest.approx(scipy_result.statistic * np.sqrt(2), rel=1e-9)
    assert outcome.low[0] == pytest.approx(scipy_result.confidence_interval().low, rel=1e-9)


def test_agrees_with_the_example_of_sakai():
    """Sakai reports differences of 0.507, 0.676 and 0.169 residual standard deviations."""
    outcome = Tukey().compare(np.array(oracle.SAKAI), all_pairs(3))
    np.testing.assert_allclose(outcome.statistic / np.sqrt(20), [0.5070, 0.6760, 0.1690], atol=1e-4)


def test_zero_residual():
    """With a zero residual, any difference between means has p = 0."""
    values = np.array([0.1, 0.5, 0.2]) + np.array([[0.0], [0.3], [0.0], [0.1]])
    outcome = Tukey().compare(values, all_pairs(4))
    assert outcome.p.tolist() == [0, 1, 0, 0, 0, 0]
    assert outcome.statistic.tolist() == [-np.inf, 0, -np.inf, np.inf, np.inf, -np.inf]


def test_runs_without_a_pair_belong_to_the_family():
    values = np.random.default_rng(6).random((5, 9))
    whole = Tukey().compare(values, all_pairs(5))
    assert Tukey().compare(values, np.array([[0, 1]])).p[0] == pytest.approx(whole.p[0], rel=1e-12)
    assert Tukey().compare(values[:2], np.array([[0, 1]])).p[0] != pytest.approx(whole.p[0], rel=1e-2)


def test_many_runs_agree_with_scipy():
    """With this many pairs, p-values are interpolated."""
    rng = np.random.default_rng(3)
    values = rng.random(20) + rng.normal(size=(40, 20)) / 5 + np.arange(40)[:, None] / 40
    outcome = Tukey().compare(values, all_pairs(40))
    sample = np.argsort(outcome.p)[::97]
    expected = studentized_range.sf(np.abs(outcome.statistic[sample]), 40, 39 * 19)
    np.testing.assert_allclose(outcome.p[sample], expected, atol=1e-9)
