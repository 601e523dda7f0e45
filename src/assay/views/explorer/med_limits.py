"""Depth limits of the maximized effectiveness distance (MED), which keep the response time short."""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

from assay.distance._med.dispatch import Task
from assay.errors import InputError
from assay.measures import Measure


class DepthLimit(NamedTuple):
    """Depth limit of an algorithm for the distance.

    Attributes
    ----------
    work
        Largest product topics x depth, or topics x depth x depth if the cost is *quadratic*.
    quadratic
        True if twice the depth takes four times as long, or longer.
    default
        Default depth; None for whole rankings.
    deepest
        Largest depth that may be requested; None if only *work* limits it.
    """

    work: int
    quadratic: bool = True
    default: int | None = None
    deepest: int | None = None

    def max_depth(self, topics: int) -> int:
        """Return the largest depth for a number of topics."""
        work_per_topic = self.work // max(topics, 1)
        depth = max(isqrt(work_per_topic) if self.quadratic else work_per_topic, 1)
        return depth if self.deepest is None else min(depth, self.deepest)


# For a pair of runs with 100 topics and 1000 ranks, the distance took 0.5 s (sums), 10 s (AP), 30 s (the slowest of the
# measures without a special algorithm), or several minutes (Q, ERR, nERR, MeanNDCG, R-precision, F without a cutoff).
FAST = DepthLimit(10**7, quadratic=False)
STEADY = DepthLimit(4 * 10**8)
HEAVY = DepthLimit(10**8, default=100)
SLOW = DepthLimit(10**6, default=50, deepest=100)


def depth_limit(measure: Measure, depth: int | None = None) -> DepthLimit:
    """Return the depth limit of a measure, evaluated to a *depth*: F@10 is fast, F is not."""
    limits = {"linear": FAST, "quadratic": STEADY, "search": HEAVY, "slow": SLOW}
    return limits[Task.prepare(measure, depth, "exact").algorithm.cost]


def choose_depth(measure: Measure, requested: int | None, longest: int, topics: int) -> int | None:
    """Return the depth to which rankings are compared: the requested depth, or the default; None for whole rankings.

    *longest* is the length of the longest ranking.

    >>> from assay.measures import measure
    >>> [choose_depth(measure(text), None, 1000, 50) for text in ("AP", "Q", "Q@10", "bpref")]
    [None, 50, None, 100]
    """
    limit = depth_limit(measure, requested)
    required = _required_depth(measure, requested, longest)
    largest = limit.max_depth(topics)
    if requested is not None:
        if required > largest:
            raise InputError(f"depth {requested} takes too long for {measure}; use a depth of at most {largest}")
        return requested
    default = largest if limit.default is None else min(limit.default, largest)
    return default if required > default else None


def _required_depth(measure: Measure, depth: int | None, longest: int) -> int:
    """Return the last rank that affects the distance."""
    cutoff = Task.prepare(measure, depth, "exact").depth
    return longest if cutoff is None else min(cutoff, longest)
