"""Differences of pairs of runs, topic by topic: what all paired tests, effect sizes and designs start from.

A topic counts for a pair if both runs have a value. Pairs with as many topics are treated together, as a plain matrix
without gaps, so that a topic that does not count is as good as deleted.

Numbers that come out of sums are equal only up to rounding, and tests are about equality: two runs with the values
0.1 + 0.2 and 0.3 on a topic are tied on it. A difference that is at most 1e-12 of the values is therefore none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.errors import InputError
from assay.model.arrays import ROUNDING, Floats, Ints

CELLS = 1 << 20
"""Number of values processed together, which bounds the memory."""
SUM_ROUNDING = 1e-10
"""Relative size below which what came out of several additions is rounding."""


@dataclass(frozen=True)
class Differences:
    """Differences a - b of several pairs over as many topics each.

    Attributes
    ----------
    pairs
        Which pairs, as places in the list of all pairs.
    value
        Pairs x topics, each row divided by its *unit*.
    unit
        A power of two for each pair, such that the largest difference lies between 1 and 2: nothing is lost by
        dividing, and squares neither overflow nor vanish.
    base
        Pairs x topics: the values of b.
    """

    pairs: Ints
    value: Floats
    unit: Floats
    base: Floats

    @property
    def topics(self) -> int:
        """Number of topics that count."""
        return int(self.value.shape[1])

    @cached_property
    def mean(self) -> Floats:
        """The mean of each pair, in its unit; 0 if it is rounding only."""
        mean: Floats = self.value.sum(axis=1) / self.topics
        mean[np.abs(mean) <= ROUNDING] = 0.0
        return mean

    @cached_property
    def centred(self) -> Floats:
        """The differences less their mean; 0 where that is rounding only."""
        left = self.value - self.mean[:, None]
        left[np.abs(left) <= ROUNDING] = 0.0
        left[np.abs(left).max(axis=1) <= SUM_ROUNDING] = 0.0
        return left

    @cached_property
    def deviation(self) -> Floats:
        """The standard deviation (over n - 1) of each pair, in its unit."""
        return np.asarray(np.sqrt(np.square(self.centred).sum(axis=1) / (self.topics - 1)))

    @property
    def error(self) -> Floats:
        """The standard error of the mean, in the unit."""
        return np.asarray(self.deviation / np.sqrt(self.topics))


def iterate_differences(values: Floats, pairs: Ints) -> Iterator[Differences]:
    """The pairs, many at a time, that have at least two topics and finite differences; the others come up nowhere."""
    topics = count_topics(values, pairs)
    for chosen in group_pairs(topics, values.shape[1]):
        yield from _finite(values, pairs, chosen, int(topics[chosen[0]]))


def group_pairs(topics: Ints, width: int) -> Iterator[Ints]:
    """Yield blocks of pairs with equal numbers of *topics*, so that a table of *width* values per pair stays small.

    Pairs with fewer than two topics come up nowhere.
    """
    for many in np.unique(topics[topics > 1]):
        group = np.flatnonzero(topics == many)
        rows = max(1, CELLS // width)
        for begin in range(0, len(group), rows):
            yield group[begin : begin + rows]


def _finite(values: Floats, pairs: Ints, chosen: Ints, topics: int) -> Iterator[Differences]:
    a, b = values[pairs[chosen, 0]], values[pairs[chosen, 1]]
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = a[both].reshape(-1, topics), b[both].reshape(-1, topics)
    with np.errstate(invalid="ignore", over="ignore"):
        value = np.where(a == b, 0.0, a - b)
    finite = np.isfinite(value).all(axis=1)
    if not finite.any():
        return
    a, b, value = a[finite], b[finite], value[finite]
    value[np.abs(value) <= ROUNDING * np.maximum(np.abs(a), np.abs(b))] = 0.0
    unit = find_unit(np.abs(value).max(axis=1))
    yield Differences(chosen[finite], value / unit[:, None], unit, b)


def find_unit(largest: Floats) -> Floats:
    """For each number the power of two at or below it; 1 for 0."""
    return np.ldexp(1.0, np.where(largest > 0, np.frexp(largest)[1] - 1, 0))


def count_topics(values: Floats, pairs: Ints) -> Ints:
    """Return the number of topics that count for each pair."""
    has = (~np.isnan(values)).astype(np.float64)
    topics = np.empty(len(pairs), dtype=np.int64)
    rows = max(1, CELLS // max(1, values.shape[1]))
    for begin in range(0, len(pairs), rows):
        a, b = pairs[begin : begin + rows].T
        topics[begin : begin + rows] = np.einsum("ij,ij->i", has[a], has[b])
    return topics


def safe_ratio(above: Floats, below: Floats) -> Floats:
    """Quotients with a divisor of at least 0, where 0 / 0 is 0 (no difference, no spread: nothing)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((above == 0) & (below == 0), 0.0, above / below)


def check_arrays(values: Floats, pairs: Ints) -> tuple[Floats, Ints]:
    """Return values (runs x topics) and pairs (pairs x 2) as arrays; other shapes are refused."""
    values, pairs = np.asarray(values, dtype=np.float64), np.asarray(pairs, dtype=np.int64)
    if values.ndim != 2:
        raise InputError(f"values must be a matrix of runs x topics, got {values.ndim} dimensions")
    if pairs.size == 0:
        pairs = pairs.reshape(0, 2)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InputError(f"pairs must be a matrix of pairs x 2, got the shape {pairs.shape}")
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= len(values)):
        raise InputError(f"pairs must be numbers of runs from 0 to {len(values) - 1}")
    return values, pairs


def check_fraction(name: str, value: float) -> float:
    """A number that must lie between 0 and 1, such as alpha."""
    if not 0 < value < 1:
        raise InputError(f"{name} must lie between 0 and 1, got {value:g}")
    return value
