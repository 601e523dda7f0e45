"""Cumulative sums and products within each ranking, without a Python loop over documents."""

from __future__ import annotations

import numpy as np

from assay.model.arrays import Floats, Ints


def accumulate(ufunc: np.ufunc, ranking: Ints, values: Floats) -> Floats:
    """Apply ``ufunc.accumulate`` within each ranking; *ranking* ascends.

    >>> accumulate(np.add, np.array([0, 0, 2, 2, 2]), np.array([1.0, 2, 3, 4, 5])).tolist()
    [1.0, 3.0, 3.0, 7.0, 12.0]
    """
    result = np.empty(len(values))
    first = np.flatnonzero(np.diff(ranking, prepend=-1))
    length = np.diff(first, append=len(values))
    # Rankings are grouped by the next power of two of their length, and each group becomes one matrix with a row for
    # each ranking. No matrix is more than half empty. The values of a ranking are combined in rank order.
    exponent = np.frexp(length.astype(np.float64) - 0.5)[1]
    for power in np.unique(exponent):
        group = exponent == power
        column = np.arange(length[group].max())
        is_filled = column < length[group][:, None]
        position = np.where(is_filled, first[group][:, None] + column, 0)
        result[position[is_filled]] = ufunc.accumulate(values[position], axis=1)[is_filled]
    return result


def previous_values(ranking: Ints, running_values: Floats, start: float) -> Floats:
    """Return the running value of the row before each row; *start* for the first row of a ranking."""
    shifted = np.empty(len(running_values))
    shifted[1:] = running_values[:-1]
    shifted[np.flatnonzero(np.diff(ranking, prepend=-1))] = start
    return shifted


def value_at_depth(ranking: Ints, rank: Ints, running_values: Floats, number: Ints, depth: Ints) -> Floats:
    """Return the running values of the rankings *number* at the ranks *depth*; 0 above the first row of a ranking.

    >>> ranking, rank, sums = np.array([0, 0, 2]), np.array([1, 4, 3]), np.array([1.0, 3.0, 5.0])
    >>> value_at_depth(ranking, rank, sums, np.array([0, 0, 2]), np.array([3, 4, 2])).tolist()
    [1.0, 3.0, 0.0]
    """
    # One integer for each pair of ranking and rank turns the search in all rankings into a single binary search.
    span = max(int(rank.max(initial=0)), int(depth.max(initial=0))) + 1
    stop = np.searchsorted(ranking * span + rank, number * span + depth, side="right")
    values = np.concatenate([[0.0], running_values])
    return np.where(stop > np.searchsorted(ranking, number), values[stop], 0.0)
