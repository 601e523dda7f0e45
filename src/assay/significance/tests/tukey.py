"""Tukey's honestly significant differences, blocked by topic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.model.arrays import Floats
from assay.significance.differences import safe_ratio
from assay.significance.tests._all_runs import AllPairsStatistics, AllRunsTest
from assay.significance.two_way import TwoWayLayout


@dataclass(frozen=True)
class Tukey(AllRunsTest):
    r"""Tukey's HSD: whether two means are further apart than the best and the worst of as many equal runs.

    All runs answer the same topics, so what a topic adds to all of them is taken out (two-way analysis of variance
    without replication): with r runs on n topics and the residual mean square MSE,

    .. math:: q = \frac{\bar x_a - \bar x_b}{\sqrt{MSE / n}}

    is compared with the studentized range of r means with (r - 1) (n - 1) degrees of freedom. As that is about the
    largest of all differences, p holds for all pairs together and needs no correction. With two runs this is the paired
    t test. The statistic is q; the interval holds for all pairs together.

    Assumes that topics are independent, and that residuals are about normal with the same variance for all runs.

    All runs that are given count, also those of no pair; and only topics for which all runs have a value. Without
    two of both, or with values that are not finite, all numbers are NaN. No p is given below 1e-30, except 0 for means
    that differ although the residual is 0.

    References
    ----------
    Tukey, *The Problem of Multiple Comparisons*, 1953. Carterette, *Multiple testing in statistical analysis of
    systems-based information retrieval experiments*, TOIS 30, 2012. Sakai, *Laboratory Experiments in Information
    Retrieval*, 2018, chapter 4.

    Examples
    --------
    >>> values = np.array([[0.5, 0.7, 0.2, 0.9], [0.4, 0.5, 0.3, 0.5], [0.1, 0.3, 0.0, 0.4]])
    >>> Tukey().compare(values, np.array([[0, 1], [0, 2], [1, 2]])).p.round(4).tolist()
    [0.196, 0.0061, 0.0556]
    """

    name = "tukey"
    title = "Tukey's HSD blocked by topic"

    def compute(self, found: TwoWayLayout, difference: Floats, alpha: float) -> AllPairsStatistics:
        """By the distribution of the studentized range."""
        from assay.significance.tests._studentized_range import quantile, survival

        runs = len(found.mean)
        error = np.sqrt(found.residual / found.topics)
        q = safe_ratio(difference, error)
        p = survival(np.abs(q), runs, found.freedom)
        return AllPairsStatistics(q, p, quantile(alpha, runs, found.freedom) * error)
