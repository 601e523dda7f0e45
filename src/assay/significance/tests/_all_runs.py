"""Base class of the tests of all runs at once, on the two-way layout of runs x topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.significance.base import PairOutcomes, SignificanceTest
from assay.significance.differences import check_arrays, check_fraction
from assay.significance.two_way import TwoWayLayout, fit_layout, subtract_means


class AllPairsStatistics(NamedTuple):
    """The statistic and p of some pairs, and how far the interval of any difference reaches, in the unit."""

    statistic: Floats
    p: Floats
    margin: float


@dataclass(frozen=True)
class AllRunsTest(SignificanceTest):
    """A test of all pairs together, whose p needs no correction.

    All runs that are given count, also those of no pair; and only topics for which all runs have a value. Without two
    of both, or with values that are not finite, nothing can be said: all numbers are NaN.
    """

    corrected = True

    def compare(self, values: Floats, pairs: Ints, alpha: float = 0.05) -> PairOutcomes:
        """Compare pairs of runs, all runs being the family."""
        values, pairs = check_arrays(values, pairs)
        check_fraction("alpha", alpha)
        found = fit_layout(values)
        if found is None:
            topics = np.count_nonzero(~np.isnan(values).any(axis=0))
            none = np.full(len(pairs), np.nan)
            return PairOutcomes(none, none, none, none, np.full(len(pairs), topics))
        difference = subtract_means(found, pairs)
        statistic, p, margin = self.compute(found, difference, alpha)
        low, high = (difference - margin) * found.unit, (difference + margin) * found.unit
        return PairOutcomes(statistic, p, low, high, np.full(len(pairs), found.topics))

    def compute(self, found: TwoWayLayout, difference: Floats, alpha: float) -> AllPairsStatistics:
        """Test differences of means, given in the unit of the layout."""
        raise NotImplementedError
