"""Paired bootstrap test."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.model.checks import check_fraction
from assay.significance.differences import SUM_ROUNDING, Differences, check_arrays, iterate_differences, split_rows
from assay.significance.tests._paired import PairedTest, PairStatistics, Tails, check_resampling, student_t

_NO_SPREAD = 1e-13  # a smaller spread of a resample, relative to its sum of squares, is rounding error


class _Resamples(NamedTuple):
    """Mean (divided by the scale of the pair) and |t| of each resample of centred differences: pairs x resamples."""

    mean: Floats
    abs_t: Floats


@dataclass(frozen=True)
class Bootstrap(PairedTest):
    r"""Bootstrap test: compares t with the distribution of t over resampled topics under the null hypothesis.

    For the differences z on n topics, t(z) = mean(z) / (sd(z) / √n). The centred differences w = z - mean(z) satisfy
    the null hypothesis of no mean difference. From B resamples w* of n topics, drawn with replacement, the achieved
    significance level is

    .. math:: ASL = \#\{b : |t(w^{*b})| \ge |t(z)|\} / B

    which is reported as p; 0 means less than 1 / B. All pairs with the same number of topics use the same resamples for
    all measures, drawn in the order of the topics. If all differences are 0, p = 1. If all differences of a resample
    are equal, its t is infinite, or 0 if they are 0. The statistic is t(z). The ends of the confidence interval are
    percentiles of the mean differences mean(z*).

    The test assumes that the topics are an independent sample of the topics of interest. It makes no assumption about
    the distribution of the differences.

    Parameters
    ----------
    resamples
        Number of resamples, B.
    seed
        Seed of the random numbers.

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

    def compute(self, differences: Differences, alpha: float) -> PairStatistics:
        """Compute the achieved significance level, and percentiles of the mean difference."""
        t = student_t(differences)
        p, low, high = np.empty(len(t)), np.empty(len(t)), np.empty(len(t))
        for rows, resamples in self._resample(differences):
            p[rows] = _compute_asl(t[rows], resamples.abs_t)
            low[rows], high[rows] = np.quantile(resamples.mean, [alpha / 2, 1 - alpha / 2], axis=1)
        return PairStatistics(t, p, low + differences.mean, high + differences.mean)

    def compute_tails(self, differences: Differences) -> Tails:
        """Compute both one-sided p: (k + 1) / (B + 1) if k of B resamples have a t at least, or at most, as large."""
        t, greater, less = student_t(differences), *np.empty((2, len(differences.pairs)))
        for rows, resamples in self._resample(differences):
            drawn, observed = np.copysign(resamples.abs_t, resamples.mean), t[rows, None]
            tied = np.isclose(drawn, observed, rtol=SUM_ROUNDING, atol=0.0)
            greater[rows] = np.count_nonzero((drawn > observed) | tied, axis=1)
            less[rows] = np.count_nonzero((drawn < observed) | tied, axis=1)
        return Tails((greater + 1) / (self.resamples + 1), (less + 1) / (self.resamples + 1))

    def asl(self, values: Floats, pairs: Ints, alpha: float = 0.05) -> tuple[Floats, Floats]:
        """Return the achieved significance level (ASL) of each pair, and the difference required for significance.

        The required difference is Sakai's Delta. Sort the B resamples by |t|, largest first; resamples with equal |t|
        stay in the order in which they were drawn. Delta is the absolute mean difference of resample number ceil(alpha
        B). Delta is NaN for identical runs.
        """
        values, pairs = check_arrays(values, pairs)
        # The tolerance prevents a product such as 0.07 * 100 = 7.000000000000001 from being rounded up.
        order = max(math.ceil(check_fraction("alpha", alpha) * self.resamples - 1e-9), 1) - 1
        asl, delta = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
        for block in iterate_differences(values, pairs):
            t, differs = student_t(block), (block.value != 0).any(axis=1)
            for rows, resamples in self._resample(block):
                asl[block.pairs[rows]] = _compute_asl(t[rows], resamples.abs_t)
                chosen = _find_order_statistic(resamples.abs_t, order)
                mean = np.take_along_axis(resamples.mean, chosen[:, None], axis=1)[:, 0]
                delta[block.pairs[rows]] = np.where(differs[rows], np.abs(mean) * block.scale[rows], np.nan)
        return asl, delta

    def pair_blocks(self, pair_count: int) -> Iterator[slice]:
        """Return blocks of pairs to resample together; the last digits of results may depend on the blocks."""
        return split_rows(pair_count, self.resamples)

    def _resample(self, differences: Differences) -> Iterator[tuple[slice, _Resamples]]:
        """Yield the resamples of blocks of pairs."""
        for rows in self.pair_blocks(len(differences.pairs)):
            centred = differences.centred[rows]
            mean, square = (np.empty((len(centred), self.resamples)) for _ in range(2))
            # The sum over resampled topics is a product with the number of times that each topic was drawn.
            for columns, counts in self._draw_counts(differences.topics):
                np.matmul(centred, counts.T, out=mean[:, columns])
                np.matmul(np.square(centred), counts.T, out=square[:, columns])
            mean /= differences.topics
            yield rows, _Resamples(mean, _compute_abs_t(mean, square, differences.topics))

    def _draw_counts(self, topic_count: int) -> Iterator[tuple[slice, Floats]]:
        """Yield the number of times that each resample draws each topic, one block of resamples at a time."""
        rng = np.random.default_rng(self.seed)
        for block in split_rows(self.resamples, topic_count):
            size = block.stop - block.start
            # The topics of resample i are numbered from i * topic_count, so one bincount counts them for all resamples.
            topics = rng.integers(topic_count, size=(size, topic_count)) + np.arange(size)[:, None] * topic_count
            counts = np.bincount(topics.ravel(), minlength=size * topic_count).reshape(size, topic_count)
            yield block, counts.astype(np.float64)


def _compute_abs_t(mean: Floats, square: Floats, topics: int) -> Floats:
    """Return |t| of each resample from its mean and its sum of squares; *square* is overwritten.

    All steps work in place, because the arrays are large.
    """
    spread = np.square(mean)
    spread *= -topics
    spread += square  # the sum of squares about the mean
    square *= _NO_SPREAD
    spread[spread <= square] = 0.0
    spread /= topics * (topics - 1)
    np.sqrt(spread, out=spread)  # the standard error of the mean
    with np.errstate(divide="ignore", invalid="ignore"):
        abs_t = np.divide(np.abs(mean), spread, out=spread)
    abs_t[np.isnan(abs_t)] = 0.0
    return abs_t


def _compute_asl(t: Floats, abs_t: Floats) -> Floats:
    """Return the fraction of resamples whose |t| is at least the observed |t|, up to rounding."""
    return np.asarray(np.count_nonzero(abs_t >= np.abs(t)[:, None] * (1 - SUM_ROUNDING), axis=1) / abs_t.shape[1])


def _find_order_statistic(values: Floats, order: int) -> Ints:
    """Return, for each row, the index of the largest value (*order* 0), the second largest (1), and so on.

    Among equal values, the first counts as larger.
    """
    rank = values.shape[1] - 1 - order
    value = np.partition(values, rank, axis=1)[:, rank, None]
    greater = np.count_nonzero(values > value, axis=1)
    # Among the values equal to the statistic, skip as many as precede it in a stable sort.
    equal = np.cumsum(values == value, axis=1, dtype=np.int32)
    return np.asarray(np.argmax(equal == (order - greater + 1)[:, None], axis=1))
