r"""The labels that bring two rankings Y and Z furthest apart, as the best path through a lattice.

For measures M(X) that add up, over the relevant documents, terms h(i, C_i) of the rank i and of the number C_i of
relevant documents down to it, where h is at least 0 and never grows with the rank. Wanted is, for each number t of
unjudged documents that are labelled relevant, the largest M(Y) - M(Z); what it is divided by depends on t only.

*Dominance.* Of two unjudged documents, d dominates e if d stands no later in Y and no earlier in Z (a ranking without a
document has it below all others). If e is labelled and d is not, the label may go from e to d: in Y the r-th relevant
document then stands no later for every r, in Z no earlier, so that M(Y) - M(Z) does not fall. Hence for every t some
best labels are closed under dominance.

*Paths.* Number the n unjudged documents of both rankings by their order in Y (columns 1..n) and in Z (rows 1..n).
Closed sets are monotone paths from (0, 0) to (n, n): a document is labelled if its column is passed before its row.
Suppose a path stands at (a, b), and c of the first b rows are labelled. Then all columns up to a whose rows are still
ahead are labelled, so that the number of labels above any rank of Y or Z follows from (a, b, c), and with it each term.

*One row at a time.* Let T(a, b, c) be the largest difference of the terms that a path to (a, b) has passed. Subtract
from it what it would be if the number of labels had been c all the way: Phi_b(a, c), the terms of Y down to column a if
c of the first b rows are labelled, less Psi_b(c), the terms of the judged documents of Z down to row b with c labels
above each. What remains is called K(a, b, c). A step to the next column adds the same to T and to Phi, so that K is the
largest over all columns up to a at which a path may arrive in row b: it never falls with a. When row b is passed, whose
document has column p, then

.. math::

    K(a, b, c) &= K(a, b-1, c) & a < p \\
    K(a, b, c) &= \max \{ K(p-1, b, c), K(a, b-1, c-1) + w_b(c) \} & a \ge p

where the weight of row b as the c-th label, from the terms h of its document in Y (after the columns ahead and the
documents of Y alone) and in Z,

.. math:: w_b(c) = h_Y - h_Z - [\Phi_b(p-1, c) - \Phi_b(p-1, c-1)] + [\Psi_{b-1}(c) - \Psi_{b-1}(c-1)],

does not depend on a: for the columns after p the new label of a row takes the place of a column ahead. So a row costs
one addition and one maximum of arrays: O(n^3) elementary steps in O(n) array operations, O(n^2) memory. Because K never
falls with a, the first case of the maximum holds up to some a and the second beyond it: one number for each b and c is
enough to walk back.

*Edges.* Documents of Y alone are rows at infinity: a path that has passed row n may leave the rest of them (and of the
columns) without labels, from any point on. Documents of Z alone are columns at infinity: a path that has passed column
n may label all that are left from some rank of Z on. Both are looked at, so that the result is exact for every t, also
where the largest difference is negative.

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

    The last axis is always c. It goes from 0 to n, or less far if larger numbers of labels are not asked for.

    Attributes
    ----------
    rows
        For each row b the weight w_b(c) of its document as the c-th label.
    top
        For each number of labels (from none to all) of documents of Y alone: the difference of all terms, with c
        labels above each rank of Y besides them, and above each rank of Z.
    right
        For each document of Z alone, if it and all later ones are labelled: the same, where c counts the labels of the
        rows above it.
    """

    rows: Floats
    top: Floats
    right: Floats


class Swept(NamedTuple):
    """The last cells of K: *last* after the last row, by a and c; *edge* in the last column after each row, by b and c.

    *switch* tells from which a on row b is labelled, by b and c.
    """

    last: Floats
    edge: Floats
    switch: Ints | None


def sweep(column: Ints, rows: Floats, *, trace: bool) -> Swept:
    """Pass row after row; *trace* keeps what it takes to walk back. *rows* says how many labels there are at most."""
    n, most = rows.shape[0], rows.shape[1] - 1
    k = np.full((n + 1, most + 1), -np.inf)
    k[:, 0] = 0
    edge = np.full((n + 1, most + 1), -np.inf)
    edge[0, 0] = 0
    switch = np.zeros((n, most + 1), dtype=np.int64) if trace else None
    scratch = np.empty(n * most)
    for row, p in enumerate(column.tolist()):
        labels = min(row + 1, most)
        labelled = scratch[: (n - p) * labels].reshape(n - p, labels)
        np.add(k[p + 1 :, :labels], rows[row, 1 : labels + 1], out=labelled)
        left = k[p, 1 : labels + 1]
        if switch is not None:
            switch[row, 1 : labels + 1] = p + 1 + np.count_nonzero(labelled < left, axis=0)
        np.maximum(labelled, left, out=k[p + 1 :, 1 : labels + 1])
        edge[row + 1] = k[n]
    return Swept(k, edge, switch)


@dataclass(frozen=True, eq=False)
class Profile:
    """The largest difference for each number of labels.

    Attributes
    ----------
    best
        By the number t of labels, the largest M(Y) - M(Z) before it is divided; for all t, or for as many as the
        weights go.
    """

    pair: Pair
    best: Floats
    _values: Floats
    _number: Ints
    _swept: Swept

    def documents(self, labels: int) -> Ints:
        """Documents that reach ``best[labels]``, by their place in ``TopicRankings``; the profile has to be traced."""
        reach = np.argwhere((self._number == labels) & (self._values == self.best[labels]))
        cut, c = reach[0].tolist()
        y, z = self.pair.first, self.pair.second
        alone, others = y.doc[y.alone], z.doc[z.alone]
        if cut <= len(alone):
            rows = self._walk(len(self.pair.column), int(_top_columns(self.pair)[cut]), c)
            return np.concatenate([z.doc[z.shared][rows], alone[:cut]])
        cut -= len(alone) + 1
        b = int(_right_rows(self.pair)[cut])
        rows = np.concatenate([self._walk(b, len(self.pair.column), c), np.arange(b, len(self.pair.column))])
        return np.concatenate([z.doc[z.shared][rows], alone, others[cut:]])

    def _walk(self, b: int, a: int, c: int) -> Ints:
        """The rows before row *b* that are labelled on the best path to (a, b, c)."""
        switch = self._swept.switch
        if switch is None:
            raise RuntimeError("the profile was made without trace")
        rows = []
        for row in range(b - 1, -1, -1):
            p = int(self.pair.column[row])
            if c and a > p:
                if a >= switch[row, c]:
                    rows.append(row)
                    c -= 1
                else:
                    a = p
        return np.array(rows, dtype=np.int64)


def profile(pair: Pair, weights: LatticeWeights, *, trace: bool = False) -> Profile:
    """The largest difference for each number of labels; with *trace* the labels can be asked for."""
    swept = sweep(pair.column, weights.rows, trace=trace)
    n, alone, others = len(pair.column), len(weights.top) - 1, len(weights.right)
    most = weights.top.shape[1] - 1
    rows = _right_rows(pair)
    values = np.concatenate([swept.last[_top_columns(pair)] + weights.top, swept.edge[rows] + weights.right])
    besides = np.concatenate([np.arange(alone + 1), n - rows + alone + others - np.arange(others)])
    # where there are fewer than c rows, the value is -inf and the number does not matter
    number = np.minimum(besides[:, None] + np.arange(most + 1), pair.unjudged)
    best = np.full(pair.unjudged + 1, -np.inf)
    np.maximum.at(best, number, values)
    return Profile(pair, best if most == n else best[: most + 1], values, number, swept)


def _top_columns(pair: Pair) -> Ints:
    """Return the columns that a path may have passed when it leaves each document of Y alone, or none, unlabelled."""
    y = pair.first
    return np.append(np.cumsum(y.shared)[y.alone], len(pair.column))


def _right_rows(pair: Pair) -> Ints:
    """Return the number of rows above each document of Z alone."""
    z = pair.second
    return np.asarray(np.cumsum(z.shared)[z.alone], dtype=np.int64)
