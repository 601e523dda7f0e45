"""Significance tests, corrections and effect sizes in plain loops (docs/reference/tests.md)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from math import ceil, comb, erfc, gamma, inf, isnan, nan, sqrt

# Three systems over 20 topics: T. Sakai, Joho akusesu hyoka hohoron, 2015, Table 5.1.
SAKAI = (
    (0.7, 0.3, 0.2, 0.6, 0.4, 0.4, 0.0, 0.7, 0.1, 0.3, 0.5, 0.4, 0.0, 0.6, 0.5, 0.3, 0.1, 0.5, 0.2, 0.1),
    (0.5, 0.1, 0.0, 0.2, 0.4, 0.3, 0.0, 0.5, 0.3, 0.3, 0.4, 0.4, 0.1, 0.4, 0.2, 0.1, 0.1, 0.6, 0.3, 0.2),
    (0.0, 0.0, 0.2, 0.1, 0.3, 0.3, 0.1, 0.2, 0.4, 0.4, 0.4, 0.3, 0.3, 0.2, 0.2, 0.2, 0.1, 0.5, 0.4, 0.3),
)


def mean(z: Sequence[float]) -> float:
    return sum(z) / len(z)


def standard_deviation(z: Sequence[float]) -> float:
    """Return the standard deviation with divisor n - 1; a deviation due to rounding only becomes 0."""
    middle = mean(z)
    spread = sqrt(sum((each - middle) ** 2 for each in z) / (len(z) - 1))
    return 0.0 if spread <= 1e-11 * max(map(abs, z)) else spread


def t(z: Sequence[float]) -> float:
    """Return t = mean / (sd / sqrt(n)); infinite if sd = 0, and 0 if the mean is 0 as well."""
    middle, spread = mean(z), standard_deviation(z)
    if abs(middle) <= 1e-12:
        middle = 0.0
    if spread == 0:
        return 0.0 if middle == 0 else inf * middle
    return middle / (spread / sqrt(len(z)))


def ranks(sizes: Sequence[float]) -> list[float]:
    """Return mid-ranks: 1 + number of smaller values + half the number of other equal values."""
    mid_ranks = []
    for i, each in enumerate(sizes):
        smaller = sum(other < each - 1e-9 for other in sizes)
        same = sum(abs(other - each) <= 1e-9 for j, other in enumerate(sizes) if j != i)
        mid_ranks.append(1 + smaller + same / 2)
    return mid_ranks


def wilcoxon(z: Sequence[float]) -> tuple[float, float]:
    """Return W+ - W- and the p-value; the exact one enumerates all signs of the ranks."""
    nonzero = [each for each in z if abs(each) > 1e-12]
    rank = ranks([abs(each) for each in nonzero])
    score = sum(r if each > 0 else -r for each, r in zip(nonzero, rank, strict=True))
    m = len(nonzero)
    if len(set(rank)) == m <= 25:
        scores = [sum(r * sign for r, sign in zip(rank, signs, strict=True)) for signs in product((-1, 1), repeat=m)]
        return score, sum(abs(other) >= abs(score) for other in scores) / len(scores)
    ties = sum(rank.count(r) ** 3 - rank.count(r) for r in set(rank))
    z_score = score / 2 / sqrt(m * (m + 1) * (2 * m + 1) / 24 - ties / 48)
    return score, erfc(abs(z_score) / sqrt(2))


def sign(z: Sequence[float]) -> tuple[int, float]:
    won, lost = sum(each > 1e-12 for each in z), sum(each < -1e-12 for each in z)
    tail = sum(comb(won + lost, k) for k in range(min(won, lost) + 1)) / 2 ** (won + lost)
    return won - lost, min(1, 2 * tail)


def randomization(z: Sequence[float]) -> float:
    """Return the exact p-value: the fraction of all sign flips with at least the observed |sum|."""
    observed = abs(sum(z))
    sums = [
        abs(sum(each * flip for each, flip in zip(z, flips, strict=True))) for flips in product((-1, 1), repeat=len(z))
    ]
    return sum(each >= observed - 1e-9 for each in sums) / len(sums)


def randomization_from_flips(z: Sequence[float], flips: Sequence[Sequence[float]]) -> float:
    """Return the Monte Carlo p-value (k + 1) / (B + 1) for given sign flips."""
    sums = [abs(sum(each * flip for each, flip in zip(z, row, strict=True))) for row in flips]
    return (1 + sum(each >= abs(sum(z)) - 1e-9 for each in sums)) / (1 + len(sums))


def bootstrap(z: Sequence[float], resamples: Sequence[Sequence[int]], alpha: float) -> tuple[float, float]:
    """Return ASL and Delta of a pair for given resamples of topics."""
    if all(each == 0 for each in z):
        return 1.0, nan
    middle, observed = mean(z), abs(t(z))
    w = [each - middle for each in z]
    w = [0.0 if abs(each) <= 1e-12 else each for each in w]
    samples = [[w[topic] for topic in topics] for topics in resamples]
    sizes = [abs(t(each)) for each in samples]
    asl = sum(size >= observed * (1 - 1e-9) for size in sizes) / len(sizes)
    order = sorted(range(len(sizes)), key=lambda b: -sizes[b])  # Stable: the earlier resample comes first.
    return asl, abs(mean(samples[order[ceil(alpha * len(sizes) - 1e-9) - 1]]))


def residual_mean_square(values: Sequence[Sequence[float]]) -> float:
    """Return the residual mean square of the two-way layout without replication."""
    of_run = [mean(row) for row in values]
    of_topic = [mean(column) for column in zip(*values, strict=True)]
    total = 0.0
    for i, row in enumerate(values):
        for j, each in enumerate(row):
            total += (each - of_run[i] - of_topic[j] + mean(of_run)) ** 2
    return total / ((len(of_run) - 1) * (len(of_topic) - 1))


def randomized_tukey(values: Sequence[Sequence[float]], difference: float) -> float:
    """Return the probability of at least this difference between best and worst mean.

    It is computed over all permutations of the values within each topic.
    """
    ranges = []
    for orders in product(*(list(permutations(column)) for column in zip(*values, strict=True))):
        means = [mean(row) for row in zip(*orders, strict=True)]
        ranges.append(max(means) - min(means))
    return sum(each >= abs(difference) - 1e-9 for each in ranges) / len(ranges)


def adjust(p: Sequence[float], correction: str) -> list[float]:
    """Return adjusted p-values by definition: the smallest alpha at which the procedure rejects."""
    tested = [each for each in p if not isnan(each)]
    m = len(tested)
    adjusted = []
    for each in p:
        if isnan(each):
            adjusted.append(nan)
        elif correction == "none":
            adjusted.append(each)
        elif correction == "bonferroni":
            adjusted.append(min(1, m * each))
        elif correction == "holm":  # All p-values up to this one must be rejected, the smallest first.
            before = sorted(other for other in tested if other <= each)
            adjusted.append(min(1, max((m - i) * other for i, other in enumerate(before))))
        else:  # A p-value at least as large as this one must be below its fraction of alpha.
            ordered = sorted(tested)
            adjusted.append(min(1, *(m * other / (i + 1) for i, other in enumerate(ordered) if other >= each)))
    return adjusted


def hedges_g(z: Sequence[float]) -> float:
    v = len(z) - 1
    return gamma(v / 2) / (sqrt(v / 2) * gamma((v - 1) / 2)) * mean(z) / standard_deviation(z)
