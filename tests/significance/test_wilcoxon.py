"""Wilcoxon's signed-rank test (docs/reference/tests.md)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from assay.significance.tests.wilcoxon import Wilcoxon
from oracles import significance as oracle


def compare_with_zero(difference):
    """Compare a run that has these values with a run that is 0 on every topic."""
    outcome = Wilcoxon().compare(np.array([difference, np.zeros(len(difference))], dtype=float), np.array([[0, 1]]))
    return outcome.statistic[0], outcome.p[0]


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=12))
def test_ties_and_zeros_agree_with_the_definition(difference):
    if not any(difference):
        assert compare_with_zero(difference) == (0, 1)
        return
    assert compare_with_zero(difference) == pytest.approx(oracle.wilcoxon(difference), rel=1e-12)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.lists(st.integers(-400, 400), min_size=2, max_size=11, unique_by=abs))
def test_untied_differences_agree_with_the_definition(difference):
    assert compare_with_zero(difference) == pytest.approx(oracle.wilcoxon(difference), rel=1e-12)


@pytest.mark.parametrize("n", [2, 3, 10, 24, 25, 26, 27, 60])
@pytest.mark.parametrize("zeros", [0, 3])
def test_agrees_with_scipy_without_ties(n, zeros):
    """The p-value is exact for up to 25 nonzero differences and uses the normal approximation above that."""
    rng = np.random.default_rng(n)
    for _ in range(20):
        difference = rng.normal(size=n) + 0.3
        method = "exact" if n <= 25 else "asymptotic"
        scipy_result = wilcoxon(difference, correction=False, method=method)
        statistic, p = compare_with_zero(np.append(difference, np.zeros(zeros)))
        assert p == pytest.approx(scipy_result.pvalue, rel=1e-9)
        smaller_rank_sum = (n * (n + 1) / 2 - abs(statistic)) / 2  # This is the statistic that scipy reports.
        assert smaller_rank_sum == pytest.approx(scipy_result.statistic)


@pytest.mark.parametrize("n", [4, 12, 25, 50, 200])
def test_agrees_with_scipy_with_ties_and_zeros(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        difference = np.append(rng.integers(-5, 7, size=n - 2), [3, 3])
        scipy_result = wilcoxon(difference, zero_method="wilcox", correction=False, method="asymptotic")
        assert compare_with_zero(difference)[1] == pytest.approx(scipy_result.pvalue, rel=1e-9)


def test_ties_are_detected_despite_rounding():
    """0.5 - 0.3 and 0.3 - 0.1 are tied, although their floats differ."""
    assert 0.5 - 0.3 != 0.3 - 0.1
    values = np.array([[0.5, 0.3, 0.9, 0.2, 0.0, 0.6], [0.3, 0.1, 0.1, 0.3, 0.2, 0.1]])
    outcome = Wilcoxon().compare(values, np.array([[0, 1]]))
    expected = oracle.wilcoxon([2, 2, 8, -1, -2, 5])
    assert (outcome.statistic[0], outcome.p[0]) == pytest.approx(expected, rel=1e-12)


def test_pairs_of_different_kinds_in_one_call():
    """Pairs with many, few, tied and zero differences each follow their own rule."""
    rng = np.random.default_rng(4)
    rows = [rng.normal(size=30), np.append(rng.normal(size=10), np.zeros(20)), np.ones(30), np.zeros(30)]
    rows += [np.append(rng.integers(1, 4, size=6), np.zeros(24)), np.append([1.0], np.zeros(29))]
    values = np.array([*rows, np.zeros(30)])
    outcome = Wilcoxon().compare(values, np.array([[i, 6] for i in range(6)]))
    for row, statistic, p in zip(rows, outcome.statistic, outcome.p, strict=True):
        assert (statistic, p) == pytest.approx(compare_with_zero(row))
    assert outcome.p[3] == 1
    assert outcome.p[5] == 1
    assert outcome.p[2] == pytest.approx(wilcoxon(np.ones(30), correction=False, method="asymptotic").pvalue)
    assert outcome.p[1] == pytest.approx(wilcoxon(rows[1][:10], method="exact").pvalue)
