r"""Optimal labels for a pair of rankings Y and Z, as the best path through a lattice.

**The problem.** The measure M(X) is a sum, over the relevant documents of X, of terms h(i, C_i), where i is the rank of
the document and C_i is the number of relevant documents in the top i. The term h is non-negative and does not increase
with the rank. (For AP, h = C_i / i.) Some documents are *free*: they have no grade and may be labelled relevant. For
each number t of labels we want the maximum of M(Y) - M(Z). The divisor of the measure depends only on t, so it can be
applied afterwards. The result, one maximum for each t, is called the *profile*.

**Dominance.** A free document d dominates e if d is not ranked lower than e in Y and not ranked higher than e in Z. (A
document that a ranking does not contain counts as ranked below all others.) Suppose that e is labelled and d is not
labelled. Move the label from e to d. In Y, the r-th relevant document does not move down, for any r; in Z, the r-th
relevant document does not move up. So M(Y) - M(Z) does not decrease. Hence, for every t, some optimal set of labels is
closed under dominance.

**Paths.** Number the n free documents that both rankings contain by their order in Y (columns 1..n) and in Z (rows
1..n). Sets closed under dominance correspond to monotone lattice paths from (0, 0) to (n, n): a document is labelled if
and only if the path passes its column before its row. At (a, b), let c be the number of labelled documents among the
first b rows. All of the first a columns whose rows are still to come are labelled. So the state (a, b, c) determines
the number of labels above any rank of Y and of Z, and therefore all terms.

**One row at a time.** Let T(a, b, c) be the maximum, over paths to (a, b) with c labels, of the difference of the terms
passed so far. Subtract a *potential*: the value that T would have if c had been constant along the whole path,

* :math:`\Phi_b(a, c)`: the terms of Y up to column a, if c of the first b rows are labelled,
* minus :math:`\Psi_b(c)`: the terms of the judged documents of Z up to row b, with c labels above each of them.

Call the difference K(a, b, c) = T - (:math:`\Phi` - :math:`\Psi`). A step to the next column adds the same amount to T
and to :math:`\Phi`, so it leaves K unchanged. Therefore K(a, b, c) is a maximum over all columns up to a at which the
path may enter row b, and K never decreases with a. Passing row b, whose document has column p, gives the recurrence

.. math::

    K(a, b, c) &= K(a, b-1, c) & a < p \\
    K(a, b, c) &= \max \{ K(p-1, b, c), K(a, b-1, c-1) + w_b(c) \} & a \ge p

In the second line, the first option passes row b before column p and leaves the document without a label. The second
option labels the document, as the c-th labelled row. Its weight

.. math:: w_b(c) = h_Y - h_Z - [\Phi_b(p-1, c) - \Phi_b(p-1, c-1)] + [\Psi_{b-1}(c) - \Psi_{b-1}(c-1)]

consists of the term of the document in Y (below the labelled columns above it and the documents that only Y contains),
its term in Z, and the change of the potential. The weight does not depend on a: for the columns after p, the new label
among the rows replaces one label among the columns still to come. So a row costs one addition and one maximum of
arrays. In total there are O(n^3) elementary steps in O(n) array operations, with O(n^2) memory.

K never decreases with a, so the first option is better up to some a, and the second option is better from there on. One
number for each b and c, the *switch*, is therefore enough to trace the path back.

**Edges.** Free documents that only Y contains are rows at infinity: after row n the path may stop labelling them (and
the remaining columns) at any point. Free documents that only Z contains are columns at infinity: after column n the
path may label all documents of Z from some rank on. Both edges are examined. So the profile is exact for every t, even
if the maximum is negative.

References
----------
Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, poses the problem for AP and leaves
open whether it can be solved in polynomial time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.distance._med.pairs import Pair
from assay.model.arrays import Floats, Ints


class LatticeWeights(NamedTuple):
    """Weights of a measure on the lattice of a pair.

    The last axis is c, the number of labelled rows: from 0 to n, or to a smaller number if few labels are enough.

    Attributes
    ----------
    rows
        For each row b, the weight w_b(c) of its document as the c-th label.
    top
        Top edge, after the last row. Entry o is the potential of the whole pair if the first o documents that only Y
        contains are labelled, with c further labels above each rank of Y, and c labels above each rank of Z.
    right
        Right edge, after the last column. There is one entry for each document that only Z contains: the potential if
        this document and all later free documents of Z are labelled, where c counts the labelled rows above it.
    """

    rows: Floats
    top: Floats
    right: Floats


class SweepResult(NamedTuple):
    """The cells of K that the edges need.

    Attributes
    ----------
    after_last_row
        K after the last row, by a and c.
    last_column
        K in the last column after each row, by b and c.
    switch
        For each row and c, the smallest a for which the row is labelled; None without trace.
    """

    after_last_row: Floats
    last_column: Floats
    switch: Ints | None


def sweep(column: Ints, rows: Floats, *, trace: bool) -> SweepResult:
    """Apply the recurrence for K row by row; *trace* records the switches.

    The number of columns of *rows* limits the number of labels.
    """
    n, max_labels = rows.shape[0], rows.shape[1] - 1
    # K(a, b, c) for the current row b, indexed by a and c. States that no path reaches are -inf.
    k = np.full((n + 1, max_labels + 1), -np.inf)
    k[:, 0] = 0
    last_column = np.full((n + 1, max_labels + 1), -np.inf)
    last_column[0, 0] = 0
    switch = np.zeros((n, max_labels + 1), dtype=np.int64) if trace else None
    scratch = np.empty(n * max_labels)  # reused by all rows, to avoid an allocation for each row
    for row, p in enumerate(column.tolist()):
        # Columns are numbered from 0 here: k[p] is the state before the column of this row, and k[p + 1:] are the
        # states after it.
        label_count = min(row + 1, max_labels)
        labelled = scratch[: (n - p) * label_count].reshape(n - p, label_count)
        np.add(k[p + 1 :, :label_count], rows[row, 1 : label_count + 1], out=labelled)
        unlabelled = k[p, 1 : label_count + 1]
        if switch is not None:
            switch[row, 1 : label_count + 1] = p + 1 + np.count_nonzero(labelled < unlabelled, axis=0)
        np.maximum(labelled, unlabelled, out=k[p + 1 :, 1 : label_count + 1])
        last_column[row + 1] = k[n]
    return SweepResult(k, last_column, switch)


@dataclass(frozen=True, eq=False)
class Profile:
    """The maximum difference for each number of labels.

    Attributes
    ----------
    pair
        The rankings Y and Z.
    best
        For each number t of labels, the maximum of M(Y) - M(Z) before division. The array covers all t, or fewer if the
        weights cover fewer.
    """

    pair: Pair
    best: Floats
    _values: Floats
    _label_count: Ints
    _swept: SweepResult

    def find_documents(self, labels: int) -> Ints:
        """Return *labels* documents that attain ``best[labels]``, as indices into ``TopicRankings``.

        The profile must have been built with a trace.
        """
        # A final state is an edge entry (top edge first, then right edge) and a number c of labelled rows.
        optima = np.argwhere((self._label_count == labels) & (self._values == self.best[labels]))
        entry, c = optima[0].tolist()
        y, z = self.pair.first, self.pair.second
        only_y, only_z = y.doc[y.unshared], z.doc[z.unshared]
        n = len(self.pair.column)
        if entry <= len(only_y):
            rows = self._trace_rows(n, int(_top_columns(self.pair)[entry]), c)
            return np.concatenate([z.doc[z.shared][rows], only_y[:entry]])
        entry -= len(only_y) + 1
        b = int(_right_rows(self.pair)[entry])
        rows = np.concatenate([self._trace_rows(b, n, c), np.arange(b, n)])
        return np.concatenate([z.doc[z.shared][rows], only_y, only_z[entry:]])

    def _trace_rows(self, b: int, a: int, c: int) -> Ints:
        """Return the labelled rows before row *b* on the best path to (a, b, c), by walking back row by row."""
        switch = self._swept.switch
        if switch is None:
            raise RuntimeError("the profile was built without a trace; pass trace=True")
        rows = []
        for row in range(b - 1, -1, -1):
            p = int(self.pair.column[row])
            if c and a > p:
                if a >= switch[row, c]:
                    rows.append(row)
                    c -= 1
                else:
                    a = p  # the row was passed before its column: the path entered it at or before p
        return np.array(rows, dtype=np.int64)


def build_profile(pair: Pair, weights: LatticeWeights, *, trace: bool = False) -> Profile:
    """Compute the maximum difference for each number of labels; with *trace*, the labelled documents can be found."""
    swept = sweep(pair.column, weights.rows, trace=trace)
    n, only_y, only_z = len(pair.column), len(weights.top) - 1, len(weights.right)
    max_labels = weights.top.shape[1] - 1
    rows = _right_rows(pair)
    values = np.concatenate(
        [swept.after_last_row[_top_columns(pair)] + weights.top, swept.last_column[rows] + weights.right]
    )
    # Number of labels in addition to the c rows. Top edge: 0 to only_y documents of Y. Right edge: the remaining rows,
    # all documents that only Y contains, and the documents that only Z contains, from the document of the entry on.
    other_label_count = np.concatenate([np.arange(only_y + 1), n - rows + only_y + only_z - np.arange(only_z)])
    # With fewer than c rows the value is -inf, so the number of labels does not matter; clip it to a valid index.
    label_count = np.minimum(other_label_count[:, None] + np.arange(max_labels + 1), pair.free_count)
    best = np.full(pair.free_count + 1, -np.inf)
    np.maximum.at(best, label_count, values)
    return Profile(pair, best if max_labels == n else best[: max_labels + 1], values, label_count, swept)


def _top_columns(pair: Pair) -> Ints:
    """Return the number of columns before each document that only Y contains, and n for the end of Y.

    Entry o is for the o-th of these documents, counted from 0. If it is not labelled, a path may stop labelling at this
    column at the latest. Earlier columns need not be examined, because K never decreases with a.
    """
    y = pair.first
    return np.append(np.cumsum(y.shared)[y.unshared], len(pair.column))


def _right_rows(pair: Pair) -> Ints:
    """Return the number of rows (shared documents) before each document that only Z contains."""
    z = pair.second
    return np.asarray(np.cumsum(z.shared)[z.unshared], dtype=np.int64)
