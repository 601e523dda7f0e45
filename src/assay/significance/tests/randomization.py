"""Paired randomization test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.model.arrays import Floats
from assay.significance.differences import SUM_ROUNDING, Differences, split_rows
from assay.significance.tests._paired import PairedTest, PairStatistics, Tails, check_resampling, student_interval


@dataclass(frozen=True)
class Randomization(PairedTest):
    r"""Randomization test: compares the mean difference with its distribution if the runs are exchanged at random.

    Under the null hypothesis, the two runs are exchangeable on each topic, so every difference is equally likely to
    have the opposite sign. With n topics there are 2^n assignments of signs. Reversing all signs does not change the
    absolute sum of the differences, so half of the assignments suffice. If this half has at most *resamples*
    assignments (by default, up to 14 topics), all of them are enumerated. Then p is the exact fraction of assignments
    whose absolute sum is at least the observed absolute sum. Otherwise, B random assignments are drawn. If k of them
    have at least the observed absolute sum,

    .. math:: p = \frac{k + 1}{B + 1}

    The observed signs count as one of the assignments. So p is never 0, and the false positive rate is at most alpha
    for any B. All pairs with the same number of topics use the same assignments, drawn in the order of the topics. The
    statistic is the mean difference. The interval is Student's.

    The test makes no assumption about the distribution of the differences.

    Parameters
    ----------
    resamples
        Number of random assignments of signs, B.
    seed
        Seed of the random numbers.

    References
    ----------
    Fisher, *The Design of Experiments*, 1935. Smucker, Allan & Carterette, *A comparison of statistical significance
    tests for information retrieval evaluation*, CIKM 2007. Phipson & Smyth, *Permutation p-values should never be
    zero*, 2010.

    Examples
    --------
    >>> values = np.array([[0.5, 0.7, 0.3, 0.9], [0.4, 0.5, 0.2, 0.5]])
    >>> float(Randomization().compare(values, np.array([[0, 1]])).p[0])
    0.125
    """

    name = "randomization"
    title = "randomization test"
    resamples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_resampling(self.resamples, self.seed)

    def compute(self, differences: Differences, alpha: float) -> PairStatistics:
        """Compute p as the fraction of sign assignments whose absolute sum reaches the observed absolute sum."""
        value, topics = differences.value, differences.topics
        # Sums that equal the observed sum up to rounding count as reaching it.
        limit = np.abs(value.sum(axis=1)) - SUM_ROUNDING * np.abs(value).sum(axis=1)
        width = max(len(limit), topics)  # The values of an assignment: its sums for all pairs, or its signs.
        is_exact = topics <= int(self.resamples).bit_length()  # equivalent to 2^(n - 1) <= resamples
        count = np.zeros(len(limit), dtype=np.int64)
        for signs in _enumerate_signs(topics, width) if is_exact else self._draw_signs(topics, width):
            count += np.count_nonzero(np.abs(value @ signs.T) >= limit[:, None], axis=1)
        p = count / 2.0 ** (topics - 1) if is_exact else (count + 1) / (self.resamples + 1)
        return PairStatistics(differences.mean * differences.scale, p, *student_interval(differences, alpha))

    def compute_tails(self, differences: Differences) -> Tails:
        """Compute the fraction of sign assignments whose sum is at least, and at most, the observed sum.

        All 2^n assignments are enumerated if there are at most *resamples*.
        """
        value, topics = differences.value, differences.topics
        width = max(len(value), topics)
        is_exact = topics < int(self.resamples).bit_length()  # equivalent to 2^n <= resamples
        observed, rounding = value.sum(axis=1)[:, None], SUM_ROUNDING * np.abs(value).sum(axis=1)[:, None]
        greater, less = np.zeros((2, len(value)), dtype=np.int64)
        for signs in _enumerate_signs(topics, width) if is_exact else self._draw_signs(topics, width):
            sums = value @ signs.T
            for total in (sums, -sums) if is_exact else (sums,):  # the other half has all signs reversed
                greater += np.count_nonzero(total >= observed - rounding, axis=1)
                less += np.count_nonzero(total <= observed + rounding, axis=1)
        if is_exact:
            return Tails(greater / 2.0**topics, less / 2.0**topics)
        return Tails((greater + 1) / (self.resamples + 1), (less + 1) / (self.resamples + 1))

    def _draw_signs(self, topics: int, width: int) -> Iterator[Floats]:
        """Yield random sign assignments, assignments x topics, in blocks of rows of *width* values."""
        rng = np.random.default_rng(self.seed)
        for block in split_rows(self.resamples, width):
            # Draw floats: a sequence of small random integers would depend on the number drawn in one call.
            yield np.where(rng.random((block.stop - block.start, topics)) < 0.5, -1.0, 1.0)


def _enumerate_signs(topics: int, width: int) -> Iterator[Floats]:
    """Yield all sign assignments in which the first topic keeps its sign, in blocks of rows of *width* values."""
    for block in split_rows(1 << (topics - 1), width):
        number = np.arange(block.start, block.stop)
        yield np.where((number[:, None] >> np.arange(topics - 1, -1, -1)) & 1, -1.0, 1.0)
