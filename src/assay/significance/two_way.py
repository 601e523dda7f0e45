"""The two-way layout without replication: a value is the sum of what its run, its topic and chance add to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.model.arrays import ROUNDING, Floats, Ints
from assay.significance.differences import find_unit


class TwoWayLayout(NamedTuple):
    """Values of runs on the topics for which all runs have one.

    Attributes
    ----------
    value
        Runs x topics, less the mean of the topic, divided by *unit*.
    mean
        The mean of each run, of these.
    residual
        The residual mean square, of these: what neither runs nor topics explain.
    freedom
        The degrees of freedom of the residual: (runs - 1) (topics - 1).
    unit
        A power of two of the size of the values, so that squares neither overflow nor vanish.
    """

    value: Floats
    mean: Floats
    residual: float
    freedom: int
    unit: float

    @property
    def topics(self) -> int:
        """Number of topics that count."""
        return int(self.value.shape[1])


def fit_layout(values: Floats) -> TwoWayLayout | None:
    """The layout of runs x topics; None without two runs and two topics, or with values that are not finite.

    Only topics for which all runs have a value count, as a comparison of all runs with each other needs all of them.
    """
    complete = values[:, ~np.isnan(values).any(axis=0)]
    runs, topics = complete.shape
    if min(runs, topics) < 2 or not np.isfinite(complete).all():
        return None
    unit = float(find_unit(np.abs(complete).max(keepdims=True))[0, 0])
    value = complete / unit
    value -= value.mean(axis=0)
    mean = value.mean(axis=1)
    left = value - mean[:, None]
    left[np.abs(left) <= ROUNDING] = 0.0
    freedom = (runs - 1) * (topics - 1)
    return TwoWayLayout(value, mean, float(np.square(left).sum() / freedom), freedom, unit)


def subtract_means(of: TwoWayLayout, pairs: Ints) -> Floats:
    """The difference of means of each pair, in the unit; 0 if it is rounding only."""
    difference = of.mean[pairs[:, 0]] - of.mean[pairs[:, 1]]
    difference[np.abs(difference) <= ROUNDING] = 0.0
    return difference
