"""Wilcoxon's signed-rank test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.significance.differences import SUM_ROUNDING, Differences, safe_ratio
from assay.significance.tests._paired import PairedTest, PairStatistics, student_interval

_EXACT = 25  # differences, up to which the distribution is exact


class _Ranked(NamedTuple):
    """Of each pair: the ranks won less the ranks lost, how many differences count, and the correction for ties."""

    score: Floats
    nonzero: Ints
    ties: Floats


@dataclass(frozen=True)
class Wilcoxon(PairedTest):
    r"""Wilcoxon signed-rank test: whether the large differences are on one side, by the ranks of their sizes.

    Differences of 0 are dropped, m are left; those of the same size share the mean of their ranks. With W+ and W- the
    sums of the ranks of positive and of negative differences the statistic is W+ - W-, which is positive if a is
    larger. Up to 25 differences without ties p is exact, else it comes from the normal distribution without correction
    for continuity, with

    .. math:: z = \frac{W^+ - W^-}{\sqrt{m (m + 1) (2m + 1) / 6 - \sum (t^3 - t) / 12}}

    where t are the numbers of tied differences. If all are 0, p = 1. Sizes that differ by rounding only are tied. The
    test has no interval of the mean difference; the one given is Student's.

    Assumes that topics are independent, and that under the hypothesis differences lie symmetrically about 0.

    References
    ----------
    Wilcoxon, *Individual comparisons by ranking methods*, Biometrics Bulletin 1, 1945. Moffat & Zobel, *Rank-biased
    precision for measurement of retrieval effectiveness*, TOIS 27, 2008, Table IV, count pairs by it and by t.

    Examples
    --------
    >>> values = np.array([[0.5, 0.7, 0.2, 0.9], [0.4, 0.5, 0.2, 0.5]])
    >>> [float(each[0]) for each in Wilcoxon().compare(values, np.array([[0, 1]]))[:2]]
    [6.0, 0.25]
    """

    name = "wilcoxon"
    title = "Wilcoxon signed-rank test"

    def compute(self, some: Differences, alpha: float) -> PairStatistics:
        """Exact for few differences without ties, else by the normal distribution."""
        from scipy.special import ndtr

        score, count, ties = _ranked(some.value)
        spread = np.sqrt(count * (count + 1) * (2 * count + 1) / 6 - ties / 12)
        p = 2 * ndtr(-np.abs(safe_ratio(score, spread)))
        few = (count <= _EXACT) & (ties == 0)
        least = (count[few] * (count[few] + 1) // 2 - np.abs(score[few]).astype(np.int64)) // 2
        p[few] = np.minimum(2 * _distribution()[count[few], least], 1.0)
        return PairStatistics(score, p, *student_interval(some, alpha))


def _ranked(value: Floats) -> _Ranked:
    size = np.abs(value)
    order = np.argsort(size, axis=1, kind="stable")
    size, side = np.take_along_axis(size, order, axis=1), np.sign(np.take_along_axis(value, order, axis=1))
    fresh = np.diff(size, axis=1) > SUM_ROUNDING * size[:, 1:]
    place = np.arange(size.shape[1])
    first, last = np.zeros(size.shape, dtype=np.int64), np.full(size.shape, place[-1])
    first[:, 1:] = np.where(fresh, place[1:], 0)
    last[:, :-1] = np.where(fresh, place[:-1], place[-1])
    first = np.maximum.accumulate(first, axis=1)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    count = np.count_nonzero(side, axis=1)
    rank = (first + last) / 2 + 1 - (size.shape[1] - count)[:, None]
    tied = np.where(side == 0, 1, last - first + 1)
    return _Ranked((rank * side).sum(axis=1), count, (np.square(tied) - 1.0).sum(axis=1))


@lru_cache(maxsize=1)
def _distribution() -> Floats:
    """Return P(W+ <= w) for m differences (rows) without ties, over all 2^m ways to sign the ranks."""
    ways = np.zeros((_EXACT + 1, _EXACT * (_EXACT + 1) // 2 + 1))
    ways[:, 0] = 1
    for m in range(1, _EXACT + 1):
        ways[m] = ways[m - 1]
        ways[m, m:] += ways[m - 1, :-m]
    below = np.cumsum(ways, axis=1) / np.exp2(np.arange(_EXACT + 1))[:, None]
    below.flags.writeable = False
    return below
