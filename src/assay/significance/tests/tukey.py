"""Tukey's honestly significant differences, blocked by topic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.model.arrays import Floats
from assay.significance.differences import safe_ratio
from assay.significance.tests._all_runs import AllPairsStatistics, AllRunsTest, TwoWayLayout


@dataclass(frozen=True)
class Tukey(AllRunsTest):
    r"""Tukey's HSD: compares each difference with the range of means that runs without true differences would have.

    All runs have the same topics, so the effect of each topic is removed (two-way analysis of variance without
    replication). With r runs on n topics and the residual mean square MSE,

    .. math:: q = \frac{\bar x_a - \bar x_b}{\sqrt{MSE / n}}

    is compared with the studentized range of r means with (r - 1) (n - 1) degrees of freedom. The range is the largest
    of all differences, so p holds for all pairs together and needs no correction. With two runs, the test is the paired
    t test. The statistic is q. The confidence intervals hold for all pairs together.

    The test assumes that topics are independent, and that residuals are approximately normal with the same variance for
    all runs.

    All runs count, including runs that are in no pair. A topic counts only if all runs have a value. All outcomes are
    NaN if there are fewer than two runs or topics, or if values are not finite. p is at least 1e-30, or 0 if the means
    differ and the residual is 0.

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

    def compute(self, layout: TwoWayLayout, difference: Floats, alpha: float) -> AllPairsStatistics:
        """Compute p from the distribution of the studentized range."""
        from assay.significance.tests._studentized_range import quantile, survival

        runs = len(layout.mean)
        error = np.sqrt(layout.residual / layout.topics)
        q = safe_ratio(difference, error)
        p = survival(np.abs(q), runs, layout.freedom)
        return AllPairsStatistics(q, p, quantile(alpha, runs, layout.freedom) * error)
