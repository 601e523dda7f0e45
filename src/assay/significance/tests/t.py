"""Paired t test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.significance.differences import Differences
from assay.significance.tests._paired import PairedTest, PairStatistics, Tails, student_interval, student_t


@dataclass(frozen=True)
class T(PairedTest):
    r"""Paired t test: compares the mean difference with its standard error.

    .. math:: t = \bar z / (s_z / \sqrt n), \quad p = 2 P(T_{n-1} \ge |t|)

    where z are the differences over n topics and s is their standard deviation (divisor n - 1). The statistic is t; the
    interval is Student's. If all differences are the same but not 0, t is infinite and p is 0.

    The test assumes that topics are independent and that differences are approximately normal. With many topics, the
    mean is approximately normal even if the differences are not normal.

    References
    ----------
    Student, *The probable error of a mean*, Biometrika 6, 1908. Urbano, Lima & Hanjalic, *Statistical significance
    testing in information retrieval: an empirical analysis of type I, type II and type III errors*, SIGIR 2019,
    recommend it for the comparison of means.

    Examples
    --------
    >>> values = np.array([[0.5, 0.7, 0.2, 0.9], [0.4, 0.5, 0.3, 0.5]])
    >>> round(float(T().compare(values, np.array([[0, 1]])).p[0]), 4)
    0.2452
    """

    name = "t"
    title = "paired t test"

    def compute(self, differences: Differences, alpha: float) -> PairStatistics:
        """Compute p from Student's t distribution."""
        from scipy.special import stdtr

        t = student_t(differences)
        p = 2 * stdtr(differences.topics - 1, -np.abs(t))
        return PairStatistics(t, p, *student_interval(differences, alpha))

    def compute_tails(self, differences: Differences) -> Tails:
        """Compute both one-sided p-values, P(T >= t) and P(T <= t)."""
        from scipy.special import stdtr

        t = student_t(differences)
        return Tails(stdtr(differences.topics - 1, -t), stdtr(differences.topics - 1, t))
