"""Rank correlation of orders of systems: Kendall's tau-b with its p-value, and tau-AP, of many orders at once.

An order is given by a value for each system, larger being better; systems with equal values are tied. Two systems are
concordant in two orders if the same one is better in both, and discordant if another one is. With C concordant and D
discordant pairs of n systems

* tau-b is (C - D) / sqrt(U V), with U and V the pairs that are not tied in one and in the other order; without ties it
  is tau-a, (C - D) / (n (n - 1) / 2);
* its p-value (two-sided, of orders that have nothing to do with each other) is exact for up to 33 systems without ties,
  and where all pairs or all but one agree; else it is that of a normal distribution, with the variance that ties leave;
* tau-AP weighs the best systems more: 2 / m times the sum, over the m systems that have a better one in an order, of
  the share of the better ones that are better in the other order too; less 1. Without ties that is the coefficient of
  Yilmaz, Aslam & Robertson, m being n - 1. With ties it is tau-AP-b of Urbano & Marrero, the one of
  ``distance.rank_correlation``: systems are compared with those above their group of tied ones, and a pair that is tied
  in one order only is not concordant.

tau-AP depends on the order in which "better" is read. If one order is the true one and the other an estimate, it is the
estimate (``estimated``); if none is, the mean of both ways is taken (``tau_ap``). Nothing has a value if fewer than two
systems are told apart by one of the orders.

References
----------
Kendall, *Rank correlation methods* (1948); Yilmaz, Aslam & Robertson, *A new rank correlation coefficient for
information retrieval*, SIGIR 2008; Urbano & Marrero, *The treatment of ties in AP correlation*, ICTIR 2017.
"""

from __future__ import annotations

from functools import lru_cache
from math import factorial
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Bools, Floats, Ints

_EXACT = 33  # systems without ties for which the distribution is counted out
_CELLS = 1 << 22  # comparisons held at once


class Taus(NamedTuple):
    """Rows x columns: correlations of each order of the rows with each of the columns; NaN where there is none.

    *estimated* is tau-AP if the columns are true and the rows estimates, *tau_ap* the mean of both ways.
    """

    tau: Floats
    p: Floats
    tau_ap: Floats
    estimated: Floats


class _Ties(NamedTuple):
    """Sums over the groups of t tied systems of each order, which tau-b and its variance need.

    *pairs* is t (t - 1) / 2, *third* t (t - 1) (t - 2), *second* t (t - 1) (2 t + 5).
    """

    pairs: Floats
    third: Floats
    second: Floats


def taus(rows: Floats, columns: Floats | None = None) -> Taus:
    """Correlate orders of the same systems, each given by the values of all systems (NaN: worse than any value).

    Parameters
    ----------
    rows
        Orders x systems, or one order.
    columns
        Other orders of the same systems; by default the same ones.

    Examples
    --------
    >>> correlations = taus(np.array([[4, 3, 2, 1], [4, 3, 1, 2]]))
    >>> correlations.tau.round(4).tolist(), correlations.tau_ap.round(4).tolist()
    ([[1.0, 0.6667], [0.6667, 1.0]], [[1.0, 0.7778], [0.7778, 1.0]])
    """
    below = _ranked(rows)
    right = below if columns is None else _ranked(columns)
    systems = below.shape[1]
    difference, by_rows, by_columns = _concordance(below, right)
    ties, others = _ties(below), _ties(right)
    every = systems * (systems - 1) / 2
    untied = (every - ties.pairs)[:, None] * (every - others.pairs)[None, :]
    defined = untied > 0
    tau = difference / np.sqrt(np.where(defined, untied, 1.0))
    values = tau, _p_values(difference, ties, others, systems), (by_rows + by_columns) / 2, by_rows
    low = np.array([-1.0, 0.0, -1.0, -1.0])
    return Taus(*(np.where(defined, np.clip(x, least, 1), np.nan) for x, least in zip(values, low, strict=True)))


def _ranked(orders: Floats) -> Ints:
    """The values as whole numbers, larger for better: comparing them is exact, and infinity is a number like others."""
    values = np.atleast_2d(np.asarray(orders, dtype=np.float64))
    values = np.where(np.isnan(values), -np.inf, values)
    return np.stack([np.unique(order, return_inverse=True)[1].ravel() for order in values]).astype(np.int64)


def _concordance(rows: Ints, columns: Ints) -> tuple[Floats, Floats, Floats]:
    """Concordant less discordant pairs, and tau-AP read in the order of the rows and of the columns.

    All systems are compared with some at a time: a comparison is 1, 0 or -1, and the product of two comparisons tells
    whether they agree, so that sums of products count them for all orders at once.
    """
    systems = rows.shape[1]
    many = max(1, _CELLS // max(1, systems * (len(rows) + len(columns))))
    difference, by_rows, by_columns = (np.zeros((len(rows), len(columns))) for _ in range(3))
    for begin in range(0, systems, many):
        some = slice(begin, begin + many)
        left, right = _better(rows, some), _better(columns, some)
        difference += _products(left.sign, right.sign) / 2
        by_rows += _products(left.share, right.better)
        by_columns += _products(left.better, right.share)
    worse = [(order < order.max(axis=1, keepdims=True, initial=0)).sum(axis=1) for order in (rows, columns)]
    over_rows, over_columns = (np.maximum(count, 1) for count in worse)
    return difference, 2 * by_rows / over_rows[:, None] - 1, 2 * by_columns / over_columns[None, :] - 1


class _Compared(NamedTuple):
    """Orders x some systems x all systems.

    *sign* is 1 if the second system is better, -1 if it is worse, 0 if they are tied; *better* is 1 or 0, and *share*
    the same over the number of better ones.
    """

    sign: Floats
    better: Floats
    share: Floats


def _better(order: Ints, some: slice) -> _Compared:
    sign = np.sign(order[:, None, :] - order[:, some, None]).astype(np.float64)
    better = (sign > 0).astype(np.float64)
    return _Compared(sign, better, better / np.maximum(better.sum(axis=2, keepdims=True), 1))


def _products(rows: Floats, columns: Floats) -> Floats:
    """The sum over all comparisons, for each row and column; threads of a matrix library would wait for each other."""
    return np.asarray(np.einsum("ax,bx->ab", rows.reshape(len(rows), -1), columns.reshape(len(columns), -1)))


def _ties(orders: Ints) -> _Ties:
    sizes = [np.bincount(order).astype(np.float64) for order in orders]
    return _Ties(
        np.array([(t * (t - 1)).sum() / 2 for t in sizes]),
        np.array([(t * (t - 1) * (t - 2)).sum() for t in sizes]),
        np.array([(t * (t - 1) * (2 * t + 5)).sum() for t in sizes]),
    )


# p-values ----------------------------------------------------------------------------------------------------------


def _p_values(difference: Floats, rows: _Ties, columns: _Ties, systems: int) -> Floats:
    if systems < 2:
        return np.full(difference.shape, np.nan)
    every = systems * (systems - 1) // 2
    fewer = (every - np.abs(difference)) / 2  # of concordant and discordant pairs
    exact = (rows.pairs == 0)[:, None] & (columns.pairs == 0)[None, :]
    exact &= (systems <= _EXACT) | (fewer <= 1)
    return np.where(exact, _counted_out(fewer, exact, systems), _normal(difference, rows, columns, systems))


def _counted_out(fewer: Floats, exact: Bools, systems: int) -> Floats:
    """Twice the share of all orders that have at most so many discordant pairs."""
    number = np.where(exact, fewer, 0).astype(np.int64)
    if systems <= _EXACT:
        return np.minimum(1.0, 2 * _shares(systems)[number])
    # One order has no discordant pair, and systems - 1 have one.
    none, one = (2 / factorial(systems - less) for less in (0, 1))
    return np.where(number == 0, none, one)


@lru_cache(maxsize=_EXACT)
def _shares(systems: int) -> Floats:
    """The share of all orders of so many systems with at most 0, 1, 2, … discordant pairs.

    The last of n systems can stand above 0 to n - 1 of the others, whatever order these are in.
    """
    ways = [1]
    for n in range(2, systems + 1):
        total, longer = 0, []
        for i in range(len(ways) + n - 1):
            total += (ways[i] if i < len(ways) else 0) - (ways[i - n] if i >= n else 0)
            longer.append(total)
        ways = longer
    total, shares = 0, []
    for count in ways:
        total += count
        shares.append(total / factorial(systems))
    return np.array(shares)


def _normal(difference: Floats, rows: _Ties, columns: _Ties, systems: int) -> Floats:
    """By the normal distribution; the variance of C - D with ties is Kendall's."""
    from scipy.special import ndtr

    n = float(systems)
    m = n * (n - 1)
    variance = (m * (2 * n + 5) - rows.second[:, None] - columns.second[None, :]) / 18
    variance += 2 * rows.pairs[:, None] * columns.pairs[None, :] / m
    if systems > 2:
        variance += rows.third[:, None] * columns.third[None, :] / (9 * m * (n - 2))
    z = np.abs(difference) / np.sqrt(np.where(variance > 0, variance, 1.0))
    return np.asarray(2 * ndtr(-z))
