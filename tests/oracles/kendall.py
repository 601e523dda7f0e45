"""Rank correlation of two orders of systems (larger values are better) in plain loops."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from math import erfc, sqrt

from oracles.rank_correlation import kendall, spearman, tau_ap_b_side

__all__ = ["discordant", "exact_p", "normal_p", "spearman", "tau_ap", "tau_b"]


def tau_b(x: Sequence[float], y: Sequence[float]) -> float | None:
    """tau-b = (C - D) / sqrt(pairs not tied in x * pairs not tied in y)."""
    return kendall(x, y, corrected=True)


def tau_ap(estimate: Sequence[float], truth: Sequence[float]) -> float | None:
    """tau-AP: for each system below the first group of the estimate, the fraction of correctly ordered ones above."""
    if len(set(truth)) < 2:
        return None
    return tau_ap_b_side([-value for value in truth], [-value for value in estimate])


def discordant(x: Sequence[float], y: Sequence[float]) -> int:
    """Return the number of discordant pairs."""
    return sum((x[i] - x[j]) * (y[i] - y[j]) < 0 for i, j in combinations(range(len(x)), 2))


def exact_p(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the two-sided exact p-value without ties: the fraction of orders with at least the observed |tau|."""
    pairs = len(x) * (len(x) - 1) // 2
    observed = abs(pairs - 2 * discordant(x, y))
    orders = list(permutations(range(len(x))))
    return sum(abs(pairs - 2 * discordant(range(len(x)), order)) >= observed for order in orders) / len(orders)


def normal_p(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the p-value by the normal approximation with the tie-corrected variance (Kendall 1948, section 4.4)."""
    n = len(x)
    score = 0
    for i, j in combinations(range(n), 2):
        product = (x[i] - x[j]) * (y[i] - y[j])
        score += (product > 0) - (product < 0)
    groups = [[list(z).count(value) for value in set(z)] for z in (x, y)]
    second = [sum(t * (t - 1) * (2 * t + 5) for t in sizes) for sizes in groups]
    first = [sum(t * (t - 1) for t in sizes) for sizes in groups]
    third = [sum(t * (t - 1) * (t - 2) for t in sizes) for sizes in groups]
    variance = (n * (n - 1) * (2 * n + 5) - sum(second)) / 18
    variance += first[0] * first[1] / (2 * n * (n - 1))
    if n > 2:
        variance += third[0] * third[1] / (9 * n * (n - 1) * (n - 2))
    return erfc(abs(score) / sqrt(2 * variance))
