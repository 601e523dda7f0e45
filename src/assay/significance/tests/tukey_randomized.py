"""Tukey's honestly significant differences by randomization."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.model.arrays import ROUNDING, Floats
from assay.significance.differences import CELLS
from assay.significance.tests._all_runs import AllPairsStatistics, AllRunsTest
from assay.significance.tests._paired import check_resampling
from assay.significance.two_way import TwoWayLayout


@dataclass(frozen=True)
class TukeyRandomized(AllRunsTest):
    r"""Randomized Tukey HSD: how often permuting the values of each topic puts the best and worst run as far apart.

    If no run differs from any other, the values of a topic might as well be in any other order. Of B such orders, drawn
    for each topic by itself, k have a largest less smallest mean of at least the difference of a pair, and

    .. math:: p = \frac{k + 1}{B + 1}

    which counts the observed values as one of the orders, so that p is never 0. As the largest of all differences is
    compared, p holds for all pairs together and needs no correction. Nothing is assumed about how values are
    distributed. The statistic is the difference of means; the interval holds for all pairs together.

    All runs that are given count, also those of no pair; and only topics for which all runs have a value. Without
    two of both, or with values that are not finite, all numbers are NaN. The order in which runs and topics are given
    does not matter.

    Parameters
    ----------
    resamples
        How many orders are drawn.
    seed
        The same seed gives the same numbers.

    References
    ----------
    Carterette, *Multiple testing in statistical analysis of systems-based information retrieval experiments*, TOIS 30,
    2012. Sakai, *Laboratory Experiments in Information Retrieval*, 2018, chapter 4.

    Examples
    --------
    >>> values = np.array([[0.5, 0.7, 0.2, 0.9], [0.4, 0.5, 0.3, 0.5], [0.5, 0.7, 0.2, 0.9]])
    >>> TukeyRandomized(seed=1).compare(values, np.array([[0, 1], [0, 2]])).p.round(1).tolist()
    [0.3, 1.0]
    """

    name = "tukey-randomized"
    title = "randomised Tukey HSD"
    resamples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_resampling(self.resamples, self.seed)

    def compute(self, found: TwoWayLayout, difference: Floats, alpha: float) -> AllPairsStatistics:
        """By how far apart the best and the worst mean are in each order."""
        ranges = np.sort(self._ranges(found.value))
        as_large = self.resamples - np.searchsorted(ranges, np.abs(difference) - ROUNDING)
        p = (as_large + 1) / (self.resamples + 1)
        return AllPairsStatistics(difference * found.unit, p, float(np.quantile(ranges, 1 - alpha)))

    def _ranges(self, value: Floats) -> Floats:
        """Largest less smallest mean in each order, the values of each topic being put in an order of its own."""
        topics = np.sort(value.T, axis=1)  # the order in which runs are given does not matter
        topics = topics[np.lexsort(topics.round(10).T)]  # nor that of topics
        rng = np.random.default_rng(self.seed)
        rows = max(1, CELLS // topics.size)
        ranges = np.empty(self.resamples)
        for begin in range(0, self.resamples, rows):
            many = min(rows, self.resamples - begin)
            mean = rng.permuted(np.broadcast_to(topics, (many, *topics.shape)), axis=2).mean(axis=1)
            ranges[begin : begin + many] = mean.max(axis=1) - mean.min(axis=1)
        return ranges
