"""Types of arrays, and functions on them that several modules share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[np.float64] | NDArray[np.int64]
Bools = NDArray[np.bool_]
Codes = NDArray[Any]

ROUNDING = 1e-12
"""Absolute and relative tolerance for equality: sums in different orders have different rounding errors."""


def expand_ranges(first: Ints, length: Ints) -> Ints:
    """Return the concatenated indices of ranges, given their first indices and lengths.

    >>> expand_ranges(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    return np.repeat(first - (np.cumsum(length) - length), length) + np.arange(length.sum())


def sorted_distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct values, ascending; values that already ascend are returned without sorting.

    >>> sorted_distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    if (values[1:] > values[:-1]).all():
        return values
    # np.unique would import numpy.ma, which takes longer than the evaluation of a small run.
    ordered = np.sort(values)
    return np.asarray(ordered[np.append(True, ordered[1:] != ordered[:-1])])


def subtract(a: Floats | float, b: Floats | float) -> Floats:
    """Return a - b: 0 where a and b are equal within ``ROUNDING``, and NaN where a or b is NaN.

    >>> subtract(np.array([0.1 + 0.2, 0.5]), np.array([0.3, 0.25])).tolist()
    [0.0, 0.25]
    """
    with np.errstate(invalid="ignore", over="ignore"):
        difference = np.where(a == b, 0.0, a - b)
        scale = np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))
        return np.where(np.isfinite(difference) & (np.abs(difference) <= ROUNDING * scale), 0.0, difference)


def competition_ranks(values: Floats, lower_is_better: bool = False) -> Ints:
    """Rank values from 1, the best first; equal values share a rank, and NaN ranks last.

    Values are equal if they differ by at most ``ROUNDING``. After a tie of k values, k - 1 ranks are skipped.

    >>> competition_ranks(np.array([0.3, 0.9, 0.1 + 0.2, np.nan])).tolist()
    [2, 1, 2, 4]
    """
    cost = np.where(np.isnan(values), np.inf, values if lower_is_better else -values)
    order = np.argsort(cost, kind="stable")
    is_worse = subtract(cost[order[1:]], cost[order[:-1]]) > 0
    start = np.where(np.concatenate([[True] * (len(order) > 0), is_worse]), np.arange(len(order)), 0)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = 1 + np.maximum.accumulate(start)
    return ranks
