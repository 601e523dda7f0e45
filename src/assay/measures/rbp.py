"""Rank-biased precision."""

from __future__ import annotations

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import cutoff, floor, gains, max_rel, param, ratio
from assay.measures._graded import GradedSum
from assay.model.arrays import Floats, Ints
from assay.model.gains import Gains
from assay.model.judged import Judged

_P = "persistence: probability of looking at the next document"


class RBP(GradedSum):
    r"""Rank-biased precision: what is met per document by a user who goes on to the next one with probability p.

    .. math:: RBP = (1 - p) \sum_i g_i \, p^{i-1}

    Binary by default (``rel`` is the lowest relevant grade); ``gains=unit`` scores grades g as g over the top
    grade. With *p1* and *p2* in place of p, the user goes on with probability p1 after a relevant document and
    p2 after another; the value is the expected relevance per document looked at, the unseen tail counting as
    not relevant:

    .. math:: RBP_{p1,p2} = \frac{\sum_i r_i V_i}{\sum_i V_i}, \qquad
              V_1 = 1, \; V_{i+1} = V_i \cdot (p1 \text{ or } p2)

    Under expected ties the weight of a group of tied documents is shared equally, exactly.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008).

    Examples
    --------
    >>> RBP(p=0.5).of([1, 0, 1])
    0.625
    >>> RBP(p1=0, p2=1).of([0, 0, 1, 1])
    0.3333333333333333
    """

    name = "RBP"
    examples = ("RBP(p=0.8)", "RBP(p=0.95, rel=2)", "RBP(p=0.8, gains=unit)", "RBP(p1=0.9, p2=0.5)", "RBP(p=0.5)@20")
    unit_gains = True
    swap = True
    replacement = True

    p: float | None = param(_P, None, low=0, below=1)
    p1: float | None = param("persistence after a relevant document (with p2, instead of p)", None, low=0, high=1)
    p2: float | None = param("persistence after a document that is not relevant", None, low=0, high=1)
    cutoff: int | None = cutoff(None)
    gains: Gains = gains("binary")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def check(self) -> None:
        super().check()
        if self.p is None and self.p1 is None and self.p2 is None:
            raise MeasureError(f"measure 'RBP': RBP needs p ({_P})")
        if (self.p is None, self.p is None) != (self.p1 is not None, self.p2 is not None):
            raise MeasureError("measure 'RBP': write either p, or both p1 and p2")
        if self.p is None and str(self.gains) != "binary":
            raise MeasureError("measure 'RBP': p1 and p2 need binary gains")

    def weight(self, rank: Ints) -> Floats:
        p = float(self.p or 0)
        return np.asarray((1 - p) * np.power(p, rank - 1.0))

    def score(self, judged: Judged) -> Floats:
        return super().score(judged) if self.p is not None else self._conditional(judged)

    def expected(self, judged: Judged) -> Floats | None:
        return self.score(judged) if self.p is not None else None

    def _conditional(self, judged: Judged) -> Floats:
        """Sum r V over sum V; the latter follows from sum V (1 - continuation) = 1, as a walk must end."""
        after_relevant, after_other = float(self.p1 or 0), float(self.p2 or 0)
        rows = self.within(judged)
        earlier = judged.found(rows) - 1
        looked = np.power(after_relevant, earlier) * np.power(after_other, rows.rank - 1.0 - earlier)
        relevant = judged.total(rows.ranking, looked)
        if after_other < 1:
            return ratio(relevant, relevant + (1 - (1 - after_relevant) * relevant) / (1 - after_other))
        if after_relevant > 0:
            return np.zeros(len(judged))  # the user never stops, so relevance per document looked at is 0
        first = np.full(len(judged), np.inf)
        first[rows.ranking[earlier == 0]] = rows.rank[earlier == 0]
        return 1 / first
