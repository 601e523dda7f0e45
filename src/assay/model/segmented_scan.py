"""Running sums and products within each ranking, without a loop over documents."""

from __future__ import annotations

import numpy as np

from assay.model.arrays import Floats, Ints


def running(ufunc: np.ufunc, ranking: Ints, values: Floats) -> Floats:
    """``ufunc.accumulate`` within each ranking; *ranking* ascends.

    Rankings of about the same length are laid out as the rows of one matrix, so that no matrix is more
    than half empty.

    >>> running(np.add, np.array([0, 0, 2, 2, 2]), np.array([1.0, 2, 3, 4, 5])).tolist()
    [1.0, 3.0, 3.0, 7.0, 12.0]
    """
    out = np.empty(len(values))
    first = np.flatnonzero(np.diff(ranking, prepend=-1))
    length = np.diff(first, append=len(values))
    size = np.frexp(length.astype(np.float64) - 0.5)[1]
    for power in np.unique(size):
        chosen = size == power
        width = np.arange(length[chosen].max())
        inside = width < length[chosen][:, None]
        place = np.where(inside, first[chosen][:, None] + width, 0)
        out[place[inside]] = ufunc.accumulate(values[place], axis=1)[inside]
    return out


def before(ranking: Ints, running_values: Floats, start: float) -> Floats:
    """The running value just before each row: *start* at the first row of a ranking."""
    shifted = np.empty(len(running_values))
    shifted[1:] = running_values[:-1]
    shifted[np.flatnonzero(np.diff(ranking, prepend=-1))] = start
    return shifted


def down_to(ranking: Ints, rank: Ints, running_values: Floats, number: Ints, depth: Ints) -> Floats:
    """The running value of some rankings, by *number*, at a *depth* of each; 0 above their first row.

    >>> ranking, rank, sums = np.array([0, 0, 2]), np.array([1, 4, 3]), np.array([1.0, 3.0, 5.0])
    >>> down_to(ranking, rank, sums, np.array([0, 0, 2]), np.array([3, 4, 2])).tolist()
    [1.0, 3.0, 0.0]
    """
    span = max(int(rank.max(initial=0)), int(depth.max(initial=0))) + 1
    behind = np.searchsorted(ranking * span + rank, number * span + depth, side="right")
    values = np.concatenate([[0.0], running_values])
    return np.where(behind > np.searchsorted(ranking, number), values[behind], 0.0)
