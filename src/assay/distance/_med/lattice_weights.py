"""Terms of a measure for the documents of two rankings, and the lattice weights that follow from them.

Each kind of weight (rows, top edge, right edge; see ``LatticeWeights``) is computed twice: in closed form for terms
that are linear in the number of labels, and by summation for terms given as a table. In both forms, *s* is the number
of labels down to a rank, including a label at the rank itself. A position in a ranking is the rank minus 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.distance._med.lattice import LatticeWeights
from assay.distance._med.pairs import Pair
from assay.model.arrays import Bools, Floats, Ints


class LinearTerms(NamedTuple):
    """Terms of the form ``base + slope * s`` for the document at each rank.

    *base* and *slope* are 0 for judged documents that do not contribute. The term of a free document applies only if it
    is labelled.
    """

    base: Floats
    slope: Floats


class TermTable(NamedTuple):
    """Terms of the document at each rank for every s: ranks x label counts.

    Label counts range from 0 to the number of free documents of the ranking.
    """

    term: Floats


def linear_weights(pair: Pair, y: LinearTerms, z: LinearTerms, max_labels: int | None = None) -> LatticeWeights:
    """Return the weights of terms that are linear in the number of labels, in O(1) time for each weight.

    To save time, only label counts up to *max_labels* are considered.
    """
    c = _label_counts(pair, max_labels)
    return LatticeWeights(_linear_rows(pair, y, z, c), _linear_top(pair, y, z, c), _linear_right(pair, y, z, c))


def _label_counts(pair: Pair, max_labels: int | None) -> Ints:
    """Return the counts c of labelled rows: 0 to n, or to *max_labels* if that is less."""
    n = len(pair.column)
    return np.arange(1 + (n if max_labels is None else min(n, max_labels)))


def _linear_rows(pair: Pair, y: LinearTerms, z: LinearTerms, c: Ints) -> Floats:
    first, second = pair.first, pair.second
    y_position, z_position = np.flatnonzero(first.shared)[pair.column], np.flatnonzero(second.shared)
    pending = _pending_columns(pair)
    # One more label among the rows raises each term at a higher rank by the slope of that term.
    # This is the change of the potentials Phi and Psi.
    phi_step = np.cumsum(np.where(first.shared, 0.0, y.slope))[y_position] + pending @ y.slope[first.shared]
    psi_step = np.cumsum(np.where(second.free, 0.0, z.slope))[z_position]
    # Besides the c rows, these labels are above the document in Y: pending columns, and documents that only Y contains.
    labels_above = pending.sum(axis=1) + np.cumsum(first.unshared)[y_position]
    constant = (y.base[y_position] + y.slope[y_position] * labels_above - z.base[z_position]) + (psi_step - phi_step)
    return np.asarray(constant[:, None] + (y.slope[y_position] - z.slope[z_position])[:, None] * c)


def _pending_columns(pair: Pair) -> Bools:
    """Return a mask (rows x columns) of the pending columns of each row.

    Let the document of row b have column p. A column before p is pending if its document has a row after b. A path that
    labels the document of row b has labelled the documents of all pending columns.
    """
    n = len(pair.column)
    row_of_column = np.argsort(pair.column)  # the inverse permutation
    return np.asarray((row_of_column > np.arange(n)[:, None]) & (np.arange(n) < pair.column[:, None]))


def _linear_top(pair: Pair, y: LinearTerms, z: LinearTerms, c: Ints) -> Floats:
    first, second = pair.first, pair.second
    ends = np.append(
        0, first.rank[first.unshared]
    )  # entry o: the rank of the last labelled document that only Y contains
    labels_above = np.cumsum(first.unshared)
    base = _prefix_sums(np.where(first.shared, 0.0, y.base + y.slope * labels_above))[ends]
    slope = _prefix_sums(np.where(first.shared, 0.0, y.slope))[ends]
    # Below that rank only judged documents contribute, with o labels above them in addition to the c rows.
    rest = _suffix_sums(np.where(first.free, 0.0, y.slope))[ends]
    base = base + _suffix_sums(np.where(first.free, 0.0, y.base))[ends] + rest * np.arange(len(ends))
    # Sum the terms of Z in the same order as the terms of Y, so that the distance of a ranking to itself is exactly 0.
    z_base, z_slope = (_suffix_sums(np.where(second.free, 0.0, part))[0] for part in z)
    return np.asarray((base - z_base)[:, None] + (slope + rest - z_slope)[:, None] * c)


def _linear_right(pair: Pair, y: LinearTerms, z: LinearTerms, c: Ints) -> Floats:
    second = pair.second
    starts = np.flatnonzero(second.unshared)  # the position from which on all free documents of Z are labelled
    contributes, labels_above = _right_edge_labels(pair)
    base = (contributes * (y.base + y.slope * labels_above)).sum(axis=1)
    slope = contributes @ y.slope
    free = np.cumsum(second.free)
    # In Z, judged documents before the start have c labels above them. All documents from the start on contribute, and
    # the number of labels above them grows by one with each free document.
    rest = _suffix_sums(z.slope)[starts]
    base = (
        base - _prefix_sums(np.where(second.free, 0.0, z.base))[starts] - _suffix_sums(z.base + z.slope * free)[starts]
    )
    base = base + rest * (free[starts] - 1)
    slope = slope - _prefix_sums(np.where(second.free, 0.0, z.slope))[starts] - rest
    return np.asarray(base[:, None] + slope[:, None] * c)


def _right_edge_labels(pair: Pair) -> tuple[Bools, Ints]:
    """Return the state of Y on the right edge, as two arrays: documents that only Z contains x ranks of Y.

    For a document d that only Z contains, all free documents of Z from d on are labelled, and so are all free documents
    of Y that Z does not rank above d. The first array marks the documents of Y that contribute in addition to the c
    labelled rows above d. The second array counts the labels of these documents down to each rank.
    """
    first, second = pair.first, pair.second
    rows = np.cumsum(second.shared)[second.unshared]
    row = np.zeros(len(first.doc), dtype=np.int64)
    row[first.shared] = np.argsort(pair.column)
    contributes = ~first.shared | (row >= rows[:, None])
    return contributes, np.cumsum(contributes & first.free, axis=1)


def _prefix_sums(values: Floats) -> Floats:
    """Return the sums of the first 0, 1, 2, … values."""
    return np.concatenate([[0.0], np.cumsum(values)])


def _suffix_sums(values: Floats) -> Floats:
    """Return the sums of all values from position 0, 1, 2, … on, and 0 for the empty sum at the end."""
    return np.concatenate([np.cumsum(values[::-1])[::-1], [0.0]])


def table_weights(pair: Pair, y: TermTable, z: TermTable, max_labels: int | None = None) -> LatticeWeights:
    """Return the weights of terms given as tables, in O(k) time for each weight."""
    c = _label_counts(pair, max_labels)
    return LatticeWeights(
        _table_rows(pair, y.term, z.term, c), _table_top(pair, y.term, z.term, c), _table_right(pair, y, z, c)
    )


def _look_up(term: Floats, position: Ints, label_counts: Ints) -> Floats:
    """Return the terms at positions for label counts.

    Label counts that are too large are clipped to the last column; the terms of such counts are never used.
    """
    return np.asarray(term[position, np.minimum(label_counts, term.shape[1] - 1)])


def _table_rows(pair: Pair, y: Floats, z: Floats, counts: Ints) -> Floats:
    first, second = pair.first, pair.second
    n = len(pair.column)
    y_position, z_position = np.flatnonzero(first.shared)[pair.column], np.flatnonzero(second.shared)
    # A document that is not a column always contributes, however many rows have been passed: give it a row after all
    # others.
    row = np.full(len(first.doc), n)
    row[first.shared] = np.argsort(pair.column)
    psi = np.cumsum(z * ~second.free[:, None], axis=0)
    weights = np.zeros((n, len(counts)))
    for b in range(n):
        c = counts[: b + 2]
        positions = np.flatnonzero(row[: y_position[b]] > b)  # documents of Y above this one that contribute
        label_counts = np.cumsum(first.free[positions])
        phi = _look_up(y, positions[:, None], label_counts[:, None] + c).sum(axis=0)
        y_term = _look_up(y, y_position[b], np.sum(first.free[positions]) + c)
        document_term = y_term - _look_up(z, z_position[b], c)
        weights[b, 1 : len(c)] = document_term[1:] + np.diff(_look_up(psi, z_position[b], c) - phi)
    return weights


def _table_top(pair: Pair, y: Floats, z: Floats, c: Ints) -> Floats:
    """Return the values at the top edge of the lattice: stops after each document that only Y contains x counts."""
    first, second = pair.first, pair.second
    ends = np.append(0, first.rank[first.unshared])
    terms = _look_up(y, (first.rank - 1)[:, None], np.cumsum(first.unshared)[:, None] + c) * ~first.shared[:, None]
    sum_above = np.cumsum(np.concatenate([np.zeros((1, len(c))), terms]), axis=0)[ends]
    y_rest, z_rest = (
        np.cumsum(np.concatenate([np.zeros((1, term.shape[1])), (term * ~side.free[:, None])[::-1]]), axis=0)[::-1]
        for term, side in ((y, first), (z, second))
    )
    label_counts = np.arange(len(ends))[:, None] + c
    y_sum_below = _look_up(y_rest, ends[:, None], label_counts)
    return np.asarray(sum_above + y_sum_below - _look_up(z_rest, np.zeros_like(c), c))


def _table_right(pair: Pair, y: TermTable, z: TermTable, c: Ints) -> Floats:
    second = pair.second
    starts = np.flatnonzero(second.unshared)
    free = np.cumsum(second.free)
    weights = np.zeros((len(starts), len(c)))
    for i, (start, contributes, label_counts) in enumerate(zip(starts, *_right_edge_labels(pair), strict=True)):
        positions = np.flatnonzero(contributes)
        weights[i] = _look_up(y.term, positions[:, None], label_counts[positions, None] + c).sum(axis=0)
        positions = np.flatnonzero(~second.free | (second.rank > start))
        labels_from_start = np.maximum(free[positions] - free[start] + 1, 0) * (positions >= start)
        weights[i] -= _look_up(z.term, positions[:, None], labels_from_start[:, None] + c).sum(axis=0)
    return weights
