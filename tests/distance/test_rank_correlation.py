"""Kendall's tau and tau-AP."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from assay.distance.rank_correlation import count_concordant_above, rank_correlation
from assay.errors import InputError
from oracles import rank_correlation as oracle

PAIRS = st.integers(2, 7).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, n), min_size=n, max_size=n)] * 2)
)  # fmt: skip
SCORES = [
    {
        "x": (0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992),
        "y": (0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988),
        "tau_ap": 0.8519, "symmetric": 0.8333, "a": 0.7454, "b": 0.7321,
    },
    {
        "x": (0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38),
        "y": (0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644),
        "tau_ap": 0.2504, "symmetric": 0.2880, "a": 0.2692, "b": 0.2970,
    },
    {
        "x": (0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445),
        "y": (0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25),
        "tau_ap": -0.6971, "symmetric": -0.668, "a": -0.5558, "b": -0.7047,
    },
]  # fmt: skip


def ranking(numbers):
    """Documents by ascending number, equal ones tied."""
    return [[i for i, each in enumerate(numbers) if each == value] for value in sorted(set(numbers))]


def mean(one, other):
    return None if one is None or other is None else (one + other) / 2


@pytest.mark.parametrize("scores", SCORES)
def test_values_of_the_package_of_urbano_and_marrero(scores):
    """ircor: tau-AP with the truth given, its mean of both directions, and both with scores rounded to one digit."""
    x, y = [-value for value in scores["x"]], [-value for value in scores["y"]]
    assert oracle.tau_ap(x, y) == pytest.approx(scores["tau_ap"], abs=5e-5)
    assert rank_correlation(ranking(x), ranking(y)).tau_ap == pytest.approx(scores["symmetric"], abs=5e-5)
    rounded_x, rounded_y = [round(value, 1) for value in x], [round(value, 1) for value in y]
    assert oracle.tau_ap_a(x, rounded_y) == pytest.approx(scores["a"], abs=5e-5)
    assert rank_correlation(ranking(rounded_x), ranking(rounded_y), tied="b").tau_ap == pytest.approx(
        scores["b"], abs=5e-5
    )


@settings(max_examples=200, derandomize=True, deadline=None)
@given(PAIRS, st.sampled_from("bw"))
def test_corrected_for_ties(numbers, tied):
    x, y = numbers
    found = rank_correlation(ranking(x), ranking(y), tied=tied)
    assert found.tau == pytest.approx(oracle.kendall(x, y, corrected=True), abs=1e-12)
    assert found.tau_ap == pytest.approx(mean(oracle.tau_ap_b_side(x, y), oracle.tau_ap_b_side(y, x)), abs=1e-12)
    assert found.shared == len(x)
    if found.tau is not None:
        assert found.tau == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.integers(2, 5).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, n), min_size=n, max_size=n)] * 2)))
def test_the_mean_over_all_orders(numbers):
    x, y = numbers
    found = rank_correlation(ranking(x), ranking(y), tied="a")
    assert found.tau == pytest.approx(oracle.kendall(x, y, corrected=False), abs=1e-12)
    assert found.tau_ap == pytest.approx((oracle.tau_ap_a(x, y) + oracle.tau_ap_a(y, x)) / 2, abs=1e-12)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.permutations(range(12)), st.permutations(range(5, 17)), st.integers(0, 12))
def test_only_shared_documents_count(a, b, depth):
    a, b = a[:depth], b[: depth + 3]
    shared = [doc for doc in a if doc in b]
    found = rank_correlation(a, b)
    assert found == rank_correlation(shared, [doc for doc in b if doc in a])
    assert found.shared == len(shared)
    assert (found.tau is None) == (found.tau_ap is None) == (len(shared) < 2)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.integers(2, 80).flatmap(lambda n: st.permutations(range(n))))
def test_long_rankings(order):
    found = rank_correlation(range(len(order)), order)
    placed = [order.index(i) for i in range(len(order))]
    assert found.tau == pytest.approx(oracle.kendall(range(len(order)), placed, corrected=True), abs=1e-12)
    sides = oracle.tau_ap(range(len(order)), placed), oracle.tau_ap(placed, range(len(order)))
    assert found.tau_ap == pytest.approx(mean(*sides), abs=1e-12)


def test_limits():
    docs = list(range(1500))
    assert rank_correlation(docs, docs)[:2] == (1, 1)
    assert rank_correlation(docs, docs[::-1])[:2] == (-1, -1)
    same = [[0, 1], 2, [3, 4, 5]]
    assert rank_correlation(same, same, tied="b")[:2] == pytest.approx((1, 1))
    assert rank_correlation(same, same, tied="a").tau == pytest.approx(11 / 15)
    assert rank_correlation(same, [[0, 1, 2, 3, 4, 5]], tied="b") == (None, None, 6)
    assert rank_correlation(same, [[0, 1, 2, 3, 4, 5]], tied="a") == pytest.approx((0, 0, 6))
    assert rank_correlation(same, [[5, 3, 4], 2, [0, 1]], tied="order").tau == pytest.approx(-11 / 15)


def test_the_top_weighs_more():
    swapped_above, swapped_below = rank_correlation("abcdef", "bacdef"), rank_correlation("abcdef", "abcdfe")
    assert swapped_above.tau == swapped_below.tau
    assert swapped_above.tau_ap < swapped_below.tau_ap


@pytest.mark.parametrize("n", [1, 40_000, 140_000])
def test_counts_of_very_long_rows(n):
    """Beyond the range of small whole numbers; the second row is shorter and runs backwards."""
    short = n // 2
    row = np.repeat([0, 1], [n, short])
    place = np.concatenate([np.arange(n), np.arange(short)])
    number = np.concatenate([np.arange(n), np.arange(short)[::-1]])
    found = count_concordant_above(row, place, number, np.array([n, short]))
    assert np.array_equal(found[:n], np.arange(n))
    assert not found[n:].any()


def test_bad_treatment():
    with pytest.raises(InputError, match="tied 'tau': choose one of order, w, a, b"):
        rank_correlation("ab", "ba", tied="tau")
