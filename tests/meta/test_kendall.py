"""Kendall's tau and tau-AP of orders of systems: against loops, against scipy, against rankings of documents."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st
from scipy.stats import kendalltau

from assay.distance.rank_correlation import rank_correlation
from assay.meta import kendall
from assay.meta.kendall import taus
from oracles import kendall as oracle
from strategies import many_examples

VALUES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, -3.0, 1e300, 1e-300])
DISTINCT = st.permutations(range(8))


def orders(least: int = 0, most: int = 7) -> st.SearchStrategy[list[list[float]]]:
    """Several orders of the same systems, with ties."""
    return st.integers(least, most).flatmap(
        lambda n: st.lists(st.lists(VALUES, min_size=n, max_size=n), min_size=1, max_size=4)
    )


def same(got: float, want: float | None, tolerance: float = 1e-12) -> bool:
    return math.isnan(got) if want is None else abs(got - want) <= tolerance


@many_examples(150, given=orders())
def test_the_definition(given):
    found = taus(np.array(given).reshape(len(given), -1))
    for i, x in enumerate(given):
        for j, y in enumerate(given):
            ways = oracle.tau_ap(x, y), oracle.tau_ap(y, x)
            assert same(found.tau[i, j], oracle.tau_b(x, y))
            assert same(found.estimated[i, j], ways[0] if len(set(x)) > 1 else None)
            assert same(found.tau_ap[i, j], None if None in ways else sum(ways) / 2)


@many_examples(60, x=st.permutations(range(6)), y=st.permutations(range(6)))
def test_p_values_without_ties_are_shares_of_all_orders(x, y):
    assert taus(x, y).p[0, 0] == pytest.approx(oracle.exact_p(x, y), abs=1e-12)


@many_examples(60, x=st.lists(VALUES, min_size=3, max_size=30), seed=st.integers(0, 99))
def test_p_values_with_ties_are_normal(x, seed):
    y = np.random.default_rng(seed).integers(0, 5, len(x)).tolist()
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    assume(len(set(x)) < len(x) or len(set(y)) < len(y))
    assert taus(x, y).p[0, 0] == pytest.approx(oracle.normal_p(x, y), rel=1e-9)


@pytest.mark.parametrize("systems", [2, 3, 4, 5, 10, 32, 33, 34, 35, 60, 129, 172, 200])
@pytest.mark.parametrize("ties", ["none", "one", "both"])
@pytest.mark.parametrize("noise", [0.0, 0.01, 0.2, 5.0])
def test_scipy(systems, ties, noise):
    rng = np.random.default_rng(systems)
    x = rng.random(systems)
    y = x + noise * rng.random(systems)
    if ties != "none":
        y = np.floor(6 * y)
    if ties == "both":
        x = np.floor(6 * x)
    for second in (y, -y):
        found, theirs = taus(x, second), kendalltau(x, second)
        assert same(found.tau[0, 0], None if math.isnan(theirs.statistic) else theirs.statistic)
        if not math.isnan(theirs.statistic):
            assert found.p[0, 0] == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("systems", [34, 50])
@pytest.mark.parametrize("swaps", [0, 1, 2])
def test_scipy_where_all_but_a_pair_agree(systems, swaps):
    x = np.arange(systems)
    y = x.copy()
    for i in range(swaps):
        y[[3 * i, 3 * i + 1]] = y[[3 * i + 1, 3 * i]]
    for second in (y, -y):
        assert taus(x, second).p[0, 0] == pytest.approx(kendalltau(x, second).pvalue, rel=1e-9)


@many_examples(100, x=DISTINCT, y=DISTINCT)
def test_orders_of_systems_are_rankings_of_documents(x, y):
    """The same numbers as the correlation of rankings, which sees the systems listed best first."""
    listed = [[i for i, _ in sorted(enumerate(z), key=lambda pair: -pair[1])] for z in (x, y)]
    want, got = rank_correlation(*listed), taus(x, y)
    assert got.tau[0, 0] == pytest.approx(want.tau, abs=1e-12)
    assert got.tau_ap[0, 0] == pytest.approx(want.tau_ap, abs=1e-12)


@many_examples(100, given=orders(2))
def test_ties_are_treated_as_in_rankings_of_documents(given):
    x, y = given[0], given[-1]
    groups = [[{i for i, v in enumerate(z) if v == value} for value in sorted(set(z), reverse=True)] for z in (x, y)]
    want, got = rank_correlation(*groups, tied="b"), taus(x, y)
    assert same(got.tau[0, 0], want.tau)
    assert same(got.tau_ap[0, 0], want.tau_ap)


def test_an_order_and_itself_and_its_reverse():
    found = taus(np.array([[3, 2, 1, 0], [0, 1, 2, 3]]))
    assert found.tau.tolist() == [[1, -1], [-1, 1]]
    assert found.tau_ap == pytest.approx(np.array([[1, -1], [-1, 1]]))
    assert found.p == pytest.approx(2 / 24)


def test_the_best_systems_matter_more_to_tau_ap():
    top, bottom = taus([3, 4, 2, 1], [4, 3, 2, 1]), taus([4, 3, 1, 2], [4, 3, 2, 1])
    assert top.tau == bottom.tau
    assert top.tau_ap[0, 0] < bottom.tau_ap[0, 0]


def test_tau_ap_reads_the_estimate():
    estimate, truth = [4, 3, 2, 1], [1, 4, 3, 2]
    assert taus(estimate, truth).estimated[0, 0] == pytest.approx(2 / 3 * (0 / 1 + 1 / 2 + 2 / 3) - 1)
    assert taus(truth, estimate).estimated[0, 0] == pytest.approx(2 / 3 * (1 / 1 + 2 / 2 + 0 / 3) - 1)


def test_systems_without_a_value_are_the_worst_and_infinity_is_a_value():
    assert taus([np.nan, 1, np.inf], [-5, 1, 2]).tau[0, 0] == 1
    assert taus([np.nan, np.nan, 1], [1, 1, 2]).tau[0, 0] == 1


@pytest.mark.parametrize("systems", [0, 1])
def test_too_few_systems(systems):
    found = taus(np.ones((2, systems)))
    assert all(np.isnan(value).all() and value.shape == (2, 2) for value in found)


def test_blocks_do_not_matter(monkeypatch):
    values = np.random.default_rng(0).integers(0, 9, (3, 40))
    whole = taus(values)
    monkeypatch.setattr(kendall, "_CELLS", 1)
    for got, want in zip(taus(values), whole, strict=True):
        assert got == pytest.approx(want, abs=1e-14)
