r"""Interaction of runs and slices: a test whether the difference of two runs depends on the slice of topics.

The null hypothesis is that the differences :math:`d_t = a_t - b_t` have the same mean in all slices. This is the run x
slice interaction of a design with topics nested in slices; with two runs, it is a one-way comparison of differences.

Welch's test is used. With :math:`w_s = n_s / s_s^2`, :math:`W = \sum w_s`, :math:`\tilde m = \sum w_s \bar d_s / W` and
:math:`L = \sum (1 - w_s/W)^2 / (n_s - 1)` over k slices,

.. math:: F = \frac{\sum w_s (\bar d_s - \tilde m)^2 / (k - 1)}{1 + 2 (k - 2) L / (k^2 - 1)}, \quad
    \nu_1 = k - 1, \quad \nu_2 = \frac{k^2 - 1}{3 L}

A slice without spread has an infinite weight. If there is one, the test of Brown and Forsythe is used, with the degrees
of freedom of Mehrotra. With :math:`c_s = (1 - n_s/n) s_s^2`,

.. math:: F = \frac{\sum n_s (\bar d_s - \bar d)^2}{\sum c_s}, \quad
    \nu_1 = \frac{(\sum c_s)^2}{\sum s_s^4 + (\sum \frac{n_s}{n} s_s^2)^2 - 2 \sum \frac{n_s}{n} s_s^4}, \quad
    \nu_2 = \frac{(\sum c_s)^2}{\sum c_s^2 / (n_s - 1)}

If no slice has a spread, p is 1 if all means are equal, else 0 (method ``constant``).

References
----------
Welch, *On the comparison of several mean values*, Biometrika 38, 1951. Brown & Forsythe, *The small sample behavior of
some statistics which test the equality of several means*, Technometrics 16, 1974. Mehrotra, *Improving the
Brown-Forsythe solution to the generalized Behrens-Fisher problem*, Communications in Statistics - Simulation and
Computation 26, 1997. Gelman & Stern, *The difference between "significant" and "not significant" is not itself
statistically significant*, The American Statistician 60, 2006.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.significance.differences import count_topics, iterate_differences

METHODS = ("", "welch", "brown-forsythe", "constant")
"""Methods of the test; the first is that of a pair that could not be tested."""
UNTESTED, WELCH, BROWN_FORSYTHE, CONSTANT = range(4)


class Moments(NamedTuple):
    """Number of topics, mean and variance (divisor n - 1) of the differences: slices x pairs."""

    topics: Floats
    mean: Floats
    variance: Floats


class Interaction(NamedTuple):
    """Outcome of the test for each pair; NaN for pairs with fewer than two slices. *method* is an index of METHODS."""

    slices: Ints
    topics: Ints
    statistic: Floats
    df1: Floats
    df2: Floats
    p: Floats
    method: Ints


def compute_moments(values: Sequence[Floats], pairs: Ints) -> Moments:
    """Return the moments of the differences of pairs of runs in each slice; *values* has runs x topics per slice."""
    topics, mean, variance = (np.full((len(values), len(pairs)), math.nan) for _ in range(3))
    for index, in_slice in enumerate(values):
        topics[index] = count_topics(in_slice, pairs)
        for block in iterate_differences(in_slice, pairs):
            mean[index, block.pairs] = block.mean * block.scale
            variance[index, block.pairs] = np.square(block.deviation * block.scale)
    return Moments(topics, mean, variance)


def compute_interaction(moments: Moments, min_topics: int = 2) -> Interaction:
    """Test for each pair whether the mean difference is the same in all slices with at least *min_topics* topics."""
    counts = (moments.topics >= max(2, min_topics)) & np.isfinite(moments.mean)
    n, mean, variance = (np.where(counts, array, 0.0) for array in moments)
    slices = counts.sum(axis=0)
    flat_count = (counts & (variance == 0)).sum(axis=0)
    method = np.select(
        [slices < 2, flat_count == slices, flat_count > 0], [UNTESTED, CONSTANT, BROWN_FORSYTHE], default=WELCH
    )
    statistic, df1, df2, p = (np.full(len(slices), math.nan) for _ in range(4))
    for kind, function in ((WELCH, _welch), (BROWN_FORSYTHE, _brown_forsythe)):
        chosen = method == kind
        if chosen.any():
            f, first, second = function(n[:, chosen], mean[:, chosen], variance[:, chosen], counts[:, chosen])
            statistic[chosen], df1[chosen], df2[chosen] = f, first, second
            p[chosen] = _f_tail(f, first, second)
    chosen = method == CONSTANT
    highest = np.where(counts, moments.mean, -math.inf).max(axis=0)[chosen]
    lowest = np.where(counts, moments.mean, math.inf).min(axis=0)[chosen]
    is_equal = highest - lowest <= ROUNDING * np.maximum(np.abs(highest), np.abs(lowest))
    statistic[chosen], p[chosen] = np.where(is_equal, 0.0, math.inf), np.where(is_equal, 1.0, 0.0)
    return Interaction(slices, n.sum(axis=0).astype(np.int64), statistic, df1, df2, p, method)


def _welch(n: Floats, mean: Floats, variance: Floats, counts: Bools) -> tuple[Floats, Floats, Floats]:
    """Return F and its degrees of freedom by Welch's test."""
    weight = np.divide(n, variance, out=np.zeros_like(n), where=counts)
    total, k = weight.sum(axis=0), counts.sum(axis=0)
    centre = (weight * mean).sum(axis=0) / total
    rest = np.where(counts, 1 - weight / total, 0.0)
    spread = np.divide(rest**2, n - 1, out=np.zeros_like(n), where=counts).sum(axis=0)
    between = (weight * (mean - centre) ** 2).sum(axis=0) / (k - 1)
    f = between / (1 + 2 * (k - 2) * spread / (k**2 - 1))
    return f, (k - 1).astype(np.float64), (k**2 - 1) / (3 * spread)


def _brown_forsythe(n: Floats, mean: Floats, variance: Floats, counts: Bools) -> tuple[Floats, Floats, Floats]:
    """Return F and its degrees of freedom by the test of Brown and Forsythe, as modified by Mehrotra."""
    share = n / n.sum(axis=0)
    centre = (share * mean).sum(axis=0)
    between = (n * np.where(counts, mean - centre, 0.0) ** 2).sum(axis=0)
    # The degrees of freedom do not depend on the unit of the differences. Squares of large units could overflow.
    unit = variance.max(axis=0)
    ratio = variance / unit
    part = np.where(counts, (1 - share) * ratio, 0.0)
    total = part.sum(axis=0)
    denominator = (ratio**2).sum(axis=0) + (share * ratio).sum(axis=0) ** 2 - 2 * (share * ratio**2).sum(axis=0)
    df2 = total**2 / np.divide(part**2, n - 1, out=np.zeros_like(n), where=counts).sum(axis=0)
    return between / (total * unit), total**2 / denominator, df2


def _f_tail(f: Floats, df1: Floats, df2: Floats) -> Floats:
    from scipy.special import fdtrc

    return np.asarray(fdtrc(df1, df2, f))
