"""Rank-biased precision, its residual, and its form in trec_eval."""

from __future__ import annotations

import math

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import Additive, ratio
from assay.measures._counting import is_unjudged
from assay.measures._graded import GradedSum
from assay.measures._parameters import cutoff, floor, gains, max_rel, param
from assay.model.arrays import Floats, Ints, Numbers
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

    @property
    def is_plain_sum(self) -> bool:
        return self.p is not None

    @property
    def bounds_strategy(self) -> str | None:
        return "conditional-persistence" if self.p is None else None

    def tail_weight(self, length: Numbers) -> Floats | None:
        if self.p is None:
            return None
        end = math.inf if self.cutoff is None else float(self.cutoff)
        return np.asarray(np.power(float(self.p), np.minimum(length, end)) - np.power(float(self.p), end))

    def score(self, judged: Judged) -> Floats:
        return super().score(judged) if self.p is not None else self._conditional(judged)

    def expected(self, judged: Judged) -> Floats | None:
        return self.score(judged) if self.p is not None else None

    def _conditional(self, judged: Judged) -> Floats:
        """Return sum r V over sum V; the latter follows from sum V (1 - continuation) = 1, since every user stops."""
        after_relevant, after_other = float(self.p1 or 0), float(self.p2 or 0)
        rows = self.rows_to_depth(judged)
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


class RBPnorm(Additive):
    r"""RBP whose gains are the grades over the largest grade of the topic.

    .. math:: RBPnorm = \frac{1 - p}{\max(1, G)} \sum_i g_i \, p^{i-1}

    G is the largest grade that any document of the topic was judged with, so the same grade is worth more in a topic
    that has none above it; ``RBP(gains=unit)`` scales all topics alike. This is what trec_eval 10 calls *rbp*.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008);
    trec_eval, measure *rbp*.

    Examples
    --------
    >>> RBPnorm(p=0.5).of([2, 0, 1], judged={4: 1, 2: 1, 1: 3, 0: 1})
    0.28125
    """

    name = "RBPnorm"
    trec_eval = ("rbp=RBPnorm(p=0.9)",)
    examples = ("RBPnorm(p=0.9)", "RBPnorm(p=0.5)@20", "RBPnorm(p=0.8, rel=2)")
    swap = True
    replacement = True
    bounds_strategy = "topic-scaled"

    p: float = param("persistence: probability of looking at the next document", low=0, below=1)
    cutoff: int | None = cutoff(None)
    rel: float | None = floor()

    def gain(self, judged: Judged) -> Floats:
        return Gains("identity").table(judged.levels, self.rel, None)

    def weight(self, rank: Ints) -> Floats:
        return np.asarray((1 - self.p) * np.power(float(self.p), rank - 1.0))

    def scale(self, judged: Judged) -> float | Numbers:
        largest = np.max(np.where(judged.counts > 0, judged.levels, 1.0), axis=1, initial=1.0)
        return np.asarray(largest[judged.topic])


class RBPresidual(Additive):
    r"""The residual of RBP: the most that documents which nobody judged or retrieved could add to it.

    .. math:: RBPresidual = (1 - p) \sum_{i \le n} [d_i \text{ is not judged}] \, p^{i-1} + p^n

    n is the number of documents that were retrieved, at most the cutoff. RBP lies between its value and its value
    plus the residual. Documents with a negative grade count as unjudged. (trec_eval leaves the tail :math:`p^n` out
    if every document that was retrieved is judged.)

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008).

    Examples
    --------
    >>> RBPresidual(p=0.5).of([1, None, 0])
    0.375
    """

    name = "RBPresidual"
    trec_eval = ("rbp_resid=RBPresidual(p=0.9)",)
    examples = ("RBPresidual(p=0.8)", "RBPresidual(p=0.95)@100")
    lower_is_better = True
    empty_is_zero = False
    uses_unjudged = True
    bounds_strategy = "counts"

    p: float = param("persistence: probability of looking at the next document", low=0, below=1)
    cutoff: int | None = cutoff(None)

    def gain(self, judged: Judged) -> Floats:
        return is_unjudged(judged).astype(np.float64)

    def weight(self, rank: Ints) -> Floats:
        return np.asarray((1 - self.p) * np.power(float(self.p), rank - 1.0))

    def score(self, judged: Judged) -> Floats:
        seen = judged.length if self.cutoff is None else np.minimum(judged.length, self.cutoff)
        return super().score(judged) + np.power(float(self.p), seen)
