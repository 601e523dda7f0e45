"""Terms of a measure for the documents of two rankings, and the weights of the lattice that follow from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.distance._med.lattice import LatticeWeights
from assay.distance._med.pairs import Pair
from assay.model.arrays import Bools, Floats, Ints


class Linear(NamedTuple):
    """The term of the document at each rank is ``base + slope * s``, where s counts the labels down to that rank.

    It is 0 for judged documents that do not count, and taken as 0 where an unjudged document has no label.
    """

    base: Floats
    slope: Floats


class TermTable(NamedTuple):
    """The term of the document at each rank for every number of labels down to that rank: ranks x numbers.

    Numbers beyond the unjudged documents of the ranking are not needed.
    """

    term: Floats


def linear_weights(pair: Pair, y: Linear, z: Linear, most: int | None = None) -> LatticeWeights:
    """The weights of terms that are linear in the number of labels: O(1) for each of them.

    Only numbers of labels up to *most* are looked at, which saves time.
    """
    c = _labels(pair, most)
    return LatticeWeights(_linear_rows(pair, y, z, c), _linear_top(pair, y, z, c), _linear_right(pair, y, z, c))


def _labels(pair: Pair, most: int | None) -> Ints:
    """The numbers of labels of columns."""
    n = len(pair.column)
    return np.arange(1 + (n if most is None else min(n, most)))


def _linear_rows(pair: Pair, y: Linear, z: Linear, c: Ints) -> Floats:
    first, second = pair.first, pair.second
    at, down = np.flatnonzero(first.shared)[pair.column], np.flatnonzero(second.shared)
    ahead = _ahead(pair)
    above = np.cumsum(np.where(first.shared, 0.0, y.slope))[at] + ahead @ y.slope[first.shared]
    below = np.cumsum(np.where(second.free, 0.0, z.slope))[down]
    labelled = ahead.sum(axis=1) + np.cumsum(first.alone)[at]
    level = (y.base[at] + y.slope[at] * labelled - z.base[down]) + (below - above)
    return np.asarray(level[:, None] + (y.slope[at] - z.slope[down])[:, None] * c)


def _ahead(pair: Pair) -> Bools:
    """Rows x columns: whether the column stands before that of the row, and its own row after the row."""
    n = len(pair.column)
    row = np.argsort(pair.column)
    return np.asarray((row > np.arange(n)[:, None]) & (np.arange(n) < pair.column[:, None]))


def _linear_top(pair: Pair, y: Linear, z: Linear, c: Ints) -> Floats:
    first, second = pair.first, pair.second
    ends = np.append(0, first.rank[first.alone])  # how far the documents of Y alone are labelled
    above = np.cumsum(first.alone)
    base = _upto(np.where(first.shared, 0.0, y.base + y.slope * above))[ends]
    slope = _upto(np.where(first.shared, 0.0, y.slope))[ends]
    rest = _from(np.where(first.free, 0.0, y.slope))[ends]
    base = base + _from(np.where(first.free, 0.0, y.base))[ends] + rest * np.arange(len(ends))
    # added up in the same order as Y, so that a ranking is at no distance from itself
    others, steep = (_from(np.where(second.free, 0.0, part))[0] for part in z)
    return np.asarray((base - others)[:, None] + (slope + rest - steep)[:, None] * c)


def _linear_right(pair: Pair, y: Linear, z: Linear, c: Ints) -> Floats:
    second = pair.second
    starts = np.flatnonzero(second.alone)  # from where on all documents of Z are labelled
    counts, labelled = _right_labels(pair)
    base = (counts * (y.base + y.slope * labelled)).sum(axis=1)
    slope = counts @ y.slope
    free = np.cumsum(second.free)
    rest = _from(z.slope)[starts]
    base = base - _upto(np.where(second.free, 0.0, z.base))[starts] - _from(z.base + z.slope * free)[starts]
    base = base + rest * (free[starts] - 1)
    slope = slope - _upto(np.where(second.free, 0.0, z.slope))[starts] - rest
    return np.asarray(base[:, None] + slope[:, None] * c)


def _right_labels(pair: Pair) -> tuple[Bools, Ints]:
    """Documents of Z alone x ranks of Y, if all rows from that document on are labelled.

    Which documents of Y count besides the c labels of the rows above, and how many labels there are down to each.
    """
    first, second = pair.first, pair.second
    rows = np.cumsum(second.shared)[second.alone]
    row = np.zeros(len(first.doc), dtype=np.int64)
    row[first.shared] = np.argsort(pair.column)
    counts = ~first.shared | (row >= rows[:, None])
    return counts, np.cumsum(counts & first.free, axis=1)


def _upto(amount: Floats) -> Floats:
    """The sums of the first 0, 1, 2, ... amounts."""
    return np.concatenate([[0.0], np.cumsum(amount)])


def _from(amount: Floats) -> Floats:
    """The sums of all amounts but the first 0, 1, 2, ..."""
    return np.concatenate([np.cumsum(amount[::-1])[::-1], [0.0]])


def table_weights(pair: Pair, y: TermTable, z: TermTable, most: int | None = None) -> LatticeWeights:
    """The weights of any terms: O(k) for each of them."""
    c = _labels(pair, most)
    return LatticeWeights(
        _table_rows(pair, y.term, z.term, c), _table_top(pair, y.term, z.term, c), _table_right(pair, y, z, c)
    )


def _look_up(term: Floats, rank: Ints, labels: Ints) -> Floats:
    """Terms for numbers of labels; of numbers that cannot occur any will do, and the nearest that can is taken."""
    return np.asarray(term[rank, np.minimum(labels, term.shape[1] - 1)])


def _table_rows(pair: Pair, y: Floats, z: Floats, every: Ints) -> Floats:
    first, second = pair.first, pair.second
    n = len(pair.column)
    at, down = np.flatnonzero(first.shared)[pair.column], np.flatnonzero(second.shared)
    row = np.full(len(first.doc), n)  # beyond all rows: what is no column counts whatever has been passed
    row[first.shared] = np.argsort(pair.column)
    judged = np.cumsum(z * ~second.free[:, None], axis=0)
    weights = np.zeros((n, len(every)))
    for b in range(n):
        c = every[: b + 2]
        ranks = np.flatnonzero(row[: at[b]] > b)
        labels = np.cumsum(first.free[ranks])
        above = _look_up(y, ranks[:, None], labels[:, None] + c).sum(axis=0)
        own = _look_up(y, at[b], np.sum(first.free[ranks]) + c) - _look_up(z, down[b], c)
        weights[b, 1 : len(c)] = own[1:] + np.diff(_look_up(judged, down[b], c) - above)
    return weights


def _table_top(pair: Pair, y: Floats, z: Floats, c: Ints) -> Floats:
    first, second = pair.first, pair.second
    ends = np.append(0, first.rank[first.alone])
    each = _look_up(y, (first.rank - 1)[:, None], np.cumsum(first.alone)[:, None] + c) * ~first.shared[:, None]
    above = np.cumsum(np.concatenate([np.zeros((1, len(c))), each]), axis=0)[ends]
    rest, others = (
        np.cumsum(np.concatenate([np.zeros((1, term.shape[1])), (term * ~side.free[:, None])[::-1]]), axis=0)[::-1]
        for term, side in ((y, first), (z, second))
    )
    labels = np.arange(len(ends))[:, None] + c
    return np.asarray(above + _look_up(rest, ends[:, None], labels) - _look_up(others, np.zeros_like(c), c))


def _table_right(pair: Pair, y: TermTable, z: TermTable, c: Ints) -> Floats:
    second = pair.second
    starts = np.flatnonzero(second.alone)
    free = np.cumsum(second.free)
    weights = np.zeros((len(starts), len(c)))
    for i, (start, counts, labels) in enumerate(zip(starts, *_right_labels(pair), strict=True)):
        ranks = np.flatnonzero(counts)
        weights[i] = _look_up(y.term, ranks[:, None], labels[ranks, None] + c).sum(axis=0)
        ranks = np.flatnonzero(~second.free | (second.rank > start))
        below = np.maximum(free[ranks] - free[start] + 1, 0) * (ranks >= start)
        weights[i] -= _look_up(z.term, ranks[:, None], below[:, None] + c).sum(axis=0)
    return weights
