"""Rank correlation of two rankings: Kendall's tau and tau-AP, over the documents that both have.

Two documents are concordant if both rankings have them in the same order. Of n shared documents with C concordant and D
discordant pairs tau is (C - D) / (n (n - 1) / 2). tau-AP (E. Yilmaz, J. Aslam, S. Robertson, A new rank correlation
coefficient for information retrieval, SIGIR 2008) weighs the top more: with C_i documents above document i in both
rankings and i at rank r_i of the second one, it is 2 / (n - 1) sum C_i / (r_i - 1) - 1, over all but the first. It is
not symmetric, as the ranks are those of one ranking; here it is the mean of both directions, as its authors propose
where neither ranking is the true one.

Ties, where they are known:

* ``a``: the mean over all orders of the tied documents of both rankings. For tau that is tau-a (tied pairs count
  neither way); for tau-AP it is tau-AP-a of J. Urbano and M. Marrero (The treatment of ties in AP correlation, ICTIR
  2017), who have ties in one ranking, taken to both.
* ``b`` and ``w``: tau-b, (C - D) / sqrt(pairs not tied in one x pairs not tied in the other), and tau-AP-b of Urbano
  and Marrero: only documents below the first group count, each with the concordant ones above its group over the number
  of those above its group. A pair that is tied in one ranking only is not concordant, so that tau-AP-b of a ranking
  against one with all documents tied has no value from one side, and -1 from the other: it rewards agreeing on ties.

Both are 1 for a ranking without ties and itself, with ``b`` also with ties. Neither has a value for fewer than two
shared documents, nor ``b`` if one ranking ties all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from assay.distance.aligned import Aligned, Groups, check_treatment, of_sequences
from assay.model.arguments import check_arguments
from assay.model.arrays import Bools, Codes, Floats, Ints


class RankCorrelation(NamedTuple):
    """Kendall's tau and tau-AP, None where there is no value, and how many documents were compared."""

    tau: float | None
    tau_ap: float | None
    shared: int


class Correlations(NamedTuple):
    """Kendall's tau and tau-AP of many pairs; NaN where there is no value."""

    tau: Floats
    tau_ap: Floats


@check_arguments
def rank_correlation(a: Iterable[object], b: Iterable[object], *, tied: str = "b") -> RankCorrelation:
    """Tau and tau-AP of two rankings of documents; a set, list or tuple in the place of a document holds tied ones.

    >>> rank_correlation("abcd", "abdc")
    RankCorrelation(tau=0.6666666666666667, tau_ap=0.7777777777777777, shared=4)
    >>> rank_correlation("abx", "bya").tau, rank_correlation("abx", "cya").tau
    (-1.0, None)
    """
    check_treatment(tied)
    pair = of_sequences(a, b)
    tau, tau_ap = (None if np.isnan(value[0]) else float(value[0]) for value in correlations(pair, tied))
    return RankCorrelation(tau, tau_ap, int(np.count_nonzero(pair.other)))


def correlations(pairs: Aligned, tied: str) -> Correlations:
    """Tau and tau-AP of each pair of rankings."""
    if tied == "order" or pairs.groups is None:
        return _untied(pairs)
    return _tied(pairs, pairs.groups, tied)


def _untied(pairs: Aligned) -> Correlations:
    row, _, rank = pairs.shared
    rows = len(pairs)
    count = np.bincount(row, minlength=rows)
    number = np.arange(len(row)) - (np.cumsum(count) - count)[row]
    # The rank in the second ranking, among shared documents only.
    there = np.zeros((rows, int(rank.max(initial=0)) + 1), dtype=np.int32)
    there[row, rank] = 1
    placed = np.cumsum(there, axis=1, dtype=np.int32)[row, rank].astype(np.int64) - 1
    concordant = both_above(row, number, placed, count)
    over = 1 / np.maximum(np.arange(int(count.max(initial=0)) + 1), 1)
    total = np.bincount(row, weights=concordant, minlength=rows)
    by_a, by_b = (np.bincount(row, weights=concordant * over[above], minlength=rows) for above in (number, placed))
    several = np.maximum(count, 2)
    return _where(count > 1, 4 * total / (several * (several - 1)) - 1, (by_a + by_b) / (several - 1) - 1)


def _where(defined: Bools, tau: Floats, tau_ap: Floats) -> Correlations:
    """Values, within their bounds to the last digit."""
    return Correlations(*(np.where(defined, np.clip(value, -1, 1), np.nan) for value in (tau, tau_ap)))


def both_above(row: Ints, place: Ints, number: Ints, count: Ints) -> Ints:
    """For each element how many elements of its row stand before it and have smaller numbers.

    Rows have *count* elements; their places and their numbers are permutations of 0 to count - 1. Places are cut into
    blocks and numbers into buckets of one size, about the root of their number. A place before it with a smaller number
    is in an earlier block and in a smaller bucket (counted by a table of blocks x buckets), or in an earlier block and
    in the same bucket, or in the same block: the last two are found by comparing the members of a bucket, or of a
    block, with each other.
    """
    longest = int(count.max(initial=0))
    size = 1 << (longest.bit_length() // 2)
    blocks = longest // size + 1
    block, bucket = place // size, number // size
    cell = (row * blocks + block) * blocks + bucket
    table = np.bincount(cell, minlength=len(count) * blocks * blocks).reshape(len(count), blocks, blocks)
    before = np.zeros(table.shape, dtype=np.int32)
    np.cumsum(np.cumsum(table[:, :-1, :-1], axis=1, dtype=np.int32), axis=2, out=before[:, 1:, 1:])
    # Rows one behind the other, each filled up to whole blocks.
    room = -(-count // size) * size
    start = (np.cumsum(room) - room)[row]
    in_block = _smaller_before(start + place, number, int(room.sum()), size)
    in_bucket = _smaller_before(start + number, block, int(room.sum()), size)
    return np.asarray(before.ravel()[cell] + in_block + in_bucket)


def _smaller_before(at: Ints, number: Ints, room: int, size: int) -> Ints:
    """For numbers at places, cut into blocks, how many places of its block before it hold smaller numbers."""
    small = len(number) == 0 or number.max() <= np.iinfo(np.int16).max
    line: Codes = np.zeros(room, dtype=np.int16 if small else np.int64)
    line[at] = number
    # Members of blocks along the first axis: all blocks of all rows are compared at once. What fills up a block stands
    # behind its members, which it does not touch.
    members = np.ascontiguousarray(line.reshape(-1, size).T)
    found: Codes = np.zeros(members.shape, dtype=np.uint8 if size <= 256 else np.int64)
    for apart in range(1, size):
        found[apart:] += (members[:-apart] < members[apart:]).view(np.uint8)
    return found.T.ravel()[at].astype(np.int64)


# Ties ------------------------------------------------------------------------------------------------------------


class _TiedSide(NamedTuple):
    """One ranking, a number for each shared document.

    How many documents are above its group, how many its group has, and how many of these the other ranking has above.
    """

    above: Ints
    size: Ints
    tied_above: Ints


def _tied(pairs: Aligned, groups: Groups, tied: str) -> Correlations:
    row, place, rank = pairs.shared
    (first_a, _), (first_b, _) = groups
    a, b = first_a[row, place], first_b[row, rank - 1]
    count = np.bincount(row, minlength=len(pairs))
    begin = (np.cumsum(count) - count)[row]
    # In an order in which documents that are tied in either ranking are never in the same order in both, the pairs that
    # are in the same order are the concordant ones.
    by_a, by_b = _ordered(row, a, b), len(row) - 1 - _ordered(row[::-1], b[::-1], a[::-1])
    number, placed = np.empty_like(row), np.empty_like(row)
    number[by_a] = np.arange(len(row)) - begin
    placed[by_b] = np.arange(len(row)) - begin
    concordant = both_above(row, number, placed, count)
    start, end = _spans(by_a, row, a, b)
    both = np.bincount(row, weights=end - start - 1, minlength=len(pairs)) / 2
    sides = _side(by_a, row, a, b, begin), _side(by_b, row, b, a, begin)
    if tied == "a":
        return _mean_over_orders(row, count, concordant, both, sides)
    return _corrected(row, count, concordant, both, sides)


def _side(order: Ints, row: Ints, own: Ints, other: Ints, begin: Ints) -> _TiedSide:
    """Groups of a ranking in an order in which each descends in the other ranking."""
    start, end = _spans(order, row, own)
    _, end_both = _spans(order, row, own, other)
    return _TiedSide(start - begin, end - start, end - end_both)


def _counted(
    row: Ints, count: Ints, concordant: Ints, both: Floats, sides: tuple[_TiedSide, _TiedSide]
) -> tuple[Floats, Floats, Floats]:
    """Concordant less discordant pairs, and the pairs that are not tied in each of the rankings."""
    rows = len(count)
    every = count * (count - 1) / 2
    ties_a, ties_b = (np.bincount(row, weights=side.size - 1, minlength=rows) / 2 for side in sides)
    agree = np.bincount(row, weights=concordant, minlength=rows)
    return 2 * agree - (every - ties_a - ties_b + both), every - ties_a, every - ties_b


def _mean_over_orders(
    row: Ints, count: Ints, concordant: Ints, both: Floats, sides: tuple[_TiedSide, _TiedSide]
) -> Correlations:
    several = np.maximum(count, 2)
    tau = _counted(row, count, concordant, both, sides)[0] / (several * (several - 1) / 2)
    a, b = sides
    # A document above in this ranking and tied in the other one is above there in half of the orders.
    by_a = _over_orders(row, several, concordant + b.tied_above / 2, a)
    by_b = _over_orders(row, several, concordant + a.tied_above / 2, b)
    return _where(count > 1, tau, (by_a + by_b) / 2)


def _corrected(
    row: Ints, count: Ints, concordant: Ints, both: Floats, sides: tuple[_TiedSide, _TiedSide]
) -> Correlations:
    difference, untied_a, untied_b = _counted(row, count, concordant, both, sides)
    defined = (untied_a > 0) & (untied_b > 0)
    tau = difference / np.sqrt(np.where(defined, untied_a * untied_b, 1.0))
    by_a, by_b = (_below_the_top(row, count, concordant, side) for side in sides)
    return _where(defined, tau, (by_a + by_b) / 2)


def _ordered(row: Ints, first: Ints, second: Ints) -> Ints:
    """A stable order by row, by *first* and by *second* from the end: one number for all three sorts fastest."""
    many = int(max(first.max(initial=0), second.max(initial=0))) + 1
    return np.argsort((row * many + first) * many + (many - 1 - second), kind="stable")


def _spans(order: Ints, *keys: Ints) -> tuple[Ints, Ints]:
    """For each element where its equals begin and end (behind the last) in an order that keeps equals together."""
    fresh = np.zeros(len(order), dtype=bool)
    fresh[:1] = True
    for key in keys:
        fresh[1:] |= key[order[1:]] != key[order[:-1]]
    first = np.flatnonzero(fresh)
    group = np.cumsum(fresh) - 1
    start, end = np.empty_like(order), np.empty_like(order)
    start[order] = first[group]
    end[order] = np.append(first[1:], len(order))[group]
    return start, end


def _over_orders(row: Ints, count: Ints, above: Floats, side: _TiedSide) -> Floats:
    """tau-AP over all orders of the groups of a ranking; *above* has the concordant documents above each group.

    A document with u documents above its group of t is at ranks u + 1 to u + t alike: those above the group count
    1 / (rank - 1) in the mean, and of k documents of the group above it half are concordant.
    """
    harmonic = np.cumsum(np.append(0.0, 1 / np.arange(1.0, int(count.max(initial=1)) + 1)))
    upper, size = side.above, side.size
    last = harmonic[upper + size - 1]
    mean = np.where(upper > 0, last - harmonic[np.maximum(upper - 1, 0)], 0.0) / size
    inside = (size - 1 - upper * (last - harmonic[upper])) / (2 * size)
    total = np.bincount(row, weights=above * mean + inside, minlength=len(count))
    return np.asarray(2 * total / (count - 1) - 1)


def _below_the_top(row: Ints, count: Ints, concordant: Ints, side: _TiedSide) -> Floats:
    """tau-AP-b from one side: of the documents below the first group, the share of those above that are concordant."""
    share = concordant / np.maximum(side.above, 1)
    total = np.bincount(row, weights=share, minlength=len(count))
    below = np.bincount(row[side.above > 0], minlength=len(count))
    return np.asarray(2 * total / np.maximum(below, 1) - 1)
