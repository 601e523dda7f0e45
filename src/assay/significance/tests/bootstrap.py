"""Sakai's paired bootstrap test."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.significance.differences import (
    CELLS,
    SUM_ROUNDING,
    Differences,
    check_arrays,
    check_fraction,
    iterate_differences,
)
from assay.significance.tests._paired import PairedTest, PairStatistics, check_resampling, student_t

_NO_SPREAD = 1e-13  # the share of a sum of squares that rounding leaves of a spread of 0


class _Resampled(NamedTuple):
    """Pairs x resamples of the centred differences: their means (in the unit of the pair), and the size of t."""

    mean: Floats
    size: Floats


@dataclass(frozen=True)
class Bootstrap(PairedTest):
    r"""Bootstrap test: how often topics drawn anew give as large a t, if the runs had no mean difference.

    With the differences z of n topics and t(z) = mean(z) / (sd(z) / √n), the centred differences w = z - mean(z) fit
    the hypothesis of no difference. Of B resamples w* of n topics, drawn with replacement, the achieved significance
    level is

    .. math:: ASL = \#\{b : |t(w^{*b})| \ge |t(z)|\} / B

    and is given as p; 0 says less than 1 / B. All pairs with as many topics have the same resamples, whatever the
    measure, drawn by the order of the columns. If all differences are 0, p = 1. In a resample without spread t is
    infinite, or 0 if its mean is 0. The statistic is t(z). The interval is that of the percentiles of the mean
    differences mean(z*).

    Assumes that the topics are an independent sample, from which others can be told; nothing of the distribution.

    Parameters
    ----------
    resamples
        B, how many resamples are drawn.
    seed
        The same seed gives the same numbers.

    References
    ----------
    Sakai, *Evaluating evaluation metrics based on the bootstrap*, SIGIR 2006. Efron & Tibshirani, *An Introduction to
    the Bootstrap*, 1993, chapters 13 and 16.

    Examples
    --------
    >>> values = np.array([[0.5, 0.7, 0.2, 0.9], [0.5, 0.7, 0.2, 0.9]])
    >>> float(Bootstrap().compare(values, np.array([[0, 1]])).p[0])
    1.0
    """

    name = "bootstrap"
    title = "paired bootstrap test"
    interval = "bootstrap percentiles"
    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        check_resampling(self.resamples, self.seed)

    def compute(self, some: Differences, alpha: float) -> PairStatistics:
        """The ASL, and the percentiles of the mean."""
        t = student_t(some)
        p, low, high = np.empty(len(t)), np.empty(len(t)), np.empty(len(t))
        for rows, drawn in self._resampled(some):
            p[rows] = _level(t[rows], drawn.size)
            low[rows], high[rows] = np.quantile(drawn.mean, [alpha / 2, 1 - alpha / 2], axis=1)
        return PairStatistics(t, p, low + some.mean, high + some.mean)

    def asl(self, values: Floats, pairs: Ints, alpha: float = 0.05) -> tuple[Floats, Floats]:
        """The achieved significance level of each pair, and the difference that it takes to be significant.

        The latter, Sakai's Delta of a pair, is the size of the mean of the resample whose t has the ceil(alpha B)-th
        largest size; of resamples with the same size the one drawn first counts as larger. Identical runs have none
        (NaN).
        """
        values, pairs = check_arrays(values, pairs)
        at = max(math.ceil(check_fraction("alpha", alpha) * self.resamples - 1e-9), 1) - 1
        asl, delta = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
        for some in iterate_differences(values, pairs):
            t, differs = student_t(some), (some.value != 0).any(axis=1)
            for rows, drawn in self._resampled(some):
                asl[some.pairs[rows]] = _level(t[rows], drawn.size)
                mean = np.take_along_axis(drawn.mean, _places(drawn.size, at)[:, None], axis=1)[:, 0]
                delta[some.pairs[rows]] = np.where(differs[rows], np.abs(mean) * some.unit[rows], np.nan)
        return asl, delta

    def pair_blocks(self, pairs: int) -> Iterator[slice]:
        """Yield blocks of pairs that are resampled together; their last digits may depend on it."""
        rows = max(1, CELLS // self.resamples)
        return (slice(begin, begin + rows) for begin in range(0, pairs, rows))

    def _resampled(self, some: Differences) -> Iterator[tuple[slice, _Resampled]]:
        for chosen in self.pair_blocks(len(some.pairs)):
            centred = some.centred[chosen]
            mean, square = (np.empty((len(centred), self.resamples)) for _ in range(2))
            for drawn, counts in self._counts(some.topics):
                np.matmul(centred, counts.T, out=mean[:, drawn])
                np.matmul(np.square(centred), counts.T, out=square[:, drawn])
            mean /= some.topics
            yield chosen, _Resampled(mean, _sizes(mean, square, some.topics))

    def _counts(self, topics: int) -> Iterator[tuple[slice, Floats]]:
        """Yield how often each resample has each topic, some resamples at a time."""
        rng = np.random.default_rng(self.seed)
        rows = max(1, CELLS // topics)
        for begin in range(0, self.resamples, rows):
            many = min(rows, self.resamples - begin)
            drawn = rng.integers(topics, size=(many, topics)) + np.arange(many)[:, None] * topics
            counts = np.bincount(drawn.ravel(), minlength=many * topics).reshape(many, topics)
            yield slice(begin, begin + many), counts.astype(np.float64)


def _sizes(mean: Floats, square: Floats, topics: int) -> Floats:
    """The size of t of each resample, from the mean and the sum of squares (which it overwrites)."""
    left = np.square(mean)
    left *= -topics
    left += square  # the sum of squares about the mean
    square *= _NO_SPREAD
    left[left <= square] = 0.0
    left /= topics * (topics - 1)
    np.sqrt(left, out=left)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.divide(np.abs(mean), left, out=left)
    size[np.isnan(size)] = 0.0
    return size


def _level(t: Floats, size: Floats) -> Floats:
    """The share of resamples with at least the size of the observed t, up to rounding."""
    return np.asarray(np.count_nonzero(size >= np.abs(t)[:, None] * (1 - SUM_ROUNDING), axis=1) / size.shape[1])


def _places(size: Floats, at: int) -> Ints:
    """Return the place of the largest number of each row except *at*; of equal ones the first counts as the largest."""
    return np.argsort(-size, axis=1, kind="stable")[:, at]
