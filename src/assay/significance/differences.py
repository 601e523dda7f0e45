"""Differences between pairs of runs, topic by topic: the input of paired tests, effect sizes and power analysis.

A topic counts for a pair if both runs have a value. Topics that do not count are removed. Pairs with the same number of
topics are then processed together, as a matrix without gaps.

Values that result from sums are equal only up to rounding, but tests depend on equality: two runs with the values
0.1 + 0.2 and 0.3 on a topic are tied. A difference of at most 1e-12 relative to the values is therefore set to 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.errors import InputError
from assay.model.arrays import ROUNDING, Floats, Ints

CELLS = 1 << 20
"""Maximum number of values processed together, to limit memory."""
SUM_ROUNDING = 1e-10
"""The result of several additions counts as rounding error if it is smaller than this, relative to its terms."""


@dataclass(frozen=True)
class Differences:
    """Differences a - b of several pairs of runs (a, b) with the same number of topics.

    Attributes
    ----------
    pairs
        Indices of these pairs in the list of all pairs.
    value
        Pairs x topics: the differences, each row divided by its *scale*.
    scale
        A power of two for each pair, chosen so that the largest absolute value of the row is in [1, 2). Division by a
        power of two is exact, and squares neither overflow nor underflow.
    values_b
        Pairs x topics: the values of b.
    """

    pairs: Ints
    value: Floats
    scale: Floats
    values_b: Floats

    @property
    def topics(self) -> int:
        """Number of topics that count."""
        return int(self.value.shape[1])

    @cached_property
    def mean(self) -> Floats:
        """Mean difference of each pair, divided by the scale of the pair; 0 if the mean is only rounding error."""
        mean: Floats = self.value.sum(axis=1) / self.topics
        mean[np.abs(mean) <= ROUNDING] = 0.0
        return mean

    @cached_property
    def centred(self) -> Floats:
        """Differences minus their mean; 0 where the result is only rounding error."""
        centred = self.value - self.mean[:, None]
        centred[np.abs(centred) <= ROUNDING] = 0.0
        centred[np.abs(centred).max(axis=1) <= SUM_ROUNDING] = 0.0
        return centred

    @cached_property
    def deviation(self) -> Floats:
        """Standard deviation of the differences of each pair (divisor n - 1), divided by the scale of the pair."""
        return np.asarray(np.sqrt(np.square(self.centred).sum(axis=1) / (self.topics - 1)))

    @property
    def error(self) -> Floats:
        """Standard error of the mean difference of each pair, divided by the scale of the pair."""
        return np.asarray(self.deviation / np.sqrt(self.topics))


def iterate_differences(values: Floats, pairs: Ints) -> Iterator[Differences]:
    """Yield blocks of pairs that have at least two topics and finite differences; other pairs are skipped."""
    topic_counts = count_topics(values, pairs)
    for block in group_pairs(topic_counts, values.shape[1]):
        yield from _subtract_block(values, pairs, block, int(topic_counts[block[0]]))


def group_pairs(topic_counts: Ints, width: int) -> Iterator[Ints]:
    """Yield blocks of pairs that have the same number of topics.

    Blocks are small enough that a table of *width* values per pair has at most ``CELLS`` values. Pairs with fewer than
    two topics are skipped.
    """
    for topic_count in np.unique(topic_counts[topic_counts > 1]):
        group = np.flatnonzero(topic_counts == topic_count)
        for block in split_rows(len(group), width):
            yield group[block]


def _subtract_block(values: Floats, pairs: Ints, block: Ints, topic_count: int) -> Iterator[Differences]:
    """Yield the differences of a block of pairs, without pairs whose differences are not finite."""
    a, b = values[pairs[block, 0]], values[pairs[block, 1]]
    counts = ~(np.isnan(a) | np.isnan(b))
    a, b = a[counts].reshape(-1, topic_count), b[counts].reshape(-1, topic_count)
    with np.errstate(invalid="ignore", over="ignore"):
        # Equal infinite values are tied, although their difference is NaN.
        value = np.where(a == b, 0.0, a - b)
    finite = np.isfinite(value).all(axis=1)
    if not finite.any():
        return
    a, b, value = a[finite], b[finite], value[finite]
    value[np.abs(value) <= ROUNDING * np.maximum(np.abs(a), np.abs(b))] = 0.0
    scale = find_scale(np.abs(value).max(axis=1))
    yield Differences(block[finite], value / scale[:, None], scale, b)


def scale_differences(value: Floats) -> Differences:
    """Return differences (pairs x topics, at least two topics) in the form that tests take, without their values of b.

    >>> scale_differences(np.array([[3.0, -1.0]])).value.tolist()
    [[1.5, -0.5]]
    """
    scale = find_scale(np.abs(value).max(axis=1))
    return Differences(np.arange(len(value)), value / scale[:, None], scale, np.zeros((len(value), 0)))


def split_rows(count: int, width: int) -> Iterator[slice]:
    """Yield slices that divide *count* rows into blocks; a block has at most ``CELLS`` values, *width* per row."""
    rows = max(1, CELLS // max(1, width))
    return (slice(begin, min(begin + rows, count)) for begin in range(0, count, rows))


def find_scale(largest: Floats) -> Floats:
    """Return the largest power of two that is at most each number; 1 for 0."""
    return np.ldexp(1.0, np.where(largest > 0, np.frexp(largest)[1] - 1, 0))


def count_topics(values: Floats, pairs: Ints) -> Ints:
    """Return the number of topics that count for each pair."""
    has_value = (~np.isnan(values)).astype(np.float64)
    topic_counts = np.empty(len(pairs), dtype=np.int64)
    for block in split_rows(len(pairs), values.shape[1]):
        a, b = pairs[block].T
        topic_counts[block] = np.einsum("ij,ij->i", has_value[a], has_value[b])
    return topic_counts


def safe_ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return quotients, with 0 / 0 = 0: a difference of 0 without spread counts as no difference."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((numerator == 0) & (denominator == 0), 0.0, numerator / denominator)


def check_arrays(values: Floats, pairs: Ints) -> tuple[Floats, Ints]:
    """Return values (runs x topics) and pairs (pairs x 2) as arrays; raise an error for other shapes."""
    values, pairs = np.asarray(values, dtype=np.float64), np.asarray(pairs, dtype=np.int64)
    if values.ndim != 2:
        raise InputError(f"values must be a matrix of runs x topics, got {values.ndim} dimensions")
    if pairs.size == 0:
        pairs = pairs.reshape(0, 2)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InputError(f"pairs must be a matrix of pairs x 2, got the shape {pairs.shape}")
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= len(values)):
        raise InputError(f"pairs must be indices of runs from 0 to {len(values) - 1}")
    return values, pairs
