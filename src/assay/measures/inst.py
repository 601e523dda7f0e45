"""INST: the adaptive weighted precision of a user with a goal."""

from __future__ import annotations

import numpy as np

from assay.measures._base import floor, gains, max_rel, param
from assay.measures._graded import Graded
from assay.model.arrays import Floats
from assay.model.gains import Gains
from assay.model.judged import Judged
from assay.model.scan import before, running


class INST(Graded):
    r"""INST: gain per document for a user who wants T documents and is readier to stop the more were found.

    .. math:: INST = \frac{\sum_i g_i V_i}{\sum_i V_i}, \qquad V_i = \prod_{j < i} C(j), \qquad
              C(j) = \left( \frac{j + T + T_j - 1}{j + T + T_j} \right)^2, \qquad T_j = T - \sum_{l \le j} g_l

    The walk goes on for ever behind the last document; cwl_eval cuts it at rank 1000. A better document never lowers
    it (docs/concepts/bounds.md has the proof).

    References
    ----------
    Moffat, Bailey, Scholer & Thomas, *INST: An adaptive metric for information retrieval evaluation*, ADCS 2015.

    Examples
    --------
    >>> round(INST(T=1).of([1, 0, 1]), 4)
    0.7231
    """

    name = "INST"
    examples = ("INST(T=1)", "INST(T=3, max_rel=4)", "INST(T=2, gains=binary)")
    unit_gains = True
    replacement = True

    T: float = param("how many relevant documents the user wants", low=0.5)
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def score(self, judged: Judged) -> Floats:
        """Between two gains C(j) telescopes, and sums of V are differences of the trigamma function.

        With s = 2T - (gain so far), V falls from rank a to rank i as ((a - 1 + s) / (i - 1 + s))^2.
        """
        from scipy.special import zeta

        rows = judged.rows(self.gain(judged))
        length = np.zeros(len(judged))
        start = 2.0 * self.T
        if not len(rows.rank):
            return length
        last = np.append(rows.ranking[1:] != rows.ranking[:-1], True)
        first = np.insert(last[:-1], 0, True)
        left = start - running(np.add, rows.ranking, rows.gain)
        next_rank = np.where(last, np.inf, np.append(rows.rank[1:], 0).astype(np.float64))
        to_first = (start / (rows.rank - 1 + start)) ** 2
        step = ((rows.rank - 1 + left) / (next_rank - 1 + left)) ** 2
        looked = running(np.multiply, rows.ranking, np.where(first, to_first, before(rows.ranking, step, 1.0)))
        trigamma_next = np.where(last, 0.0, zeta(2, np.where(last, 1.0, next_rank + left)))
        stretch = looked * (rows.rank - 1 + left) ** 2 * (zeta(2, rows.rank + left) - trigamma_next)
        opening = start**2 * (zeta(2, start) - zeta(2, rows.rank[first] + start))
        length = judged.total(rows.ranking, stretch)
        length[rows.ranking[first]] += opening
        gain = judged.total(rows.ranking, rows.gain * looked)
        return np.divide(gain, length, out=np.zeros(len(judged)), where=length > 0)
