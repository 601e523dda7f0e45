"""Kendall's tau, tau-AP and Spearman's rho in plain loops over numbers (smaller is better); equal numbers are tied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product
from math import sqrt


def sign(number: float) -> int:
    return (number > 0) - (number < 0)


def kendall(x: Sequence[float], y: Sequence[float], corrected: bool) -> float | None:
    """Return tau-b, or tau-a if not *corrected* for ties."""
    pairs = list(combinations(range(len(x)), 2))
    score = sum(sign(x[i] - x[j]) * sign(y[i] - y[j]) for i, j in pairs)
    if not corrected:
        return score / len(pairs) if pairs else None
    untied = [sum(z[i] != z[j] for i, j in pairs) for z in (x, y)]
    return score / sqrt(untied[0] * untied[1]) if all(untied) else None


def tau_ap(truth: Sequence[float], estimate: Sequence[float]) -> float:
    """tau-AP without ties: equation 5 of Yilmaz, Aslam & Robertson (2008), over the ranks of the estimate."""
    n = len(truth)
    order = sorted(range(n), key=lambda i: estimate[i])
    total = 0.0
    for index in range(1, n):
        above = [j for j in order[:index] if truth[j] < truth[order[index]]]
        total += len(above) / index
    return 2 / (n - 1) * total - 1


def break_ties(numbers: Sequence[float]) -> Iterator[list[float]]:
    """Yield all untied orders consistent with the numbers, as ranks."""
    groups = [[i for i, number in enumerate(numbers) if number == value] for value in sorted(set(numbers))]
    for order_of_groups in product(*(permutations(group) for group in groups)):
        ranks = [0.0] * len(numbers)
        for rank, i in enumerate(i for group in order_of_groups for i in group):
            ranks[i] = float(rank)
        yield ranks


def tau_ap_a(truth: Sequence[float], estimate: Sequence[float]) -> float:
    """tau-AP-a: the mean of tau-AP over all orders of tied items in both rankings."""
    values = [tau_ap(x, y) for x in break_ties(truth) for y in break_ties(estimate)]
    return sum(values) / len(values)


def tau_ap_b_side(x: Sequence[float], y: Sequence[float]) -> float | None:
    """tau-AP-b in one direction (Urbano & Marrero 2017): mean over the items below the first group of y."""
    below = [i for i in range(len(y)) if y[i] > min(y)]
    total = 0.0
    for i in below:
        above = [j for j in range(len(y)) if y[j] < y[i]]
        total += sum(x[j] < x[i] for j in above) / len(above)
    return 2 / len(below) * total - 1 if below else None


def spearman(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Spearman's rho: the correlation coefficient of the ranks; equal numbers share the mean of their ranks."""
    ranks = [[sum(w < v for w in z) + (z.count(v) + 1) / 2 for v in z] for z in (list(x), list(y))]
    centred = [[rank - (len(z) + 1) / 2 for rank in z] for z in ranks]
    squares = [sum(rank * rank for rank in z) for z in centred]
    return sum(a * b for a, b in zip(*centred, strict=True)) / sqrt(squares[0] * squares[1]) if all(squares) else None


def spearman_a(x: Sequence[float], y: Sequence[float]) -> float | None:
    """The mean of rho over all orders of tied items in both rankings."""
    values = [spearman(one, other) for one in break_ties(x) for other in break_ties(y)]
    return None if None in values else sum(values) / len(values)
