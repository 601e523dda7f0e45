"""Base class of paired tests, on the differences between two runs topic by topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.model.checks import check_fraction, check_integer
from assay.significance.base import PairOutcomes, SignificanceTest
from assay.significance.differences import Differences, check_arrays, count_topics, iterate_differences, safe_ratio


class PairStatistics(NamedTuple):
    """Statistic, p, and confidence interval of the mean difference of each pair.

    Intervals are divided by the scale of the pair.
    """

    statistic: Floats
    p: Floats
    low: Floats
    high: Floats


class Tails(NamedTuple):
    """One-sided p-values: *greater* is small if the mean is above 0, *less* if it is below 0."""

    greater: Floats
    less: Floats


@dataclass(frozen=True)
class PairedTest(SignificanceTest):
    """A test that compares each pair separately.

    All outcomes are NaN for pairs with fewer than two topics or with differences that are not finite.

    A test with a method ``compute_tails(differences) -> Tails`` is also available in :func:`assay.gate`.
    """

    interval = "Student's t"

    def compare(self, values: Floats, pairs: Ints, alpha: float = 0.05) -> PairOutcomes:
        """Compare pairs of runs, each over the topics for which both runs have a value."""
        values, pairs = check_arrays(values, pairs)
        check_fraction("alpha", alpha)
        columns = [np.full(len(pairs), np.nan) for _ in PairStatistics._fields]
        for differences in iterate_differences(values, pairs):
            block = self.compute(differences, alpha)
            interval = block.low * differences.scale, block.high * differences.scale
            for column, numbers in zip(columns, (block.statistic, block.p, *interval), strict=True):
                column[differences.pairs] = numbers
        statistic, p, low, high = columns
        return PairOutcomes(statistic, p, low, high, count_topics(values, pairs))

    def compute(self, differences: Differences, alpha: float) -> PairStatistics:
        """Test pairs that have the same number of topics, at least two."""
        raise NotImplementedError


def student_t(differences: Differences) -> Floats:
    """Return Student's t, mean / (sd / sqrt(n)); 0 if all differences are 0, infinite if all are equal and not 0."""
    return safe_ratio(differences.mean, differences.error)


def student_interval(differences: Differences, alpha: float) -> tuple[Floats, Floats]:
    """Return Student's 1 - alpha confidence interval of the mean difference, relative to the scale of the pair."""
    from scipy.special import stdtrit

    margin = stdtrit(differences.topics - 1, 1 - alpha / 2) * differences.error
    return differences.mean - margin, differences.mean + margin


def check_resampling(resamples: int, seed: int) -> None:
    """Raise an error for an invalid number of resamples or an invalid seed."""
    check_integer("resamples", resamples, 1)
    check_integer("seed", seed, 0)
