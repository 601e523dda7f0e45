"""Base class of the paired tests, on the differences of two runs, topic by topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.model.checks import check_integer
from assay.significance.base import PairOutcomes, SignificanceTest
from assay.significance.differences import (
    Differences,
    check_arrays,
    check_fraction,
    count_topics,
    iterate_differences,
    safe_ratio,
)


class PairStatistics(NamedTuple):
    """The numbers of some pairs; the interval is in the units of their differences."""

    statistic: Floats
    p: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class PairedTest(SignificanceTest):
    """A test of each pair by itself.

    With fewer than two topics, or with a difference that is not finite, nothing can be said: all numbers are NaN.
    """

    interval = "Student's t"

    def compare(self, values: Floats, pairs: Ints, alpha: float = 0.05) -> PairOutcomes:
        """Compare pairs of runs, each over the topics for which both have a value."""
        values, pairs = check_arrays(values, pairs)
        check_fraction("alpha", alpha)
        found = [np.full(len(pairs), np.nan) for _ in PairStatistics._fields]
        for some in iterate_differences(values, pairs):
            tested = self.compute(some, alpha)
            interval = tested.low * some.unit, tested.high * some.unit
            for column, numbers in zip(found, (tested.statistic, tested.p, *interval), strict=True):
                column[some.pairs] = numbers
        statistic, p, low, high = found
        return PairOutcomes(statistic, p, low, high, count_topics(values, pairs))

    def compute(self, some: Differences, alpha: float) -> PairStatistics:
        """Test pairs that have the same number of topics, at least two."""
        raise NotImplementedError


def student_t(some: Differences) -> Floats:
    """Student's t of the differences: mean / (sd / sqrt(n)); infinite if all are the same, 0 if all are 0."""
    return safe_ratio(some.mean, some.error)


def student_interval(some: Differences, alpha: float) -> tuple[Floats, Floats]:
    """The interval of the mean difference by Student's t."""
    from scipy.special import stdtrit

    margin = stdtrit(some.topics - 1, 1 - alpha / 2) * some.error
    return some.mean - margin, some.mean + margin


def check_resampling(resamples: int, seed: int) -> None:
    """Refuse what cannot be a number of resamples, or a seed."""
    check_integer("resamples", resamples, 1)
    check_integer("seed", seed, 0)
