"""Fisher's randomization test for pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.model.arrays import Floats
from assay.significance.differences import CELLS, SUM_ROUNDING, Differences
from assay.significance.tests._paired import PairedTest, PairStatistics, check_resampling, student_interval


@dataclass(frozen=True)
class Randomization(PairedTest):
    r"""Randomization test: how often exchanging the runs at random, topic by topic, gives as large a mean difference.

    If the runs do not differ, every difference might as well have the other sign. Of n topics there are 2^n ways to
    flip signs. If half of them (the other half has the same sizes) are no more than *resamples*, all are looked at, and
    p is the exact share of those with at least the observed size; for the default up to 14 topics. Else, with k of B
    random flips as large,

    .. math:: p = \frac{k + 1}{B + 1}

    which counts the observed values as one of the flips: p is never 0, and holds its level for any B. All pairs with as
    many topics have the same flips, drawn topic by topic in the order of the columns. The statistic is the difference
    of means. The interval is Student's.

    Assumes nothing of how differences are distributed: the hypothesis is that on each topic the runs could as well
    change places.

    Parameters
    ----------
    resamples
        How many flips are drawn.
    seed
        The same seed gives the same numbers.

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

    def compute(self, some: Differences, alpha: float) -> PairStatistics:
        """The share of flips with sums as large as the observed ones."""
        limit = np.abs(some.value.sum(axis=1)) - SUM_ROUNDING * np.abs(some.value).sum(axis=1)
        rows = max(1, CELLS // len(limit))
        exact = some.topics <= int(self.resamples).bit_length()  # 2^(n - 1) flips are no more than resamples
        as_large = np.zeros(len(limit), dtype=np.int64)
        for flips in _all_flips(some.topics, rows) if exact else self._random_flips(some.topics, rows):
            as_large += np.count_nonzero(np.abs(some.value @ flips.T) >= limit[:, None], axis=1)
        p = as_large / 2.0 ** (some.topics - 1) if exact else (as_large + 1) / (self.resamples + 1)
        return PairStatistics(some.mean * some.unit, p, *student_interval(some, alpha))

    def _random_flips(self, topics: int, rows: int) -> Iterator[Floats]:
        rng = np.random.default_rng(self.seed)
        rows = min(rows, max(1, CELLS // topics))
        for begin in range(0, self.resamples, rows):
            # Whole numbers would be drawn several at a time, and depend on how many rows are asked for at once.
            yield np.where(rng.random((min(rows, self.resamples - begin), topics)) < 0.5, -1.0, 1.0)


def _all_flips(topics: int, rows: int) -> Iterator[Floats]:
    """All ways to flip all topics but the first."""
    for begin in range(0, 1 << (topics - 1), rows):
        number = np.arange(begin, min(begin + rows, 1 << (topics - 1)))
        yield np.where((number[:, None] >> np.arange(topics - 1, -1, -1)) & 1, -1.0, 1.0)
