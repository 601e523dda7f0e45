"""Rank correlation between orders of systems: Kendall's tau-b with its p-value, tau-AP and Spearman's rho.

An order is given by a value for each system. Larger values are better, and systems with equal values are tied. A pair
of systems is concordant in two orders if the same system is better in both, and discordant if different systems are
better. With C concordant and D discordant pairs of n systems:

* tau-b is (C - D) / sqrt(U V). U pairs are not tied in the first order, and V pairs are not tied in the second order.
  Without ties, tau-b equals tau-a, (C - D) / (n (n - 1) / 2).
* The p-value of tau is two-sided, under the hypothesis of independent orders. Without ties, it is exact for up to 33
  systems, and for any number of systems if at most one pair is discordant or at most one pair is concordant. Otherwise
  it is computed by the normal approximation, with the variance corrected for ties.
* tau-AP gives the best systems more weight. Let m be the number of systems that are not tied for the best in the first
  order. For each of these m systems, consider the systems that are better in the first order, and compute the fraction
  of them that are also better in the second order. tau-AP is 2 / m times the sum of these fractions, minus 1. Without
  ties, m is n - 1, and tau-AP is the coefficient of Yilmaz, Aslam & Robertson. With ties, it is tau-AP-b of Urbano &
  Marrero, as in ``distance.rank_correlation``: a system is compared with the systems above its group of tied systems,
  and a pair that is tied in only one order is not concordant.
* Spearman's rho is the correlation coefficient of the ranks; tied systems share the mean of their ranks. Without ties,
  it is 1 - 6 S / (n (n^2 - 1)), where S is the sum of the squared differences of ranks. A system that moves by many
  ranks therefore lowers rho more than several systems that move by one rank.

tau-AP is not symmetric: exchanging the two orders changes its value. If the second order is the true order and the
first order is an estimate, ``estimated`` is the coefficient. If neither order is the true one, ``tau_ap`` is the mean
of both directions. All coefficients are undefined if all systems are tied in one of the orders.

References
----------
Kendall, *Rank correlation methods* (1948); Spearman, *The proof and measurement of association between two things*,
American Journal of Psychology 15 (1904); Yilmaz, Aslam & Robertson, *A new rank correlation coefficient for
information retrieval*, SIGIR 2008; Urbano & Marrero, *The treatment of ties in AP correlation*, ICTIR 2017.
"""

from __future__ import annotations

from functools import lru_cache
from math import factorial
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Bools, Floats, Ints

_EXACT = 33  # Up to this number of systems, p-values use the exact distribution of tau.
_CELLS = 1 << 22  # Maximum number of comparisons in memory at the same time.


class Taus(NamedTuple):
    """Correlations of each row order with each column order, rows x columns; NaN if undefined.

    *estimated* is tau-AP with the rows as estimates of the columns. *tau_ap* is the mean of both directions. *rho* is
    Spearman's coefficient.
    """

    tau: Floats
    p: Floats
    tau_ap: Floats
    estimated: Floats
    rho: Floats


class _Ties(NamedTuple):
    """Terms of tau-b and its variance: sums over the groups of t tied systems, for each order.

    *pairs* sums t (t - 1) / 2, *third* sums t (t - 1) (t - 2), and *second* sums t (t - 1) (2 t + 5).
    """

    pairs: Floats
    third: Floats
    second: Floats


def taus(rows: Floats, columns: Floats | None = None) -> Taus:
    """Correlate orders of the same systems.

    Parameters
    ----------
    rows
        The values of the systems: orders x systems, or one value per system for a single order. NaN is worse than any
        value.
    columns
        Other orders of the same systems; by default *rows*.

    Examples
    --------
    >>> correlations = taus(np.array([[4, 3, 2, 1], [4, 3, 1, 2]]))
    >>> correlations.tau.round(4).tolist(), correlations.tau_ap.round(4).tolist()
    ([[1.0, 0.6667], [0.6667, 1.0]], [[1.0, 0.7778], [0.7778, 1.0]])
    """
    row_ranks = _to_ranks(rows)
    column_ranks = row_ranks if columns is None else _to_ranks(columns)
    systems = row_ranks.shape[1]
    difference, by_rows, by_columns = _count_concordance(row_ranks, column_ranks)
    row_ties, column_ties = _sum_ties(row_ranks), _sum_ties(column_ranks)
    pairs = systems * (systems - 1) / 2
    untied = (pairs - row_ties.pairs)[:, None] * (pairs - column_ties.pairs)[None, :]
    defined = untied > 0
    tau = difference / np.sqrt(np.where(defined, untied, 1.0))
    p, rho = _p_values(difference, row_ties, column_ties, systems), _correlate_ranks(row_ranks, column_ranks)
    values = tau, p, (by_rows + by_columns) / 2, by_rows, rho
    # Because of rounding, a coefficient can be slightly outside its range.
    lowest = (-1.0, 0.0, -1.0, -1.0, -1.0)
    return Taus(*(np.where(defined, np.clip(x, low, 1), np.nan) for x, low in zip(values, lowest, strict=True)))


def taus_with_truth(estimates: Floats, truth: Floats) -> Taus:
    """Correlate estimated orders of the systems with the true order, separately for each measure.

    *estimates* is orders x measures x systems, *truth* is measures x systems. The results are measures x orders; their
    tau-AP is ``estimated``.
    """
    by_measure = [taus(estimates[:, i], order) for i, order in enumerate(truth)]
    return Taus(*(np.stack([values[:, 0] for values in columns]) for columns in zip(*by_measure, strict=True)))


def _to_ranks(orders: Floats) -> Ints:
    """Convert values to integer ranks, larger for better. Integers can be compared and subtracted exactly."""
    values = np.atleast_2d(np.asarray(orders, dtype=np.float64))
    values = np.where(np.isnan(values), -np.inf, values)
    return np.stack([np.unique(order, return_inverse=True)[1].ravel() for order in values]).astype(np.int64)


def _count_concordance(rows: Ints, columns: Ints) -> tuple[Floats, Floats, Floats]:
    """Return C - D, tau-AP with the rows as first orders, and tau-AP with the columns as first orders; rows x columns.

    A comparison of two systems is 1, 0 or -1. The product of the comparisons in two orders is 1 for a concordant pair
    and -1 for a discordant pair. A matrix product therefore counts the pairs for all rows and columns together. To
    limit memory, each step compares only a block of systems with all systems.
    """
    systems = rows.shape[1]
    block_size = max(1, _CELLS // max(1, systems * (len(rows) + len(columns))))
    difference, by_rows, by_columns = (np.zeros((len(rows), len(columns))) for _ in range(3))
    for begin in range(0, systems, block_size):
        block = slice(begin, begin + block_size)
        left, right = _compare_systems(rows, block), _compare_systems(columns, block)
        difference += _sum_products(left.sign, right.sign) / 2  # Each pair is compared twice, in both directions.
        by_rows += _sum_products(left.weight, right.better)
        by_columns += _sum_products(left.better, right.weight)
    # The m of tau-AP: the number of systems that are not tied for the best.
    counts = [(order < order.max(axis=1, keepdims=True, initial=0)).sum(axis=1) for order in (rows, columns)]
    row_m, column_m = (np.maximum(count, 1) for count in counts)
    return difference, 2 * by_rows / row_m[:, None] - 1, 2 * by_columns / column_m[None, :] - 1


class _Comparisons(NamedTuple):
    """Comparisons of a block of systems with all systems, orders x block x systems.

    *sign* is 1 if the second system is better, -1 if it is worse, 0 if they are tied. *better* is 1 if the second
    system is better, otherwise 0; *weight* is *better* divided by the number of better systems.
    """

    sign: Floats
    better: Floats
    weight: Floats


def _compare_systems(order: Ints, block: slice) -> _Comparisons:
    """Compare the systems in *block* with all systems."""
    sign = np.sign(order[:, None, :] - order[:, block, None]).astype(np.float64)
    better = (sign > 0).astype(np.float64)
    return _Comparisons(sign, better, better / np.maximum(better.sum(axis=2, keepdims=True), 1))


def _sum_products(rows: Floats, columns: Floats) -> Floats:
    """Return the sum of the products of all comparisons, for each row order and column order."""
    # einsum is used instead of matmul, whose threads would spend most of the time waiting for each other on these small
    # arrays.
    return np.asarray(np.einsum("ax,bx->ab", rows.reshape(len(rows), -1), columns.reshape(len(columns), -1)))


def _sum_ties(orders: Ints) -> _Ties:
    """Return the sums over the groups of tied systems of each order."""
    sizes = [np.bincount(order).astype(np.float64) for order in orders]
    return _Ties(
        np.array([(t * (t - 1)).sum() / 2 for t in sizes]),
        np.array([(t * (t - 1) * (t - 2)).sum() for t in sizes]),
        np.array([(t * (t - 1) * (2 * t + 5)).sum() for t in sizes]),
    )


def _correlate_ranks(rows: Ints, columns: Ints) -> Floats:
    """Return Spearman's rho, rows x columns; 0 where all systems of an order are tied."""
    left, right = _centre_ranks(rows), _centre_ranks(columns)
    squares = (left**2).sum(axis=1)[:, None] * (right**2).sum(axis=1)[None, :]
    return np.asarray(_sum_products(left, right) / np.sqrt(np.where(squares > 0, squares, 1.0)))


def _centre_ranks(orders: Ints) -> Floats:
    """Return twice the mean ranks of tied systems minus twice the mean of all ranks; these are whole numbers."""
    counts = [np.bincount(order) for order in orders]
    doubled = [2 * np.cumsum(count) - count + 1 for count in counts]
    ranks = np.stack([ranks[order] for ranks, order in zip(doubled, orders, strict=True)])
    return np.asarray(ranks - (orders.shape[1] + 1), dtype=np.float64)


# p-values ----------------------------------------------------------------------------------------------------------


def _p_values(difference: Floats, rows: _Ties, columns: _Ties, systems: int) -> Floats:
    """Return the p-value of each tau: exact if possible, otherwise by the normal approximation."""
    if systems < 2:
        return np.full(difference.shape, np.nan)
    pairs = systems * (systems - 1) // 2
    # The smaller of C and D. Without ties, C + D is the number of pairs.
    smaller = (pairs - np.abs(difference)) / 2
    exact = (rows.pairs == 0)[:, None] & (columns.pairs == 0)[None, :]
    exact &= (systems <= _EXACT) | (smaller <= 1)
    return np.where(
        exact, _exact_p_values(smaller, exact, systems), _normal_p_values(difference, rows, columns, systems)
    )


def _exact_p_values(smaller: Floats, exact: Bools, systems: int) -> Floats:
    """Return twice the fraction of all orders with at most *smaller* discordant pairs.

    Values are arbitrary where *exact* is False.
    """
    discordant = np.where(exact, smaller, 0).astype(np.int64)
    if systems <= _EXACT:
        return np.minimum(1.0, 2 * _cumulative_distribution(systems)[discordant])
    # There are n! orders. One has no discordant pair, and n - 1 have one. The fraction with none is 1 / n!, and the
    # fraction with at most one is 1 / n! + (n - 1) / n! = 1 / (n - 1)!.
    return np.where(discordant == 0, 2 / factorial(systems), 2 / factorial(systems - 1))


@lru_cache(maxsize=_EXACT)
def _cumulative_distribution(systems: int) -> Floats:
    """Return the fraction of all orders of the systems with at most 0, 1, 2, … discordant pairs.

    Inserting the n-th system above 0 to n - 1 of the other systems adds 0 to n - 1 discordant pairs. The number of
    orders of n systems with i discordant pairs is therefore the sum of n successive numbers for n - 1 systems. The code
    computes this moving sum with exact integers.
    """
    orders = [1]
    for n in range(2, systems + 1):
        total, longer = 0, []
        for i in range(len(orders) + n - 1):
            total += (orders[i] if i < len(orders) else 0) - (orders[i - n] if i >= n else 0)
            longer.append(total)
        orders = longer
    total, fractions = 0, []
    for count in orders:
        total += count
        fractions.append(total / factorial(systems))
    return np.array(fractions)


def _normal_p_values(difference: Floats, rows: _Ties, columns: _Ties, systems: int) -> Floats:
    """Return p-values by the normal approximation, with Kendall's variance of C - D in the presence of ties."""
    from scipy.special import ndtr

    # The variance is (v_0 - v_t - v_u) / 18 + v_1 + v_2 in the notation of Kendall, with v_0 = n (n - 1) (2 n + 5).
    n = float(systems)
    m = n * (n - 1)
    variance = (m * (2 * n + 5) - rows.second[:, None] - columns.second[None, :]) / 18
    variance += 2 * rows.pairs[:, None] * columns.pairs[None, :] / m
    if systems > 2:
        variance += rows.third[:, None] * columns.third[None, :] / (9 * m * (n - 2))
    z = np.abs(difference) / np.sqrt(np.where(variance > 0, variance, 1.0))
    return np.asarray(2 * ndtr(-z))
