"""Base class of tests that compare all runs together, on the two-way layout of runs x topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.significance.base import PairOutcomes, SignificanceTest
from assay.significance.differences import check_arrays, check_fraction
from assay.significance.two_way import TwoWayLayout, fit_layout, subtract_means


class AllPairsStatistics(NamedTuple):
    """Statistic and p of each pair, and half the interval width, divided by the scale of the layout."""

    statistic: Floats
    p: Floats
    margin: float


@dataclass(frozen=True)
class AllRunsTest(SignificanceTest):
    """A test of all pairs together, whose p needs no correction for multiple comparisons.

    All runs count, including runs that are in no pair. A topic counts only if all runs have a value. All outcomes are
    NaN if there are fewer than two runs or topics, or if values are not finite.
    """

    corrected = True

    def compare(self, values: Floats, pairs: Ints, alpha: float = 0.05) -> PairOutcomes:
        """Compare pairs of runs; p and intervals hold for all pairs together."""
        values, pairs = check_arrays(values, pairs)
        check_fraction("alpha", alpha)
        layout = fit_layout(values)
        if layout is None:
            topics = np.count_nonzero(~np.isnan(values).any(axis=0))
            undefined = np.full(len(pairs), np.nan)
            return PairOutcomes(undefined, undefined, undefined, undefined, np.full(len(pairs), topics))
        difference = subtract_means(layout, pairs)
        statistic, p, margin = self.compute(layout, difference, alpha)
        low, high = (difference - margin) * layout.scale, (difference + margin) * layout.scale
        return PairOutcomes(statistic, p, low, high, np.full(len(pairs), layout.topics))

    def compute(self, layout: TwoWayLayout, difference: Floats, alpha: float) -> AllPairsStatistics:
        """Test the differences of means of pairs; *difference* is divided by the scale of the layout."""
        raise NotImplementedError
