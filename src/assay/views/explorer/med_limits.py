"""Depth limits that keep the computation of the maximized effectiveness distance (MED) short."""

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
        Maximum of topics x depth, or of topics x depth x depth if *is_quadratic*.
    is_quadratic
        True if doubling the depth multiplies the time by four or more.
    default_depth
        Default depth; None for complete rankings.
    max_request
        Largest depth that may be requested; None if only *work* limits the depth.
    """

    work: int
    is_quadratic: bool = True
    default_depth: int | None = None
    max_request: int | None = None

    def max_depth(self, topics: int) -> int:
        """Return the largest depth for a number of topics."""
        work_per_topic = self.work // max(topics, 1)
        depth = max(isqrt(work_per_topic) if self.is_quadratic else work_per_topic, 1)
        return depth if self.max_request is None else min(depth, self.max_request)


# For a pair of runs with 100 topics and 1000 ranks, the distance took 0.5 s (sums), 10 s (AP), 30 s (the slowest of the
# measures without a special algorithm), or several minutes (Q, ERR, nERR, MeanNDCG, R-precision, F without a cutoff).
LIMITS = {
    "linear": DepthLimit(10**7, is_quadratic=False),
    "quadratic": DepthLimit(4 * 10**8),
    "search": DepthLimit(10**8, default_depth=100),
    "slow": DepthLimit(10**6, default_depth=50, max_request=100),
}
"""Depth limits by the cost of the algorithm."""


def choose_depth(measure: Measure, requested: int | None, longest: int, topics: int) -> int | None:
    """Return the depth to which rankings are compared; None for complete rankings.

    It is the *requested* depth, or the default of the measure. *longest* is the length of the longest ranking.

    >>> from assay.measures import measure
    >>> [choose_depth(measure(text), None, 1000, 50) for text in ("AP", "Q", "Q@10", "bpref")]
    [None, 50, None, 100]
    """
    # The algorithm may depend on the depth: it is fast for F with a depth, and slow for F without one.
    task = Task.prepare(measure, requested, "exact")
    limit = LIMITS[task.algorithm.cost]
    required = longest if task.depth is None else min(task.depth, longest)  # The last rank that affects the distance.
    largest = limit.max_depth(topics)
    if requested is not None:
        if required > largest:
            raise InputError(f"depth {requested} takes too long for {measure}; use a depth of at most {largest}")
        return requested
    default = largest if limit.default_depth is None else min(limit.default_depth, largest)
    return default if required > default else None
