"""Base class of tests that compare all runs together.

The tests use a two-way layout without replication: a value is the sum of a run effect, a topic effect and a residual.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.model.arrays import ROUNDING, Floats, Ints
from assay.model.checks import check_fraction
from assay.significance.base import PairOutcomes, SignificanceTest
from assay.significance.differences import check_arrays, find_scale


class TwoWayLayout(NamedTuple):
    """Values of runs on the topics for which all runs have a value.

    Attributes
    ----------
    value
        Runs x topics: values minus the mean of the topic, divided by *scale*.
    mean
        Mean of each run, over *value*.
    residual
        Residual mean square of *value*: the variance that neither runs nor topics explain.
    freedom
        Degrees of freedom of the residual: (runs - 1) (topics - 1).
    scale
        A power of two close to the largest absolute value, so that squares neither overflow nor underflow.
    """

    value: Floats
    mean: Floats
    residual: float
    freedom: int
    scale: float

    @property
    def topics(self) -> int:
        """Number of topics that count."""
        return int(self.value.shape[1])


def fit_layout(values: Floats) -> TwoWayLayout | None:
    """Fit the two-way layout; return None for fewer than two runs or topics, or if values are not finite.

    Only topics for which all runs have a value count, because all runs are compared with each other.
    """
    complete = values[:, ~np.isnan(values).any(axis=0)]
    runs, topics = complete.shape
    if min(runs, topics) < 2 or not np.isfinite(complete).all():
        return None
    scale = float(find_scale(np.abs(complete).max(keepdims=True))[0, 0])
    value = complete / scale
    value -= value.mean(axis=0)
    mean = value.mean(axis=1)
    residual = value - mean[:, None]
    residual[np.abs(residual) <= ROUNDING] = 0.0
    freedom = (runs - 1) * (topics - 1)
    return TwoWayLayout(value, mean, float(np.square(residual).sum() / freedom), freedom, scale)


def subtract_means(layout: TwoWayLayout, pairs: Ints) -> Floats:
    """Return the difference of means of each pair, divided by the scale of the layout; rounding errors become 0."""
    difference = layout.mean[pairs[:, 0]] - layout.mean[pairs[:, 1]]
    difference[np.abs(difference) <= ROUNDING] = 0.0
    return difference


class AllPairsStatistics(NamedTuple):
    """For each pair the statistic, p, and half the width of the interval (divided by the scale of the layout)."""

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
