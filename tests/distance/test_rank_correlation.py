"""Kendall's tau, tau-AP and Spearman's rho."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

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


def rank_by_number(numbers):
    """Rank documents by ascending number; equal numbers are tied."""
    return [[i for i, number in enumerate(numbers) if number == value] for value in sorted(set(numbers))]


def average(one, other):
    return None if one is None or other is None else (one + other) / 2


@pytest.mark.parametrize("scores", SCORES)
def test_published_values_of_ircor(scores):
    """Values of ircor (Urbano and Marrero): tau-AP, its symmetric form, and both with scores rounded to one digit."""
    x, y = [-value for value in scores["x"]], [-value for value in scores["y"]]
    assert oracle.tau_ap(x, y) == pytest.approx(scores["tau_ap"], abs=5e-5)
    assert rank_correlation(rank_by_number(x), rank_by_number(y)).tau_ap == pytest.approx(scores["symmetric"], abs=5e-5)
    rounded_x, rounded_y = [round(value, 1) for value in x], [round(value, 1) for value in y]
    assert oracle.tau_ap_a(x, rounded_y) == pytest.approx(scores["a"], abs=5e-5)
    assert rank_correlation(rank_by_number(rounded_x), rank_by_number(rounded_y), tied="b").tau_ap == pytest.approx(
        scores["b"], abs=5e-5
    )


@settings(max_examples=200, derandomize=True, deadline=None)
@given(PAIRS, st.sampled_from("bw"))
def test_correction_for_ties(numbers, tied):
    x, y = numbers
    correlation = rank_correlation(rank_by_number(x), rank_by_number(y), tied=tied)
    assert correlation.tau == pytest.approx(oracle.kendall(x, y, corrected=True), abs=1e-12)
    assert correlation.tau_ap == pytest.approx(
        average(oracle.tau_ap_b_side(x, y), oracle.tau_ap_b_side(y, x)), abs=1e-12
    )
    assert correlation.rho == pytest.approx(oracle.spearman(x, y), abs=1e-12)
    assert correlation.shared == len(x)
    if correlation.tau is not None:
        assert correlation.tau == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)
        assert correlation.rho == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.integers(2, 5).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, n), min_size=n, max_size=n)] * 2)))
def test_a_is_the_mean_over_all_orders(numbers):
    x, y = numbers
    correlation = rank_correlation(rank_by_number(x), rank_by_number(y), tied="a")
    assert correlation.tau == pytest.approx(oracle.kendall(x, y, corrected=False), abs=1e-12)
    assert correlation.tau_ap == pytest.approx((oracle.tau_ap_a(x, y) + oracle.tau_ap_a(y, x)) / 2, abs=1e-12)
    assert correlation.rho == pytest.approx(oracle.spearman_a(x, y), abs=1e-12)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.permutations(range(12)), st.permutations(range(5, 17)), st.integers(0, 12))
def test_only_shared_documents_count(a, b, depth):
    a, b = a[:depth], b[: depth + 3]
    shared = [doc for doc in a if doc in b]
    correlation = rank_correlation(a, b)
    assert correlation == rank_correlation(shared, [doc for doc in b if doc in a])
    assert correlation.shared == len(shared)
    assert (correlation.tau is None) == (correlation.tau_ap is None) == (len(shared) < 2)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.integers(2, 80).flatmap(lambda n: st.permutations(range(n))))
def test_long_rankings(order):
    correlation = rank_correlation(range(len(order)), order)
    positions = [order.index(i) for i in range(len(order))]
    assert correlation.tau == pytest.approx(oracle.kendall(range(len(order)), positions, corrected=True), abs=1e-12)
    directions = oracle.tau_ap(range(len(order)), positions), oracle.tau_ap(positions, range(len(order)))
    assert correlation.tau_ap == pytest.approx(average(*directions), abs=1e-12)


def test_extreme_values():
    docs = list(range(1500))
    assert rank_correlation(docs, docs)[:3] == (1, 1, 1)
    assert rank_correlation(docs, docs[::-1])[:3] == (-1, -1, -1)
    same = [[0, 1], 2, [3, 4, 5]]
    assert rank_correlation(same, same, tied="b")[:3] == pytest.approx((1, 1, 1))
    assert rank_correlation(same, same, tied="a").tau == pytest.approx(11 / 15)
    assert rank_correlation(same, [[0, 1, 2, 3, 4, 5]], tied="b") == (None, None, None, 6)
    assert rank_correlation(same, [[0, 1, 2, 3, 4, 5]], tied="a") == pytest.approx((0, 0, 0, 6))
    assert rank_correlation(same, [[5, 3, 4], 2, [0, 1]], tied="order").tau == pytest.approx(-11 / 15)


def test_tau_ap_weights_the_top_more():
    swap_at_top, swap_at_bottom = rank_correlation("abcdef", "bacdef"), rank_correlation("abcdef", "abcdfe")
    assert swap_at_top.tau == swap_at_bottom.tau
    assert swap_at_top.tau_ap < swap_at_bottom.tau_ap


@pytest.mark.parametrize("n", [1, 40_000, 140_000])
def test_counts_of_very_long_rows(n):
    """Counts beyond 16 bits (signed and unsigned); the second row is shorter and in reverse order."""
    short = n // 2
    row = np.repeat([0, 1], [n, short])
    position = np.concatenate([np.arange(n), np.arange(short)])
    number = np.concatenate([np.arange(n), np.arange(short)[::-1]])
    counts = count_concordant_above(row, position, number, np.array([n, short]))
    assert np.array_equal(counts[:n], np.arange(n))
    assert not counts[n:].any()


def test_unknown_treatment_is_rejected():
    with pytest.raises(InputError, match="tied 'tau': choose one of order, w, a, b"):
        rank_correlation("ab", "ba", tied="tau")
