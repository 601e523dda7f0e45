"""The sign test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.significance.differences import Differences
from assay.significance.tests._paired import PairedTest, PairStatistics, student_interval


@dataclass(frozen=True)
class Sign(PairedTest):
    """Sign test: whether one run wins more topics than by the toss of a coin; the size of differences does not count.

    Tied topics are dropped; p is exact, of the binomial distribution with 1/2. The statistic is the number of topics
    won less the number of topics lost. The test has no interval of the mean difference; the one given is Student's.

    Assumes that topics are independent, and nothing of the differences.

    References
    ----------
    Arbuthnot, *An argument for divine providence*, Philosophical Transactions 27, 1710. Van Rijsbergen, *Information
    Retrieval*, 1979, chapter 7, holds it to be the only test whose assumptions our values meet.

    Examples
    --------
    >>> values = np.array([[0.5, 0.7, 0.2, 0.9], [0.4, 0.5, 0.3, 0.9]])
    >>> [float(each[0]) for each in Sign().compare(values, np.array([[0, 1]]))[:2]]
    [1.0, 1.0]
    """

    name = "sign"
    title = "sign test"

    def compute(self, some: Differences, alpha: float) -> PairStatistics:
        """Twice the smaller tail of the binomial distribution."""
        from scipy.special import bdtr

        won, lost = np.count_nonzero(some.value > 0, axis=1), np.count_nonzero(some.value < 0, axis=1)
        tail = bdtr(np.minimum(won, lost).astype(np.float64), won + lost, 0.5)
        p = np.where(won == lost, 1.0, np.minimum(2 * tail, 1.0))
        return PairStatistics((won - lost).astype(np.float64), p, *student_interval(some, alpha))
