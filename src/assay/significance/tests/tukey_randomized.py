"""Tukey's honestly significant differences by randomization."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.model.arrays import ROUNDING, Floats
from assay.significance.differences import split_rows
from assay.significance.tests._all_runs import AllPairsStatistics, AllRunsTest, TwoWayLayout
from assay.significance.tests._paired import check_resampling


@dataclass(frozen=True)
class TukeyRandomized(AllRunsTest):
    r"""Randomized Tukey HSD: compares each difference with the range of means after random permutations of values.

    Under the null hypothesis that no two runs differ, all permutations of the values of a topic are equally likely. In
    each of B resamples, the values of every topic are permuted independently. The range of the means is the largest
    mean minus the smallest. If the range is at least the absolute difference of a pair in k resamples,

    .. math:: p = \frac{k + 1}{B + 1}

    The observed values count as one of the permutations, so p is never 0. The range is the largest of all differences,
    so p holds for all pairs together and needs no correction. The test makes no assumption about the distribution of
    values. The statistic is the mean difference. The confidence intervals hold for all pairs together.

    All runs count, including runs that are in no pair. A topic counts only if all runs have a value. All outcomes are
    NaN if there are fewer than two runs or topics, or if values are not finite. The order of runs and topics does not
    matter.

    Parameters
    ----------
    resamples
        Number of random permutations, B.
    seed
        Seed of the random numbers.

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

    def compute(self, layout: TwoWayLayout, difference: Floats, alpha: float) -> AllPairsStatistics:
        """Compute p from the ranges of the means of permuted values."""
        ranges = np.sort(self._draw_ranges(layout.value))
        count = self.resamples - np.searchsorted(ranges, np.abs(difference) - ROUNDING)
        p = (count + 1) / (self.resamples + 1)
        return AllPairsStatistics(difference * layout.scale, p, float(np.quantile(ranges, 1 - alpha)))

    def _draw_ranges(self, value: Floats) -> Floats:
        """Return, for each resample, the range of the means: the largest mean minus the smallest."""
        # Sorting runs and topics first makes the draws independent of the order of runs and topics.
        topics = np.sort(value.T, axis=1)
        topics = topics[np.lexsort(topics.round(10).T)]
        rng = np.random.default_rng(self.seed)
        ranges = np.empty(self.resamples)
        for block in split_rows(self.resamples, topics.size):
            copies = np.broadcast_to(topics, (block.stop - block.start, *topics.shape))
            mean = rng.permuted(copies, axis=2).mean(axis=1)
            ranges[block] = mean.max(axis=1) - mean.min(axis=1)
        return ranges
