"""Sign test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.significance.differences import Differences
from assay.significance.tests._paired import PairedTest, PairStatistics, student_interval


@dataclass(frozen=True)
class Sign(PairedTest):
    """Sign test: compares the number of topics won with the number lost, regardless of the size of differences.

    Tied topics are dropped. p is exact, from the binomial distribution with probability 1/2. The statistic is the
    number of topics won minus the number of topics lost. The test has no interval of the mean difference; the interval
    reported is Student's.

    The test assumes that topics are independent. It makes no assumption about the distribution of the differences.

    References
    ----------
    Arbuthnot, *An argument for divine providence*, Philosophical Transactions 27, 1710. Van Rijsbergen, *Information
    Retrieval*, 1979, chapter 7, considers it the only test whose assumptions retrieval measures meet.

    Examples
    --------
    >>> values = np.array([[0.5, 0.7, 0.2, 0.9], [0.4, 0.5, 0.3, 0.9]])
    >>> [float(each[0]) for each in Sign().compare(values, np.array([[0, 1]]))[:2]]
    [1.0, 1.0]
    """

    name = "sign"
    title = "sign test"

    def compute(self, differences: Differences, alpha: float) -> PairStatistics:
        """Compute p as twice the smaller tail of the binomial distribution."""
        from scipy.special import bdtr

        won, lost = np.count_nonzero(differences.value > 0, axis=1), np.count_nonzero(differences.value < 0, axis=1)
        tail = bdtr(np.minimum(won, lost).astype(np.float64), won + lost, 0.5)
        p = np.where(won == lost, 1.0, np.minimum(2 * tail, 1.0))
        return PairStatistics((won - lost).astype(np.float64), p, *student_interval(differences, alpha))
