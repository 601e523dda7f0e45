"""Wilcoxon signed-rank test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.significance.differences import SUM_ROUNDING, Differences, safe_ratio
from assay.significance.tests._paired import PairedTest, PairStatistics, student_interval

_MAX_EXACT = 25  # largest number of differences for which p is exact


class _RankSums(NamedTuple):
    """For each pair: W+ - W-, the number of differences that are not 0, and the sum of t^3 - t over tie groups."""

    score: Floats
    nonzero: Ints
    ties: Floats


@dataclass(frozen=True)
class Wilcoxon(PairedTest):
    r"""Wilcoxon signed-rank test: compares the rank sums of positive and negative differences.

    Differences of 0 are dropped. The remaining m differences are ranked by absolute value; tied differences share the
    mean of their ranks. W+ and W- are the sums of the ranks of positive and of negative differences. The statistic is
    W+ - W-, which is positive if a has the larger values. For up to 25 differences without ties, p is exact. Otherwise
    p comes from the normal distribution without continuity correction, with

    .. math:: z = \frac{W^+ - W^-}{\sqrt{m (m + 1) (2m + 1) / 6 - \sum (t^3 - t) / 12}}

    where t are the sizes of the tie groups. If all differences are 0, p = 1. Absolute values that differ only by
    rounding error are tied. The test has no interval of the mean difference; the interval reported is Student's.

    The test assumes that topics are independent, and that differences are symmetric about 0 under the null hypothesis.

    References
    ----------
    Wilcoxon, *Individual comparisons by ranking methods*, Biometrics Bulletin 1, 1945. Moffat & Zobel, *Rank-biased
    precision for measurement of retrieval effectiveness*, TOIS 27, 2008, Table IV, use it in addition to the t test.

    Examples
    --------
    >>> values = np.array([[0.5, 0.7, 0.2, 0.9], [0.4, 0.5, 0.2, 0.5]])
    >>> [float(each[0]) for each in Wilcoxon().compare(values, np.array([[0, 1]]))[:2]]
    [6.0, 0.25]
    """

    name = "wilcoxon"
    title = "Wilcoxon signed-rank test"

    def compute(self, differences: Differences, alpha: float) -> PairStatistics:
        """Compute p exactly for few differences without ties, otherwise from the normal distribution."""
        from scipy.special import ndtr

        score, count, ties = _sum_ranks(differences.value)
        deviation = np.sqrt(count * (count + 1) * (2 * count + 1) / 6 - ties / 12)
        p = 2 * ndtr(-np.abs(safe_ratio(score, deviation)))
        is_exact = (count <= _MAX_EXACT) & (ties == 0)
        m = count[is_exact]
        # W+ + W- = m (m + 1) / 2, so the smaller of the two follows from the absolute value of W+ - W-.
        smaller = (m * (m + 1) // 2 - np.abs(score[is_exact]).astype(np.int64)) // 2
        p[is_exact] = np.minimum(2 * _exact_distribution()[m, smaller], 1.0)
        return PairStatistics(score, p, *student_interval(differences, alpha))


def _sum_ranks(value: Floats) -> _RankSums:
    """Rank the differences of each pair by absolute value and add up the signed ranks."""
    size = np.abs(value)
    order = np.argsort(size, axis=1, kind="stable")
    size, sign = np.take_along_axis(size, order, axis=1), np.sign(np.take_along_axis(value, order, axis=1))
    # *first* and *last* are the positions at which the tie group of each difference begins and ends.
    starts_group = np.diff(size, axis=1) > SUM_ROUNDING * size[:, 1:]
    position = np.arange(size.shape[1])
    first, last = np.zeros(size.shape, dtype=np.int64), np.full(size.shape, position[-1])
    first[:, 1:] = np.where(starts_group, position[1:], 0)
    last[:, :-1] = np.where(starts_group, position[:-1], position[-1])
    first = np.maximum.accumulate(first, axis=1)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    # Differences of 0 come first and have no rank, so all other ranks are reduced by the number of zeros.
    count = np.count_nonzero(sign, axis=1)
    rank = (first + last) / 2 + 1 - (size.shape[1] - count)[:, None]
    group_size = np.where(sign == 0, 1, last - first + 1)
    # Summed over the t members of a group, t^2 - 1 gives t^3 - t.
    return _RankSums((rank * sign).sum(axis=1), count, (np.square(group_size) - 1.0).sum(axis=1))


@lru_cache(maxsize=1)
def _exact_distribution() -> Floats:
    """Return P(W+ <= w) for m differences without ties, as a table with rows m and columns w.

    All 2^m assignments of signs to ranks are equally likely.
    """
    # counts[m, w] is the number of assignments for which W+ = w.
    counts = np.zeros((_MAX_EXACT + 1, _MAX_EXACT * (_MAX_EXACT + 1) // 2 + 1))
    counts[:, 0] = 1
    for m in range(1, _MAX_EXACT + 1):
        # The difference with rank m is negative, or it is positive and adds m to W+.
        counts[m] = counts[m - 1]
        counts[m, m:] += counts[m - 1, :-m]
    probability = np.cumsum(counts, axis=1) / np.exp2(np.arange(_MAX_EXACT + 1))[:, None]
    probability.flags.writeable = False
    return probability
