r"""Optimal labels for a pair of rankings Y and Z, as the best path through a lattice.

**The problem.** The measure M(X) is a sum, over the relevant documents of X, of terms h(i, C_i), where i is the rank of
the document and C_i the number of relevant documents in the top i. The term h is non-negative and does not increase
with the rank. (AP: h = C_i / i.) Some documents are *free*: they have no grade and may be labelled relevant. For each
number t of labels we want the maximum of M(Y) - M(Z). The divisor of the measure depends on t only, so it can be
applied afterwards. The result, one maximum for each t, is called the *profile*.

**Dominance.** A free document d dominates e if d is not ranked lower than e in Y and not ranked higher than e in Z. (A
ranking without a document has it below all others.) Suppose that e is labelled and d is not. Move the label from e to
d. In Y, the r-th relevant document does not move down, for any r; in Z, it does not move up. So M(Y) - M(Z) does not
decrease. Hence, for every t, some optimal set of labels is closed under dominance.

**Paths.** Number the n free documents that both rankings contain by their order in Y (columns 1..n) and in Z (rows
1..n). Sets closed under dominance correspond to monotone lattice paths from (0, 0) to (n, n): a document is labelled if
and only if the path passes its column before its row. At (a, b), let c be the number of labelled documents among the
first b rows. All of the first a columns whose rows are still to come are labelled. So the numbers of labels above any
rank of Y and of Z, and with them all terms, are functions of the state (a, b, c).

**One row at a time.** Let T(a, b, c) be the maximum, over paths to (a, b) with c labels, of the difference of the terms
passed so far. Subtract a *potential*: the value that T would have if c had been constant along the whole path,

* :math:`\Phi_b(a, c)`: the terms of Y up to column a, if c of the first b rows are labelled,
* less :math:`\Psi_b(c)`: the terms of the judged documents of Z up to row b, with c labels above each of them.

Call the difference K(a, b, c) = T - (:math:`\Phi` - :math:`\Psi`). A step to the next column adds the same amount to T
and to :math:`\Phi`, so it leaves K unchanged. Therefore K(a, b, c) is a maximum over all columns up to a at which the
path may enter row b, and K never decreases with a. Passing row b, whose document has column p, gives the recurrence

.. math::

    K(a, b, c) &= K(a, b-1, c) & a < p \\
    K(a, b, c) &= \max \{ K(p-1, b, c), K(a, b-1, c-1) + w_b(c) \} & a \ge p

In the second line, the first option passes row b before column p and leaves the document without a label. The second
option makes it the c-th label of a row. Its weight

.. math:: w_b(c) = h_Y - h_Z - [\Phi_b(p-1, c) - \Phi_b(p-1, c-1)] + [\Psi_{b-1}(c) - \Psi_{b-1}(c-1)]

consists of the terms of the document in Y (after the labelled columns above it and the documents that only Y has) and
in Z, and of the change of the potential. It does not depend on a: for the columns after p, the new label among the rows
replaces one label among the columns still to come. So a row costs one addition and one maximum of arrays. In total
there are O(n^3) elementary steps in O(n) array operations, with O(n^2) memory.

K never decreases with a, so the first option wins up to some a and the second one from there on. One number for each b
and c, the *switch*, is therefore enough to trace the path back.

**Edges.** Free documents that only Y contains are rows at infinity: after row n the path may stop labelling them (and
the remaining columns) at any point. Free documents that only Z contains are columns at infinity: after column n the
path may label all documents of Z from some rank on. Both edges are examined. So the profile is exact for every t, also
where the maximum is negative.

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

    The last axis is c, the number of labelled rows: from 0 to n, or less if larger numbers of labels are not needed.

    Attributes
    ----------
    rows
        For each row b, the weight w_b(c) of its document as the c-th label.
    top
        Top edge, after the last row. Entry o: the potential of the whole pair if the first o documents that only Y
        contains are labelled, with c labels above each rank of Y besides them, and c labels above each rank of Z.
    right
        Right edge, after the last column. One entry for each document that only Z contains: the potential if that
        document and all later free documents of Z are labelled, where c counts the labelled rows above it.
    """

    rows: Floats
    top: Floats
    right: Floats


class SweepResult(NamedTuple):
    """The cells of K that the edges need.

    Attributes
    ----------
    last
        K after the last row, by a and c.
    edge
        K in the last column after each row, by b and c.
    switch
        For each row and c, the first a from which on the row is labelled; None without trace.
    """

    last: Floats
    edge: Floats
    switch: Ints | None


def sweep(column: Ints, rows: Floats, *, trace: bool) -> SweepResult:
    """Apply the recurrence for K row by row; *trace* records the switches.

    The number of columns of *rows* limits the number of labels.
    """
    n, max_labels = rows.shape[0], rows.shape[1] - 1
    # K(a, b, c) for the current row b, indexed by a and c. States that no path reaches are -inf.
    k = np.full((n + 1, max_labels + 1), -np.inf)
    k[:, 0] = 0
    edge = np.full((n + 1, max_labels + 1), -np.inf)
    edge[0, 0] = 0
    switch = np.zeros((n, max_labels + 1), dtype=np.int64) if trace else None
    scratch = np.empty(n * max_labels)  # reused by all rows, to avoid an allocation for each
    for row, p in enumerate(column.tolist()):
        # Columns are numbered from 0 here: k[p] is the state before the column of this row, k[p + 1:] those after it.
        labels = min(row + 1, max_labels)
        labelled = scratch[: (n - p) * labels].reshape(n - p, labels)
        np.add(k[p + 1 :, :labels], rows[row, 1 : labels + 1], out=labelled)
        unlabelled = k[p, 1 : labels + 1]
        if switch is not None:
            switch[row, 1 : labels + 1] = p + 1 + np.count_nonzero(labelled < unlabelled, axis=0)
        np.maximum(labelled, unlabelled, out=k[p + 1 :, 1 : labels + 1])
        edge[row + 1] = k[n]
    return SweepResult(k, edge, switch)


@dataclass(frozen=True, eq=False)
class Profile:
    """The maximum difference for each number of labels.

    Attributes
    ----------
    pair
        The rankings Y and Z.
    best
        By the number t of labels, the maximum of M(Y) - M(Z) before division; for all t, or for as many as the weights
        cover.
    """

    pair: Pair
    best: Floats
    _values: Floats
    _number: Ints
    _swept: SweepResult

    def find_documents(self, labels: int) -> Ints:
        """Return *labels* documents that attain ``best[labels]``, as indices into ``TopicRankings``.

        The profile must have been built with a trace.
        """
        # A final state is an edge entry (top edge first, then right edge) and a number c of labelled rows.
        optima = np.argwhere((self._number == labels) & (self._values == self.best[labels]))
        entry, c = optima[0].tolist()
        y, z = self.pair.first, self.pair.second
        only_y, only_z = y.doc[y.alone], z.doc[z.alone]
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
    """Compute the maximum difference for each number of labels; with *trace* the documents can be recovered."""
    swept = sweep(pair.column, weights.rows, trace=trace)
    n, only_y, only_z = len(pair.column), len(weights.top) - 1, len(weights.right)
    max_labels = weights.top.shape[1] - 1
    rows = _right_rows(pair)
    values = np.concatenate([swept.last[_top_columns(pair)] + weights.top, swept.edge[rows] + weights.right])
    # Labels besides the c rows. Top edge: 0 to only_y documents of Y. Right edge: the remaining rows, all documents
    # that only Y contains, and the documents that only Z contains from the given one on.
    besides = np.concatenate([np.arange(only_y + 1), n - rows + only_y + only_z - np.arange(only_z)])
    # With fewer than c rows the value is -inf, so the number of labels does not matter; clip it to a valid index.
    number = np.minimum(besides[:, None] + np.arange(max_labels + 1), pair.unjudged)
    best = np.full(pair.unjudged + 1, -np.inf)
    np.maximum.at(best, number, values)
    return Profile(pair, best if max_labels == n else best[: max_labels + 1], values, number, swept)


def _top_columns(pair: Pair) -> Ints:
    """Return the number of columns before each document that only Y contains, and n for the end of Y.

    Entry o is the last column at which a path may stop labelling if the o-th of these documents (from 0) stays without
    a label. No earlier column has to be examined, because K never decreases with a.
    """
    y = pair.first
    return np.append(np.cumsum(y.shared)[y.alone], len(pair.column))


def _right_rows(pair: Pair) -> Ints:
    """Return the number of rows before each document that only Z contains."""
    z = pair.second
    return np.asarray(np.cumsum(z.shared)[z.alone], dtype=np.int64)
