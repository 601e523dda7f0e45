"""Kendall's tau, tau-AP and Spearman's rho of system orders, compared with loops, scipy and rankings of documents."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from assay.distance.rank_correlation import rank_correlation
from assay.meta import kendall
from assay.meta.kendall import taus
from oracles import kendall as oracle
from strategies import many_examples

VALUES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, -3.0, 1e300, 1e-300])
DISTINCT = st.permutations(range(8))


def system_orders(min_systems: int = 0, max_systems: int = 7) -> st.SearchStrategy[list[list[float]]]:
    """Return a strategy for several orders of the same systems, with ties."""
    return st.integers(min_systems, max_systems).flatmap(
        lambda n: st.lists(st.lists(VALUES, min_size=n, max_size=n), min_size=1, max_size=4)
    )


def is_close(actual: float, expected: float | None, tolerance: float = 1e-12) -> bool:
    return math.isnan(actual) if expected is None else abs(actual - expected) <= tolerance


@many_examples(150, values=system_orders())
def test_agrees_with_the_definition(values):
    result = taus(np.array(values).reshape(len(values), -1))
    for i, x in enumerate(values):
        for j, y in enumerate(values):
            directed = oracle.tau_ap(x, y), oracle.tau_ap(y, x)
            assert is_close(result.tau[i, j], oracle.tau_b(x, y))
            assert is_close(result.estimated[i, j], directed[0] if len(set(x)) > 1 else None)
            assert is_close(result.tau_ap[i, j], None if None in directed else sum(directed) / 2)
            assert is_close(result.rho[i, j], oracle.spearman(x, y))


@many_examples(60, x=st.permutations(range(6)), y=st.permutations(range(6)))
def test_p_without_ties_is_a_fraction_of_all_orders(x, y):
    assert taus(x, y).p[0, 0] == pytest.approx(oracle.exact_p(x, y), abs=1e-12)


@many_examples(60, x=st.lists(VALUES, min_size=3, max_size=30), seed=st.integers(0, 99))
def test_p_with_ties_uses_the_normal_approximation(x, seed):
    y = np.random.default_rng(seed).integers(0, 5, len(x)).tolist()
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    assume(len(set(x)) < len(x) or len(set(y)) < len(y))
    assert taus(x, y).p[0, 0] == pytest.approx(oracle.normal_p(x, y), rel=1e-9)


@pytest.mark.parametrize("systems", [2, 3, 4, 5, 10, 32, 33, 34, 35, 60, 129, 172, 200])
@pytest.mark.parametrize("ties", ["none", "one", "both"])
@pytest.mark.parametrize("noise", [0.0, 0.01, 0.2, 5.0])
def test_agrees_with_scipy(systems, ties, noise):
    rng = np.random.default_rng(systems)
    x = rng.random(systems)
    y = x + noise * rng.random(systems)
    if ties != "none":
        y = np.floor(6 * y)
    if ties == "both":
        x = np.floor(6 * x)
    for second in (y, -y):
        result, scipy_result = taus(x, second), kendalltau(x, second)
        assert is_close(result.tau[0, 0], None if math.isnan(scipy_result.statistic) else scipy_result.statistic)
        if not math.isnan(scipy_result.statistic):
            assert result.p[0, 0] == pytest.approx(scipy_result.pvalue, rel=1e-9, abs=1e-300)
            assert result.rho[0, 0] == pytest.approx(spearmanr(x, second).statistic, abs=1e-12)


@pytest.mark.parametrize("systems", [34, 50])
@pytest.mark.parametrize("swaps", [0, 1, 2])
def test_agrees_with_scipy_for_nearly_equal_orders(systems, swaps):
    x = np.arange(systems)
    y = x.copy()
    for i in range(swaps):
        y[[3 * i, 3 * i + 1]] = y[[3 * i + 1, 3 * i]]
    for second in (y, -y):
        assert taus(x, second).p[0, 0] == pytest.approx(kendalltau(x, second).pvalue, rel=1e-9)


@many_examples(100, x=DISTINCT, y=DISTINCT)
def test_agrees_with_rankings_of_documents(x, y):
    """Taus of scores agree with the correlation of rankings that list the systems best first."""
    rankings = [[i for i, _ in sorted(enumerate(z), key=lambda pair: -pair[1])] for z in (x, y)]
    expected, actual = rank_correlation(*rankings), taus(x, y)
    assert actual.tau[0, 0] == pytest.approx(expected.tau, abs=1e-12)
    assert actual.tau_ap[0, 0] == pytest.approx(expected.tau_ap, abs=1e-12)
    assert actual.rho[0, 0] == pytest.approx(expected.rho, abs=1e-12)


@many_examples(100, values=system_orders(2))
def test_ties_agree_with_rankings_of_documents(values):
    x, y = values[0], values[-1]
    groups = [[{i for i, v in enumerate(z) if v == value} for value in sorted(set(z), reverse=True)] for z in (x, y)]
    expected, actual = rank_correlation(*groups, tied="b"), taus(x, y)
    assert is_close(actual.tau[0, 0], expected.tau)
    assert is_close(actual.tau_ap[0, 0], expected.tau_ap)
    assert is_close(actual.rho[0, 0], expected.rho)


def test_identical_and_reversed_orders():
    result = taus(np.array([[3, 2, 1, 0], [0, 1, 2, 3]]))
    assert result.tau.tolist() == [[1, -1], [-1, 1]]
    assert result.tau_ap == pytest.approx(np.array([[1, -1], [-1, 1]]))
    assert result.p == pytest.approx(2 / 24)


def test_tau_ap_gives_more_weight_to_the_best_systems():
    top, bottom = taus([3, 4, 2, 1], [4, 3, 2, 1]), taus([4, 3, 1, 2], [4, 3, 2, 1])
    assert top.tau == bottom.tau
    assert top.tau_ap[0, 0] < bottom.tau_ap[0, 0]


def test_rho_penalises_large_moves():
    """One system that moves by three ranks has the same tau as three exchanges of neighbours, but a lower rho."""
    one, three = taus([5, 6, 4, 3, 2, 1], [6, 5, 4, 3, 2, 1]), taus([6, 5, 4, 3, 2, 1], [5, 6, 3, 4, 1, 2])
    far = taus([3, 6, 5, 4, 2, 1], [6, 5, 4, 3, 2, 1])
    assert far.tau == three.tau
    assert far.rho[0, 0] == pytest.approx(1 - 6 * 12 / 210)
    assert three.rho[0, 0] == pytest.approx(1 - 6 * 6 / 210)
    assert one.rho[0, 0] == pytest.approx(1 - 6 * 2 / 210)


def test_directed_tau_ap_follows_the_estimate():
    estimate, truth = [4, 3, 2, 1], [1, 4, 3, 2]
    assert taus(estimate, truth).estimated[0, 0] == pytest.approx(2 / 3 * (0 / 1 + 1 / 2 + 2 / 3) - 1)
    assert taus(truth, estimate).estimated[0, 0] == pytest.approx(2 / 3 * (1 / 1 + 2 / 2 + 0 / 3) - 1)


def test_missing_values_rank_last_and_infinity_counts():
    assert taus([np.nan, 1, np.inf], [-5, 1, 2]).tau[0, 0] == 1
    assert taus([np.nan, np.nan, 1], [1, 1, 2]).tau[0, 0] == 1


@pytest.mark.parametrize("systems", [0, 1])
def test_fewer_than_two_systems_give_nan(systems):
    result = taus(np.ones((2, systems)))
    assert all(np.isnan(value).all() and value.shape == (2, 2) for value in result)


def test_block_size_does_not_matter(monkeypatch):
    values = np.random.default_rng(0).integers(0, 9, (3, 40))
    whole = taus(values)
    monkeypatch.setattr(kendall, "_CELLS", 1)
    for actual, expected in zip(taus(values), whole, strict=True):
        assert actual == pytest.approx(expected, abs=1e-14)
