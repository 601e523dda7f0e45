"""Rank correlation of two rankings: Kendall's tau, tau-AP and Spearman's rho, over the documents that both contain.

Two documents are concordant if both rankings have them in the same order. For n shared documents with C concordant and
D discordant pairs, tau = (C - D) / (n (n - 1) / 2).

tau-AP (E. Yilmaz, J. Aslam, S. Robertson, A new rank correlation coefficient for information retrieval, SIGIR 2008)
gives more weight to the top: tau-AP = 2 / (n - 1) sum C_i / (r_i - 1) - 1, where r_i is the rank of document i in the
second ranking, C_i is the number of documents above i in both rankings, and the sum is over all documents except the
first. tau-AP is not symmetric, because the ranks are those of one ranking. Here it is the mean of both directions, as
the authors propose if neither ranking is the true ranking.

Spearman's rho (C. Spearman, The proof and measurement of association between two things, American Journal of Psychology
15, 1904) is the correlation coefficient of the ranks: rho = 1 - 6 S / (n (n^2 - 1)), where S is the sum of the squared
differences of ranks.

Treatments of known ties:

* ``a``: the mean over all orders of the tied documents of both rankings. For tau this is tau-a (a tied pair is neither
  concordant nor discordant). For tau-AP it is tau-AP-a of J. Urbano and M. Marrero (The treatment of ties in AP
  correlation, ICTIR 2017), extended from ties in one ranking to ties in both.
* ``b`` and ``w``: tau-b, (C - D) / sqrt(pairs not tied in one x pairs not tied in the other), and tau-AP-b of Urbano
  and Marrero. For tau-AP-b, each document below the first tie group has a fraction: of the documents above its tie
  group, the fraction that is concordant with it. The coefficient is 2 m - 1, where m is the mean of these fractions. A
  pair that is tied in only one ranking is not concordant, so tau-AP-b rewards agreement on ties. If all documents of
  one ranking are tied, tau-AP-b is -1 in one direction and undefined in the other.

With ``a``, rho is the mean over all orders, too. With ``b`` and ``w``, tied documents share the mean of their ranks.

All coefficients are 1 for a ranking and itself if there are no ties; with ``b`` they are 1 even if there are ties.
All are undefined for fewer than two shared documents, and with ``b`` also if all shared documents are tied in one
ranking.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from assay.distance.ranking_pairs import RankingPairs, TieGroups, check_tie_treatment, pair_sequences
from assay.model.arguments import check_arguments
from assay.model.arrays import Bools, Codes, Floats, Ints


class RankCorrelation(NamedTuple):
    """Kendall's tau, tau-AP and Spearman's rho (None if undefined), and the number of shared documents."""

    tau: float | None
    tau_ap: float | None
    rho: float | None
    shared: int


class Correlations(NamedTuple):
    """Kendall's tau, tau-AP and Spearman's rho of many pairs; NaN where undefined."""

    tau: Floats
    tau_ap: Floats
    rho: Floats


@check_arguments
def rank_correlation(a: Iterable[object], b: Iterable[object], *, tied: str = "b") -> RankCorrelation:
    """Compute tau, tau-AP and rho of two rankings, given as sequences of documents, best first.

    Parameters
    ----------
    a, b
        The rankings; only documents in both are compared. A set, list or tuple as an element holds tied documents.
    tied
        Treatment of ties: ``a`` (the mean over all orders), ``b`` or ``w`` (corrected for ties), or ``order`` (tied
        documents stay in the given order).

    Examples
    --------
    >>> rank_correlation("abcd", "abdc")
    RankCorrelation(tau=0.6666666666666667, tau_ap=0.7777777777777777, rho=0.8, shared=4)
    >>> rank_correlation("abx", "bya").tau, rank_correlation("abx", "cya").tau
    (-1.0, None)
    """
    check_tie_treatment(tied)
    pair = pair_sequences(a, b)
    tau, tau_ap, rho = (None if np.isnan(value[0]) else float(value[0]) for value in compute_correlations(pair, tied))
    return RankCorrelation(tau, tau_ap, rho, int(np.count_nonzero(pair.second_rank)))


def compute_correlations(pairs: RankingPairs, tied: str) -> Correlations:
    """Compute tau, tau-AP and rho of each pair of rankings."""
    if tied == "order" or pairs.groups is None:
        return _compute_without_ties(pairs)
    return _compute_with_ties(pairs, pairs.groups, tied)


def _compute_without_ties(pairs: RankingPairs) -> Correlations:
    """Compute tau and tau-AP of pairs in which no documents are tied."""
    row, _, rank = pairs.shared
    rows = len(pairs)
    count = np.bincount(row, minlength=rows)
    # Positions of the shared documents (from 0) in either ranking, among shared documents only.
    position_a = np.arange(len(row)) - (np.cumsum(count) - count)[row]
    is_shared = np.zeros((rows, int(rank.max(initial=0)) + 1), dtype=np.int32)
    is_shared[row, rank] = 1
    position_b = np.cumsum(is_shared, axis=1, dtype=np.int32)[row, rank].astype(np.int64) - 1
    concordant = count_concordant_above(row, position_a, position_b, count)
    inverse = 1 / np.maximum(np.arange(int(count.max(initial=0)) + 1), 1)
    total = np.bincount(row, weights=concordant, minlength=rows)
    by_a, by_b = (
        np.bincount(row, weights=concordant * inverse[position], minlength=rows)
        for position in (position_a, position_b)
    )
    n = np.maximum(count, 2)  # avoids a division by 0 where the result is undefined anyway
    rho = _sum_products(row, n, 2 * position_a + 1, 2 * position_b + 1) / _untied_squares(n)
    return _mask_undefined(count > 1, 4 * total / (n * (n - 1)) - 1, (by_a + by_b) / (n - 1) - 1, rho)


def _mask_undefined(defined: Bools, *coefficients: Floats) -> Correlations:
    """Return the values clipped to [-1, 1], because of rounding, and NaN where they are not *defined*."""
    return Correlations(*(np.where(defined, np.clip(value, -1, 1), np.nan) for value in coefficients))


def _sum_products(row: Ints, count: Ints, a: Ints, b: Ints) -> Floats:
    """Return four times the sum of the products of centred ranks of each row.

    *a* and *b* are 2 x rank - 1 in the two rankings: whole numbers even for mean ranks, with the mean *count*.
    """
    n = count[row]
    return np.bincount(row, weights=(a - n) * (b - n), minlength=len(count)).astype(np.float64, copy=False)


def _untied_squares(count: Ints) -> Floats:
    """Return the sum of the squares of centred ranks, times 4, of a ranking without ties."""
    return count.astype(np.float64) * (count.astype(np.float64) ** 2 - 1) / 3


def count_concordant_above(row: Ints, position_a: Ints, position_b: Ints, count: Ints) -> Ints:
    """Count, for each element, the elements of its row with smaller positions in both rankings.

    A row has *count* elements; their positions in either ranking are permutations of 0 to count - 1. The result is a
    sum of three parts. Divide the positions in a into blocks, and divide the positions in b into buckets of the same
    size, about sqrt(count). A smaller element is

    * in an earlier block and a smaller bucket: counted by a cumulated table of blocks x buckets;
    * in an earlier block and the same bucket: counted by comparing the members of a bucket with each other;
    * in the same block: counted by comparing the members of a block with each other.

    This takes O(n sqrt(n)) time in a few array operations that process all rows together.
    """
    longest = int(count.max(initial=0))
    size = 1 << (longest.bit_length() // 2)
    blocks = longest // size + 1
    block, bucket = position_a // size, position_b // size
    cell = (row * blocks + block) * blocks + bucket
    table = np.bincount(cell, minlength=len(count) * blocks * blocks).reshape(len(count), blocks, blocks)
    earlier_count = np.zeros(table.shape, dtype=np.int32)
    np.cumsum(np.cumsum(table[:, :-1, :-1], axis=1, dtype=np.int32), axis=2, out=earlier_count[:, 1:, 1:])
    # Lay out the rows one after the other, each padded to whole blocks.
    padded = -(-count // size) * size
    start = (np.cumsum(padded) - padded)[row]
    in_block = _count_smaller_before(start + position_a, position_b, int(padded.sum()), size)
    in_bucket = _count_smaller_before(start + position_b, block, int(padded.sum()), size)
    return np.asarray(earlier_count.ravel()[cell] + in_block + in_bucket)


def _count_smaller_before(index: Ints, number: Ints, length: int, size: int) -> Ints:
    """Count, for each number, the smaller numbers before it in its block.

    The numbers are at *index* in an array of this *length*, which is divided into blocks of *size* elements.
    """
    is_small = len(number) == 0 or number.max() <= np.iinfo(np.int16).max
    line: Codes = np.zeros(length, dtype=np.int16 if is_small else np.int64)  # small integers compare faster
    line[index] = number
    # The first axis runs through the members of a block, so each step compares members of all blocks at a fixed
    # distance. Padding comes after the members of a block, so it does not affect their counts.
    members = np.ascontiguousarray(line.reshape(-1, size).T)
    smaller: Codes = np.zeros(members.shape, dtype=np.uint8 if size <= 256 else np.int64)
    for distance in range(1, size):
        smaller[distance:] += (members[:-distance] < members[distance:]).view(np.uint8)
    return smaller.T.ravel()[index].astype(np.int64)


# Ties ------------------------------------------------------------------------------------------------------------


class _TiedSide(NamedTuple):
    """Counts of documents in one ranking, for each shared document.

    Attributes
    ----------
    above_count
        Number of documents above its tie group.
    group_size
        Number of documents in its tie group, including the document itself.
    tied_above_count
        Number of documents in its tie group that the other ranking has above it.
    """

    above_count: Ints
    group_size: Ints
    tied_above_count: Ints

    @property
    def doubled_rank(self) -> Ints:
        """Twice the rank, which tied documents share, minus 1."""
        return 2 * self.above_count + self.group_size


def _compute_with_ties(pairs: RankingPairs, groups: TieGroups, tied: str) -> Correlations:
    """Compute tau and tau-AP of pairs with ties; *tied* is one of the treatments of ties (``a``, ``b``, ``w``)."""
    row, position, rank = pairs.shared
    (first_a, _), (first_b, _) = groups
    # For each shared document, the first rank of its tie group in the first ranking (a) and in the second ranking (b).
    a, b = first_a[row, position], first_b[row, rank - 1]
    count = np.bincount(row, minlength=len(pairs))
    begin = (np.cumsum(count) - count)[row]
    # Break the ties so that two documents tied in either ranking are in opposite order in the two rankings. Then a pair
    # is concordant if and only if both rankings have it in the same order, and the count without ties applies.
    order_a, order_b = _sort_with_ties(row, a, b), len(row) - 1 - _sort_with_ties(row[::-1], b[::-1], a[::-1])
    position_a, position_b = np.empty_like(row), np.empty_like(row)
    position_a[order_a] = np.arange(len(row)) - begin
    position_b[order_b] = np.arange(len(row)) - begin
    concordant = count_concordant_above(row, position_a, position_b, count)
    start, end = _find_spans(order_a, row, a, b)
    tied_in_both = _count_tied_pairs(row, end - start, len(pairs))
    sides = _build_side(order_a, row, a, b, begin), _build_side(order_b, row, b, a, begin)
    pair_count = count * (count - 1) / 2
    untied_a, untied_b = (pair_count - _count_tied_pairs(row, side.group_size, len(pairs)) for side in sides)
    # The number of pairs tied in neither ranking is C + D, so C - D = 2 C - (C + D).
    tied_in_neither = untied_a + untied_b - pair_count + tied_in_both
    difference = 2 * np.bincount(row, weights=concordant, minlength=len(pairs)) - tied_in_neither
    rank_a, rank_b = (side.doubled_rank for side in sides)
    if tied != "a":
        defined = (untied_a > 0) & (untied_b > 0)
        tau = difference / np.sqrt(np.where(defined, untied_a * untied_b, 1.0))
        by_a, by_b = (_tau_ap_b(row, count, concordant, side) for side in sides)
        squares = _sum_products(row, count, rank_a, rank_a) * _sum_products(row, count, rank_b, rank_b)
        rho = _sum_products(row, count, rank_a, rank_b) / np.sqrt(np.where(defined, squares, 1.0))
        return _mask_undefined(defined, tau, (by_a + by_b) / 2, rho)
    n = np.maximum(count, 2)
    # If a document is above another one in this ranking and they are tied in the other ranking, it is above the other
    # document in half of the orders.
    by_a, by_b = (
        _expected_tau_ap(row, n, concordant + other.tied_above_count / 2, side) for side, other in (sides, sides[::-1])
    )
    # The orders of the two rankings are independent, so the mean of a product of ranks is the product of mean ranks.
    rho = _sum_products(row, n, rank_a, rank_b) / _untied_squares(n)
    return _mask_undefined(count > 1, difference / (n * (n - 1) / 2), (by_a + by_b) / 2, rho)


def _count_tied_pairs(row: Ints, group_size: Ints, rows: int) -> Floats:
    """Return the number of tied pairs of each row, given the size of the tie group of each document."""
    return np.asarray(np.bincount(row, weights=group_size - 1, minlength=rows) / 2)


def _build_side(order: Ints, row: Ints, own: Ints, other: Ints, begin: Ints) -> _TiedSide:
    """Build the counts of one ranking; in *order* each of its groups descends in the other ranking."""
    start, end = _find_spans(order, row, own)
    _, end_both = _find_spans(order, row, own, other)
    return _TiedSide(start - begin, end - start, end - end_both)


def _sort_with_ties(row: Ints, first: Ints, second: Ints) -> Ints:
    """Return a stable order by row, then by *first* ascending, then by *second* descending."""
    # Sorting by one combined integer is faster than a sort by three keys.
    base = int(max(first.max(initial=0), second.max(initial=0))) + 1
    return np.argsort((row * base + first) * base + (base - 1 - second), kind="stable")


def _find_spans(order: Ints, *keys: Ints) -> tuple[Ints, Ints]:
    """Return, for each element, the start and the end (exclusive) of the elements with equal keys in *order*.

    The order must keep elements with equal keys together.
    """
    is_start = np.zeros(len(order), dtype=bool)
    is_start[:1] = True
    for key in keys:
        is_start[1:] |= key[order[1:]] != key[order[:-1]]
    first = np.flatnonzero(is_start)
    group = np.cumsum(is_start) - 1
    start, end = np.empty_like(order), np.empty_like(order)
    start[order] = first[group]
    end[order] = np.append(first[1:], len(order))[group]
    return start, end


def _expected_tau_ap(row: Ints, count: Ints, concordant_above: Floats, side: _TiedSide) -> Floats:
    """Return the mean of one direction of tau-AP over all orders of the tied documents.

    *concordant_above* is the expected number of concordant documents above the tie group of each document.

    A document in a group of t documents, with u documents above the group, has each of the ranks u + 1 to u + t with
    the same probability. A concordant document above the group then contributes the mean of 1 / (rank - 1). Of the
    documents of its own group that precede the document, half are concordant on average.
    """
    # Sums of 1 / (rank - 1) over the ranks of a group are differences of harmonic numbers.
    harmonic = np.cumsum(np.append(0.0, 1 / np.arange(1.0, int(count.max(initial=1)) + 1)))
    u, t = side.above_count, side.group_size
    last = harmonic[u + t - 1]
    mean_inverse = np.where(u > 0, last - harmonic[np.maximum(u - 1, 0)], 0.0) / t
    within_group = (t - 1 - u * (last - harmonic[u])) / (2 * t)
    total = np.bincount(row, weights=concordant_above * mean_inverse + within_group, minlength=len(count))
    return np.asarray(2 * total / (count - 1) - 1)


def _tau_ap_b(row: Ints, count: Ints, concordant: Ints, side: _TiedSide) -> Floats:
    """Return one direction of tau-AP-b.

    Each document below the first tie group has a fraction: of the documents above its tie group, the fraction that is
    concordant with it. m is the mean of these fractions; the result is 2 m - 1.
    """
    fraction = concordant / np.maximum(side.above_count, 1)
    total = np.bincount(row, weights=fraction, minlength=len(count))
    below_count = np.bincount(row[side.above_count > 0], minlength=len(count))
    return np.asarray(2 * total / np.maximum(below_count, 1) - 1)
