"""Rank-biased overlap (RBO): top-weighted agreement of two rankings, without judgments.

A user compares the rankings down to depth d and continues to the next depth with probability p. RBO is the expected
agreement, (1 - p) sum_d p^(d-1) A_d, where A_d is the fraction of the top d documents that the rankings share (W.
Webber, A. Moffat, J. Zobel, A similarity measure for indefinite rankings, ACM TOIS 28(4), 2010). Rankings are finite,
so three values describe what is known: *min* assumes that no unseen document is shared, *max* assumes that as many
unseen documents as possible are shared, and *ext* extrapolates the agreement at the end of the rankings. The *residual*
is max - min.

**Unseen documents.** Let S be the shorter ranking, of length s, and let L be the longer ranking, of length l. X_d is
the number of documents shared down to depth d, and A_d = X_d / d for d <= s. The unseen documents of S, after depth s,
are

* for *min*: documents that L does not contain;
* for *max*: the highest-ranked documents of L that S does not contain. After depth l each ranking continues with
  documents of the other one, so X_d grows by two per rank until the rankings agree fully, at depth f = l + s - X_l;
* for *ext*: documents that L contains with the same frequency as the seen documents, A_s = X_s / s (equation 32 of the
  paper). After depth l the agreement stays constant at (X_l + (l - s) A_s) / l.

**Ties** follow M. Corsi, J. Urbano, The treatment of ties in rank-biased overlap, SIGIR 2024. The contribution c of a
document whose group of ties spans ranks t to b is 0 at depths less than t and 1 at depths of at least b. In between it
is 1 if tied documents share a rank (*w*, as in Webber et al.), and (d - t + 1) / (b - t + 1) if their order is unknown
(*a*, *b*). X_d is the sum of c_S c_L over documents, and

* w: A_d = 2 X_d / (sum c_S + sum c_L);
* a: A_d = X_d / d, the mean of A_d over all orders of the tied documents;
* b: A_d = X_d / sqrt(sum c_S^2 sum c_L^2), so a ranking always agrees fully with itself, with ties or without.

Unseen documents are not tied. For *ext*, consider the documents that only L contains and that are reached at this
depth: each unseen document of S contributes their mean contribution. So *a* is the mean of RBO over all orders,
including *ext* and *max*, with one exception: L is longer and has ties after the end of S. The paper chooses the unseen
documents of S before it breaks those ties, so its *ext* and *max* are then at most the mean over all orders.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from assay.distance.ranking_pairs import RankingPairs, TieGroups, check_tie_treatment, pair_sequences
from assay.errors import InputError
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints


class RBO(NamedTuple):
    """Rank-biased overlap of two rankings: 0 <= min <= ext <= max <= 1, and residual = max - min."""

    ext: float
    min: float
    max: float
    residual: float


class Overlaps(NamedTuple):
    """Rank-biased overlap of many pairs of rankings, and the number of documents that the rankings of a pair share."""

    ext: Floats
    min: Floats
    max: Floats
    residual: Floats
    shared: Ints


@check_arguments
def rank_biased_overlap(a: Iterable[object], b: Iterable[object], p: float = 0.9, *, tied: str = "a") -> RBO:
    """Compute the rank-biased overlap of two rankings, given as sequences of documents, best first.

    Parameters
    ----------
    a, b
        The rankings; they may differ in length and in documents. A set, list or tuple as an element holds tied
        documents.
    p
        Persistence, above 0 and below 1: the first 1 / (1 - p) ranks have most of the weight.
    tied
        Treatment of ties: ``w`` (tied documents share a rank), ``a`` (the mean over all orders), ``b`` (``a``,
        corrected for ties), or ``order`` (tied documents stay in the given order).

    Examples
    --------
    >>> rank_biased_overlap("abc", "abc", 0.9).ext, rank_biased_overlap("abc", "xyz", 0.9).ext
    (1.0, 0.0)
    >>> rank_biased_overlap(["a", {"b", "c"}], ["a", {"b", "c"}], 0.9, tied="b").ext
    1.0
    >>> round(rank_biased_overlap("ab", "abcd", 0.9).min, 4)
    0.4117
    """
    check_persistence(p)
    check_tie_treatment(tied)
    pair = pair_sequences(a, b)
    overlaps = compute_overlaps(pair, p, tied)
    return RBO(*(float(value[0]) for value in overlaps[:4]))


def check_persistence(p: float) -> None:
    """Refuse a persistence that is not strictly between 0 and 1."""
    if isinstance(p, bool) or not isinstance(p, int | float | np.number) or not 0 < p < 1:
        raise InputError(f"p must lie between 0 and 1, such as 0.9, got {p!r}")


def compute_overlaps(pairs: RankingPairs, p: float, tied: str) -> Overlaps:
    """Compute the RBO of each pair of rankings."""
    weights = _DepthWeights.from_persistence(p, 2 * int(pairs.length.max(initial=1)))
    if tied == "order" or pairs.groups is None:
        return _compute_without_ties(pairs, weights)
    return _compute_with_ties(pairs, pairs.groups, weights, tied)


class _DepthWeights(NamedTuple):
    """Weights of depths for a persistence p.

    Attributes
    ----------
    by_depth
        For depth d, from 1: the weight (1 - p) p^(d-1).
    tail
        For n, from 0: the total weight of all depths greater than n, p^n.
    tail_over_depth
        For n, from 0: the sum of weight / d over all depths d greater than n.
    """

    by_depth: Floats
    tail: Floats
    tail_over_depth: Floats

    @classmethod
    def from_persistence(cls, p: float, max_depth: int) -> _DepthWeights:
        """Compute the weights of the depths 1 to *max_depth*."""
        depth = np.arange(1.0, max_depth + 1)
        by_depth = (1 - p) * p ** (depth - 1)
        over_depth = by_depth / depth
        # The infinite sum is -log(1 - p) (1 - p) / p. Start with the smallest terms, because adding them to a large sum
        # would lose their last digits.
        rest = max(0.0, -np.log1p(-p) * (1 - p) / p - float(over_depth.sum()))
        return cls(by_depth, p ** np.arange(max_depth + 1.0), np.cumsum(np.append(rest, over_depth[::-1]))[::-1])


class _SeenOverlap(NamedTuple):
    """Quantities of the seen part of pairs of rankings, in the notation of the module: s, l, X_l, A_s and *min*."""

    short_length: Ints
    long_length: Ints
    shared: Ints
    agreement: Floats
    minimum: Floats


def _compute_without_ties(pairs: RankingPairs, weights: _DepthWeights) -> Overlaps:
    """Compute RBO without ties as sums over shared documents instead of depths.

    A shared document adds 1 / d to A_d at every depth d from the larger of its two ranks on.
    """
    row, position, rank = pairs.shared
    larger_position = np.maximum(position, rank - 1)
    rows = len(pairs)
    minimum = np.bincount(row, weights=weights.tail_over_depth[larger_position], minlength=rows).astype(np.float64)
    shared = np.bincount(row, minlength=rows)
    short_length, long_length = pairs.length.min(axis=1), pairs.length.max(axis=1)
    shared_at_short = np.bincount(row[larger_position < short_length[row]], minlength=rows)
    seen = _SeenOverlap(short_length, long_length, shared, shared_at_short / np.maximum(short_length, 1), minimum)
    tail, over_depth = weights.tail, weights.tail_over_depth
    # At a depth d between s and l, S lacks d - s documents. If all were shared, they would add (d - s) / d to A_d.
    over_depth_difference = over_depth[short_length] - over_depth[long_length]
    missing = tail[short_length] - tail[long_length] - short_length * over_depth_difference
    return _extrapolate(weights, seen, missing * seen.agreement, missing)


def _extrapolate(weights: _DepthWeights, seen: _SeenOverlap, missing_ext: Floats, missing_max: Floats) -> Overlaps:
    """Compute all values from the seen overlap and the contributions of unseen documents.

    *missing_ext* and *missing_max* are the contributions between depths s and l. 0 <= min <= ext <= max <= 1 is a
    theorem; clipping makes it hold in spite of rounding.
    """
    short_length, long_length, shared, agreement, minimum = seen
    tail, over_depth = weights.tail, weights.tail_over_depth
    down_to_long = minimum - shared * over_depth[long_length]
    agreement_at_long = (shared + (long_length - short_length) * agreement) / np.maximum(long_length, 1)
    # From l to the depth f of full agreement, X_d = 2 d - f, so A_d = 2 - f / d; after f, A_d = 1.
    full_depth = long_length + short_length - shared
    over_depth_difference = over_depth[long_length] - over_depth[full_depth]
    maximum = down_to_long + missing_max + 2 * tail[long_length] - tail[full_depth] - full_depth * over_depth_difference
    low = np.clip(minimum, 0, 1)
    high = np.clip(maximum, low, 1)
    ext = np.clip(down_to_long + missing_ext + tail[long_length] * agreement_at_long, low, high)
    return Overlaps(ext, low, high, high - low, shared)


class _GroupContributions(NamedTuple):
    """Contributions c of the documents of rankings at each depth (rows x depths).

    At any depth at most one tie group is *split*: the depth lies between the first and the last rank of the group.

    Attributes
    ----------
    complete_count
        Number of documents in groups that end at or above this depth; each of these documents contributes 1.
    split_count
        Number of documents in the split group, 0 if there is none.
    fraction
        Contribution of each document of the split group.
    """

    complete_count: Ints
    split_count: Ints
    fraction: Floats

    @classmethod
    def from_groups(cls, groups: Ints, share_a_rank: bool) -> _GroupContributions:
        """Compute the contributions from *groups*: the first and the last rank of the tie group at each rank."""
        first, last = groups
        depth = np.arange(1, first.shape[1] + 1)
        is_split = depth < last
        fraction = np.where(is_split, 1.0 if share_a_rank else (depth - first + 1) / (last - first + 1), 0.0)
        return cls(np.where(is_split, first - 1, depth), np.where(is_split, last - first + 1, 0), fraction)

    def select_rows(self, rows: Ints) -> _GroupContributions:
        return _GroupContributions(self.complete_count[rows], self.split_count[rows], self.fraction[rows])

    @property
    def reached_count(self) -> Ints:
        """Number of documents reached."""
        return self.complete_count + self.split_count

    @property
    def sum_of_squares(self) -> Floats:
        """Sum of c^2 over documents."""
        return self.complete_count + self.split_count * self.fraction**2


class _SharedCounts(NamedTuple):
    """Number of shared documents that both rankings have reached, at each depth (rows x depths).

    The counts are integers, so their sums are exact.

    Attributes
    ----------
    complete
        Number of documents whose tie group is complete in both rankings.
    split_a, split_b
        Number of documents whose tie group is split only in the first ranking, or only in the second ranking.
    split_both
        Number of documents whose tie group is split in both rankings.
    """

    complete: Ints
    split_a: Ints
    split_b: Ints
    split_both: Ints

    @classmethod
    def from_pairs(cls, pairs: RankingPairs, groups: TieGroups) -> _SharedCounts:
        """Count the shared documents of each pair by depth and by the state of their tie groups."""
        (first_a, last_a), (first_b, last_b) = groups
        row, position, rank = pairs.shared
        # First and last rank of the tie group of each shared document, in a and in b.
        top_a, bottom_a = first_a[row, position], last_a[row, position]
        top_b, bottom_b = first_b[row, rank - 1], last_b[row, rank - 1]
        shape = (len(pairs), pairs.second_rank.shape[1])
        end = np.full_like(row, shape[1] + 1)
        return cls(
            _count_intervals(row, np.maximum(bottom_a, bottom_b), end, shape),
            _count_intervals(row, np.maximum(top_a, bottom_b), bottom_a, shape),
            _count_intervals(row, np.maximum(top_b, bottom_a), bottom_b, shape),
            _count_intervals(row, np.maximum(top_a, top_b), np.minimum(bottom_a, bottom_b), shape),
        )

    def select_rows(self, rows: Ints) -> _SharedCounts:
        return _SharedCounts(*(column[rows] for column in self))


def _count_intervals(row: Ints, start: Ints, stop: Ints, shape: tuple[int, int]) -> Ints:
    """Count, for each row and depth, the intervals [start, stop) that contain the depth."""
    nonempty = start < stop
    row, start, stop = row[nonempty], start[nonempty], stop[nonempty]
    rows, depths = shape
    # Add 1 where an interval starts and subtract 1 where it stops; the cumulated sum counts the open intervals.
    change = np.bincount(row * (depths + 1) + start - 1, minlength=rows * (depths + 1))
    change -= np.bincount(row * (depths + 1) + stop - 1, minlength=rows * (depths + 1))
    return np.cumsum(change.reshape(rows, depths + 1)[:, :-1], axis=1)


def _compute_with_ties(pairs: RankingPairs, groups: TieGroups, weights: _DepthWeights, tied: str) -> Overlaps:
    """Compute RBO with ties as sums over depths; X_d, A_d and c are defined in the docstring of the module."""
    a, b = (_GroupContributions.from_groups(group, tied == "w") for group in groups)
    common = _SharedCounts.from_pairs(pairs, groups)
    depth = np.arange(1, pairs.second_rank.shape[1] + 1)
    overlap = (
        common.complete
        + a.fraction * common.split_a
        + b.fraction * common.split_b
        + a.fraction * b.fraction * common.split_both
    )
    divisor = _agreement_divisor(a, b, depth, tied)
    short_length, long_length = pairs.length.min(axis=1), pairs.length.max(axis=1)
    shared = np.bincount(pairs.shared[0], minlength=len(pairs))
    rows = np.arange(len(pairs))
    agreement = np.where(short_length > 0, overlap[rows, short_length - 1] / divisor[rows, short_length - 1], 0.0)
    weight = weights.by_depth[: len(depth)] / divisor
    # After the last rank, the overlap X stays constant, so the agreement at depth d is X / d.
    minimum = (overlap * weight).sum(axis=1) + shared * weights.tail_over_depth[len(depth)]
    unseen_mean, unseen_max = np.zeros(len(pairs)), np.zeros(len(pairs))
    uneven_rows = np.flatnonzero(short_length < long_length)
    if len(uneven_rows):
        unseen_mean[uneven_rows], unseen_max[uneven_rows] = _unseen_contributions(
            a.select_rows(uneven_rows),
            b.select_rows(uneven_rows),
            common.select_rows(uneven_rows),
            weight[uneven_rows],
            pairs.length[uneven_rows],
        )
    seen = _SeenOverlap(short_length, long_length, shared, agreement, minimum)
    return _extrapolate(weights, seen, agreement * unseen_mean, unseen_max)


def _agreement_divisor(a: _GroupContributions, b: _GroupContributions, depth: Ints, tied: str) -> Floats:
    """Return the divisor of X_d; after the end of a ranking each unseen document contributes 1."""
    if tied == "w":
        return (a.reached_count + b.reached_count) / 2
    if tied == "b":
        return np.sqrt(a.sum_of_squares * b.sum_of_squares)
    return np.broadcast_to(depth.astype(np.float64), a.complete_count.shape)


def _unseen_contributions(
    a: _GroupContributions, b: _GroupContributions, common: _SharedCounts, weight: Floats, length: Ints
) -> tuple[Floats, Floats]:
    """Return the contributions of the unseen documents of S between depths s and l, if all are shared.

    The first array (for *ext*) assumes that an unseen document contributes the mean contribution of the documents that
    only L contains. The second array (for *max*) assumes that the unseen documents are the highest-ranked of these
    documents. After depth s, all groups of S are complete. So the number of documents that only L contains is the
    number reached in L minus the number of shared documents.
    """
    short_length, long_length = length.min(axis=1)[:, None], length.max(axis=1)[:, None]
    depth = np.arange(1, weight.shape[1] + 1)
    weight = np.where((depth > short_length) & (depth <= long_length), weight, 0.0)
    missing = depth - short_length
    a_is_longer = length[:, :1] > length[:, 1:]
    fraction = np.where(a_is_longer, a.fraction, b.fraction)
    complete = np.where(a_is_longer, a.complete_count, b.complete_count) - common.complete
    split = np.where(a_is_longer, a.split_count, b.split_count) - common.split_a - common.split_b
    mean = missing * (complete + fraction * split) / np.maximum(complete + split, 1)
    top = np.minimum(missing, complete) + fraction * np.maximum(missing - complete, 0)
    return (mean * weight).sum(axis=1), (top * weight).sum(axis=1)
