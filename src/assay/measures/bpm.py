"""The Bejeweled player model."""

from __future__ import annotations

import numpy as np

from assay.measures._base import cutoff, floor, gains, max_rel, param, ratio
from assay.measures._graded import Graded
from assay.model.arrays import Floats
from assay.model.gains import Gains
from assay.model.judged import Judged
from assay.model.scan import running


class BPM(Graded):
    r"""Bejeweled player model: gain per document for a user who stops with enough gain T or at rank k.

    .. math:: BPM@k = \frac{1}{s} \sum_{i \le s} g_i, \qquad
              s = \min \left( k, \; \min \{ i : \textstyle\sum_{j \le i} g_j \ge T \} \right)

    This is the static model; every document costs 1.

    References
    ----------
    Zhang, Liu, Li, Zhang, Xu & Ma, *Evaluating web search with a Bejeweled player model*, SIGIR 2017.

    Examples
    --------
    >>> BPM(T=1, cutoff=10).of([0, 1, 1])
    0.5
    """

    name = "BPM"
    examples = ("BPM(T=1)@10", "BPM(T=2, max_rel=4)@20", "BPM(T=1, gains=binary)@10")
    unit_gains = True
    swap = False
    replacement = False

    T: float = param("how much gain the user wants", above=0)
    cutoff: int = cutoff()
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(self.gain(judged))
        gained = running(np.add, rows.ranking, rows.gain) if len(rows.rank) else rows.gain
        stop = np.full(len(judged), float(self.cutoff))
        enough = (gained >= self.T) & (rows.rank <= self.cutoff)
        np.minimum.at(stop, rows.ranking[enough], rows.rank[enough])
        keep = rows.rank <= stop[rows.ranking]
        return ratio(judged.total(rows.ranking[keep], rows.gain[keep]), stop)
