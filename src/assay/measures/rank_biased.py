"""Rank-biased precision, its residual, and the variant of trec_eval."""

from __future__ import annotations

import math

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import Additive, ratio
from assay.measures._graded import GradedSum
from assay.measures._parameters import cutoff, floor, gains, max_rel, param
from assay.model.arrays import Floats, Ints, Numbers
from assay.model.gains import Gains
from assay.model.grade_codes import ungraded_codes
from assay.model.judged import Judged

_P = "persistence: probability of continuing to the next document"


class RBP(GradedSum):
    r"""Rank-biased precision: expected gain per document viewed by a user who continues with probability p.

    .. math:: RBP = (1 - p) \sum_i g_i \, p^{i-1}

    The user always views the first document and continues from each document to the next with persistence p, so rank i
    is viewed with probability p^(i-1), and 1 / (1 - p) documents are viewed on average. Use p = 0.5 for an impatient
    user and p = 0.95 for a persistent one. RBP does not depend on the recall base. Unjudged documents count as
    non-relevant; RBPresidual is the resulting uncertainty. Gains are binary by default (``rel`` is the lowest relevant
    grade); ``gains=unit`` is the grade divided by the top grade.

    With *p1* and *p2* instead of p, the user continues with probability p1 after a relevant document and p2 after a
    non-relevant one. Ranks after the end of the ranking count as non-relevant:

    .. math:: RBP_{p1,p2} = \frac{\sum_i r_i V_i}{\sum_i V_i}, \qquad
              V_1 = 1, \; V_{i+1} = V_i \cdot (p1 \text{ or } p2)

    The expectation over tied documents is exact for p and sampled for p1 and p2.

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

    p: float | None = param(_P, None, low=0, below=1)
    p1: float | None = param("persistence after a relevant document (with p2, instead of p)", None, low=0, high=1)
    p2: float | None = param("persistence after a non-relevant document (with p1)", None, low=0, high=1)
    cutoff: int | None = cutoff(None)
    gains: Gains = gains("binary")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def check(self) -> None:
        super().check()
        if self.p is None and self.p1 is None and self.p2 is None:
            raise MeasureError(f"measure 'RBP': RBP needs p ({_P})")
        # Either p is set, and p1 and p2 are not, or the other way round.
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

    def expected_values(self, judged: Judged) -> Floats | None:
        return self.score(judged) if self.p is not None else None

    def _conditional(self, judged: Judged) -> Floats:
        """Return the ratio of sum r V and sum V for the persistences p1 and p2.

        The user stops with probability V (1 - p1) at a relevant document and V (1 - p2) at any other document. These
        probabilities sum to 1, because every user stops somewhere. Let v be the sum of V over the relevant documents.
        Then the sum of V over the other documents is (1 - (1 - p1) v) / (1 - p2).
        """
        after_relevant, after_other = float(self.p1 or 0), float(self.p2 or 0)
        rows = self.rows_to_depth(judged)
        earlier = judged.cumulative_count(rows) - 1
        view_probability = np.power(after_relevant, earlier) * np.power(after_other, rows.rank - 1.0 - earlier)
        relevant_views = judged.total(rows.ranking, view_probability)
        if after_other < 1:
            other_views = (1 - (1 - after_relevant) * relevant_views) / (1 - after_other)
            return ratio(relevant_views, relevant_views + other_views)
        if after_relevant > 0:
            # The user views infinitely many documents and finds finitely many relevant ones.
            return np.zeros(len(judged))
        # With p1 = 0 and p2 = 1 the user stops at the first relevant document, which is reciprocal rank.
        first = np.full(len(judged), np.inf)
        first[rows.ranking[earlier == 0]] = rows.rank[earlier == 0]
        return 1 / first


class RBPnorm(Additive):
    r"""RBP with gains relative to the largest grade of the topic, as in trec_eval.

    .. math:: RBPnorm = \frac{1 - p}{\max(1, G)} \sum_i g_i \, p^{i-1}

    g_i is the grade at rank i, and G is the largest grade of a judged document of the topic. A grade therefore has
    different gains in different topics; ``RBP(gains=unit)`` uses the same scale for all topics. This is the measure
    *rbp* of trec_eval 10.

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

    p: float = param(_P, low=0, below=1)
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
    r"""RBP residual: the largest possible contribution of unjudged and unretrieved documents to RBP.

    .. math:: RBPresidual = (1 - p) \sum_{i \le n} [d_i \text{ is not judged}] \, p^{i-1} + p^n

    n is the number of retrieved documents, at most the cutoff. With complete judgments, RBP would be at least its
    current value and at most the current value plus the residual. A large residual means that the judgments or the
    rankings are not deep enough for the persistence p. Documents with a negative grade count as unjudged. trec_eval
    omits the tail :math:`p^n` if every retrieved document is judged.

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

    p: float = param(_P, low=0, below=1)
    cutoff: int | None = cutoff(None)

    def gain(self, judged: Judged) -> Floats:
        return ungraded_codes(judged.levels).astype(np.float64)

    def weight(self, rank: Ints) -> Floats:
        return np.asarray((1 - self.p) * np.power(float(self.p), rank - 1.0))

    def score(self, judged: Judged) -> Floats:
        depth = judged.length if self.cutoff is None else np.minimum(judged.length, self.cutoff)
        return super().score(judged) + np.power(float(self.p), depth)
