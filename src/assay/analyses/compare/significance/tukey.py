"""Tukey's honestly significant differences, blocked by topic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.analyses.compare.differences import checked, ratio, share
from assay.analyses.compare.layout import layout, mean_differences
from assay.analyses.compare.testing import Outcome, SignificanceTest
from assay.model.arrays import Floats, Ints


@dataclass(frozen=True)
class Tukey(SignificanceTest):
    r"""Whether two means are further apart than the best and the worst of as many equal runs would be.

    All runs answer the same topics, so what a topic adds to all of them is taken out (two-way analysis of variance
    without replication): with r runs on n topics and the residual mean square MSE,

    .. math:: q = \frac{\bar x_a - \bar x_b}{\sqrt{MSE / n}}

    is compared with the studentized range of r means with (r - 1) (n - 1) degrees of freedom. As that is about the
    largest of all differences, p holds for all pairs together and needs no correction. With two runs this is the paired
    t test. The statistic is q; the interval holds for all pairs together.

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
    corrected = True

    def compare(self, values: Floats, pairs: Ints, alpha: float = 0.05) -> Outcome:
        """Compare pairs of runs, all runs being the family."""
        from assay.analyses.compare.significance._studentized_range import quantile, survival

        values, pairs = checked(values, pairs)
        share("alpha", alpha)
        found = layout(values)
        if found is None:
            return nothing(values, pairs)
        difference = mean_differences(found, pairs)
        error = np.sqrt(found.residual / found.topics)
        q = ratio(difference, error)
        p = survival(np.abs(q), len(values), found.freedom)
        margin = quantile(alpha, len(values), found.freedom) * error
        low, high = (difference - margin) * found.unit, (difference + margin) * found.unit
        return Outcome(q, p, low, high, np.full(len(pairs), found.topics))


def nothing(values: Floats, pairs: Ints) -> Outcome:
    """Where nothing can be said of any pair: NaN, and how many topics all runs have."""
    topics = np.count_nonzero(~np.isnan(values).any(axis=0))
    none = np.full(len(pairs), np.nan)
    return Outcome(none, none, none, none, np.full(len(pairs), topics))
