"""Novelty and diversity: measures of judgments with subtopics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import Measure, ratio
from assay.measures._diverse_ideal import find_ideal_gains
from assay.measures._facets import needed_facets
from assay.measures._parameters import cutoff, param, rel
from assay.measures._threshold import threshold
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged
from assay.model.subtopics import slice_subtopics, weigh_subtopics

MAX_CUTOFF = 1_000_000
"""Largest cutoff of measures that are divided by the value of a perfect ranking down to the cutoff."""


def find_subtopics(judged: Judged, rel: float | None, *, declared: bool = False) -> Bools:
    """Return topics x subtopics: True if the subtopic counts, because a document is relevant to it.

    With *rel* None, grades above 0 are relevant. With *declared*, every subtopic in the judgments counts.
    """
    lowest = -math.inf if declared else rel
    return judged.get_or_compute(
        ("subtopics", lowest), lambda: judged.subtopic_table().find_subtopics(len(judged.counts), lowest)
    )


class StRecall(Measure):
    r"""Subtopic recall: the fraction of the subtopics that the top k covers.

    .. math:: StRecall@k = \frac{1}{m} \left| \bigcup_{i \le k} S(d_i) \right|

    S(d) is the set of subtopics to which document d is relevant, and m is the number of subtopics to which at least one
    judged document is relevant. With *all*, m is the number of all subtopics in the judgments. Subtopics count equally,
    even if they have weights. The value is undefined for topics without relevant documents. Judgments that name no
    subtopics, as literal grades, have one subtopic for each topic; the measure is then the same as Success@k.

    References
    ----------
    Zhai, Cohen & Lafferty, *Beyond independent relevance: methods and evaluation metrics for subtopic retrieval*,
    SIGIR 2003; ndeval, measure *strec*.

    Examples
    --------
    >>> StRecall(cutoff=2).of([0, 1, 1])
    1.0
    """

    name = "StRecall"
    aliases = ("strec", "I-rec", "Coverage")
    examples = ("StRecall@10", "StRecall(rel=2)@20", "StRecall(all=true)@20")
    facets = ("subtopic",)
    uses_recall_base = True
    swap = True
    replacement = True

    cutoff: int = cutoff()
    rel: float = rel()
    all: bool = param("count every subtopic in the judgments, even without relevant documents", False, kind="flag")

    def score(self, judged: Judged) -> Floats:
        rows = judged.subtopic_rows()
        covers = (rows.rank <= self.cutoff) & (rows.grade >= self.rel)
        counted = find_subtopics(judged, self.rel, declared=self.all)
        cell = np.unique(rows.ranking[covers] * counted.shape[1] + rows.subtopic[covers])
        covered = np.bincount(cell // counted.shape[1], minlength=len(judged)).astype(np.float64)
        return ratio(covered, counted.sum(axis=1)[judged.topic])

    def is_defined(self, judged: Judged) -> Bools:
        return np.asarray(find_subtopics(judged, self.rel).any(axis=1))[judged.topic]

    def saturation(self, longest: int, gain: float) -> float:
        return 1


def _alpha() -> Any:
    return param("fraction of the interest in a subtopic that each relevant document satisfies", 0.5, low=0, high=1)


def _norm() -> Any:
    doc = "perfect (divide by the value of a ranking of documents relevant to every subtopic) or none"
    return param(doc, "perfect", kind="text", choices=("perfect", "none"))


class Novelty(Measure):
    r"""A sum over ranks of weight(rank) x novelty-biased gain, divided by a scale.

    The gain of a document is the sum over its subtopics of :math:`p_s (1 - \alpha)^c`, where c is the number of
    documents relevant to the subtopic at ranks above.
    """

    facets = ("subtopic",)
    uses_recall_base = True

    if TYPE_CHECKING:
        rel: float
        alpha: float

    def weight(self, rank: Ints) -> Floats:
        """Return the weight of each rank (from 1)."""
        raise NotImplementedError

    @property
    def depth(self) -> float:
        """The number of ranks that are evaluated."""
        return getattr(self, "cutoff", math.inf)

    def _weigh_subtopics(self, judged: Judged) -> Floats:
        return weigh_subtopics(judged, find_subtopics(judged, self.rel))

    def total(self, judged: Judged) -> Floats:
        """Return the sum for each ranking."""
        rows = judged.subtopic_rows()
        keep = (rows.grade >= self.rel) & (rows.rank <= self.depth)
        ranking, rank, subtopic = rows.ranking[keep], rows.rank[keep], rows.subtopic[keep]
        weights = self._weigh_subtopics(judged)
        cell = ranking * weights.shape[1] + subtopic
        order = np.argsort(cell, kind="stable")
        is_first = np.diff(cell[order], prepend=-1) != 0
        index = np.arange(len(order))
        above = np.empty(len(order), dtype=np.int64)
        above[order] = index - np.maximum.accumulate(np.where(is_first, index, 0))
        gain = weights[judged.topic[ranking], subtopic] * (1.0 - self.alpha) ** above
        return judged.total(ranking, gain * self.weight(rank))

    def ideal_total(self, judged: Judged) -> Floats:
        """Return for each ranking the sum of the greedy ideal ranking of its topic."""
        size = int(min(self.depth, len(judged.subtopic_table().document)))
        counted = find_subtopics(judged, self.rel)
        gains = judged.get_or_compute(
            ("greedy ideal", self.rel, self.alpha, size),
            lambda: find_ideal_gains(
                judged, counted, self._weigh_subtopics(judged), rel=self.rel, alpha=self.alpha, size=size
            ),
        )
        rank = np.arange(1, gains.shape[1] + 1)
        return np.asarray((gains * self.weight(rank)).sum(axis=1)[judged.topic])

    def perfect_total(self) -> float:
        """Return the sum of a ranking whose every document is relevant to every subtopic."""
        rank = np.arange(1, int(self.depth) + 1)
        with np.errstate(under="ignore"):
            return float(((1.0 - self.alpha) ** (rank - 1) * self.weight(rank)).sum())

    def is_defined(self, judged: Judged) -> Bools:
        return np.asarray(find_subtopics(judged, self.rel).any(axis=1))[judged.topic]


class alpha_DCG(Novelty):
    r"""Novelty-biased DCG: documents gain less from subtopics that earlier documents cover.

    .. math:: \alpha DCG@k = \frac{\sum_{i \le k} G_i / \log_2(1 + i)}
                                  {\sum_{i \le k} (1 - \alpha)^{i - 1} / \log_2(1 + i)},
              \quad G_i = \sum_{s \in S(d_i)} p_s (1 - \alpha)^{c_s(i)}

    S(d) is the set of subtopics to which document d is relevant, :math:`c_s(i)` is the number of documents relevant to
    s above rank i, and :math:`p_s` is the weight of the subtopic, as in ``IA``. The divisor is the value of a ranking
    of documents that are relevant to every subtopic; *norm=none* omits it. ndeval divides only at ranks from 2; at rank
    1 it prints the number of subtopics covered.

    References
    ----------
    Clarke et al., *Novelty and diversity in information retrieval evaluation*, SIGIR 2008; ndeval, *alpha-DCG*.

    Examples
    --------
    >>> alpha_DCG(cutoff=1).of([1, 0, 1])
    1.0
    """

    name = "alpha_DCG"
    aliases = ("alpha-DCG", "α_DCG")
    examples = ("alpha_DCG@10", "alpha_DCG(alpha=0.3)@20", "alpha_DCG(norm=none)@5")
    bounds = (0.0, math.inf)
    swap = True
    replacement = True

    cutoff: int = cutoff(high=MAX_CUTOFF)
    alpha: float = _alpha()
    rel: float = rel()
    norm: str = _norm()

    def check(self) -> None:
        # Measures are immutable, so an attribute that depends on a parameter is set with object.__setattr__.
        object.__setattr__(self, "bounds", (0.0, 1.0 if self.norm == "perfect" else math.inf))

    def weight(self, rank: Ints) -> Floats:
        return np.asarray(1.0 / np.log2(1.0 + rank))

    def score(self, judged: Judged) -> Floats:
        return ratio(self.total(judged), self.perfect_total() if self.norm == "perfect" else 1.0)


class alpha_nDCG(Novelty):
    r"""Novelty-biased DCG, divided by that of the ideal ranking.

    .. math:: \alpha nDCG@k = \frac{\alpha DCG@k}{\alpha DCG@k \text{ of the ideal ranking}}

    The ideal ranking is greedy, as in ndeval: at each rank it has the document with the largest gain; of documents with
    the same gain, the one with the largest id. Finding the best ranking is NP-hard; the value of a ranking that is
    better than the greedy one is above 1.

    References
    ----------
    Clarke et al., *Novelty and diversity in information retrieval evaluation*, SIGIR 2008; ndeval, *alpha-nDCG*.

    Examples
    --------
    >>> alpha_nDCG(cutoff=2).of([1, 0, 1], judged={1: 2, 0: 1})
    0.7601875334318685
    """

    name = "alpha_nDCG"
    aliases = ("alpha-nDCG", "α_nDCG")
    examples = ("alpha_nDCG@10", "alpha_nDCG(alpha=0.3, rel=2)@20")
    bounds = (0.0, math.inf)
    swap = True
    replacement = True

    cutoff: int = cutoff(high=MAX_CUTOFF)
    alpha: float = _alpha()
    rel: float = rel()

    def weight(self, rank: Ints) -> Floats:
        return np.asarray(1.0 / np.log2(1.0 + rank))

    def score(self, judged: Judged) -> Floats:
        return ratio(self.total(judged), self.ideal_total(judged))


class ERR_IA(Novelty):
    r"""Intent-aware expected reciprocal rank, as ndeval normalises it.

    .. math:: ERR\_IA@k = \frac{\sum_{i \le k} G_i / i}{\sum_{i \le k} (1 - \alpha)^{i - 1} / i}

    :math:`G_i` is the gain of ``alpha_DCG``; alpha is the probability that a relevant document satisfies the user. The
    divisor is the value of a ranking of documents that are relevant to every subtopic. With *norm=none*, alpha times
    the sum is the measure of Chapelle et al. ndeval divides only at ranks from 2.

    References
    ----------
    Chapelle et al., *Expected reciprocal rank for graded relevance*, CIKM 2009; ndeval, *ERR-IA*.

    Examples
    --------
    >>> ERR_IA(cutoff=1).of([1, 0, 1])
    1.0
    """

    name = "ERR_IA"
    aliases = ("ERR-IA",)
    examples = ("ERR_IA@20", "ERR_IA(alpha=0.9)@10", "ERR_IA(norm=none)@5")
    bounds = (0.0, math.inf)
    swap = True
    replacement = True

    cutoff: int = cutoff(high=MAX_CUTOFF)
    alpha: float = _alpha()
    rel: float = rel()
    norm: str = _norm()

    def check(self) -> None:
        # Measures are immutable, so an attribute that depends on a parameter is set with object.__setattr__.
        object.__setattr__(self, "bounds", (0.0, 1.0 if self.norm == "perfect" else math.inf))

    def weight(self, rank: Ints) -> Floats:
        return 1.0 / rank

    def score(self, judged: Judged) -> Floats:
        return ratio(self.total(judged), self.perfect_total() if self.norm == "perfect" else 1.0)


class nERR_IA(Novelty):
    r"""Intent-aware expected reciprocal rank, divided by that of the ideal ranking.

    .. math:: nERR\_IA@k = \frac{ERR\_IA@k}{ERR\_IA@k \text{ of the ideal ranking}}

    The ideal ranking is that of ``alpha_nDCG``.

    References
    ----------
    Chapelle et al., *Expected reciprocal rank for graded relevance*, CIKM 2009; ndeval, *nERR-IA*.

    Examples
    --------
    >>> nERR_IA(cutoff=1).of([0, 1])
    0.0
    """

    name = "nERR_IA"
    aliases = ("nERR-IA",)
    examples = ("nERR_IA@20", "nERR_IA(alpha=0.9, rel=2)@10")
    bounds = (0.0, math.inf)
    swap = True
    replacement = True

    cutoff: int = cutoff(high=MAX_CUTOFF)
    alpha: float = _alpha()
    rel: float = rel()

    def weight(self, rank: Ints) -> Floats:
        return 1.0 / rank

    def score(self, judged: Judged) -> Floats:
        return ratio(self.total(judged), self.ideal_total(judged))


class NRBP(Novelty):
    r"""Novelty- and rank-biased precision: the gain of ``alpha_DCG`` for a user who continues with probability beta.

    .. math:: NRBP = (1 - (1 - \alpha) \beta) \sum_i \beta^{i - 1} G_i

    All retrieved documents count.

    References
    ----------
    Clarke, Kolla & Vechtomova, *An effectiveness measure for ambiguous and underspecified queries*, ICTIR 2009.

    Examples
    --------
    >>> NRBP().of([1])
    0.75
    """

    name = "NRBP"
    examples = ("NRBP", "NRBP(alpha=0.3, beta=0.8)", "NRBP(rel=2)")
    swap = True
    replacement = True

    alpha: float = _alpha()
    beta: float = param("probability that the user goes on to the next document", 0.5, low=0, below=1)
    rel: float = rel()

    def weight(self, rank: Ints) -> Floats:
        with np.errstate(under="ignore"):
            return np.asarray(float(self.beta) ** (rank - 1.0))

    def score(self, judged: Judged) -> Floats:
        return (1.0 - (1.0 - self.alpha) * self.beta) * self.total(judged)


class nNRBP(Novelty):
    r"""Novelty- and rank-biased precision, divided by that of the ideal ranking of all judged documents.

    .. math:: nNRBP = \frac{NRBP}{NRBP \text{ of the ideal ranking}}

    The ideal ranking is that of ``alpha_nDCG``.

    References
    ----------
    Clarke, Kolla & Vechtomova, *An effectiveness measure for ambiguous and underspecified queries*, ICTIR 2009;
    ndeval, *nNRBP*.

    Examples
    --------
    >>> nNRBP().of([1, 0])
    1.0
    """

    name = "nNRBP"
    examples = ("nNRBP", "nNRBP(alpha=0.3, beta=0.8)", "nNRBP(rel=2)")
    bounds = (0.0, math.inf)
    swap = True
    replacement = True

    alpha: float = _alpha()
    beta: float = param("probability that the user goes on to the next document", 0.5, low=0, below=1)
    rel: float = rel()

    def weight(self, rank: Ints) -> Floats:
        with np.errstate(under="ignore"):
            return np.asarray(float(self.beta) ** (rank - 1.0))

    def score(self, judged: Judged) -> Floats:
        return ratio(self.total(judged), self.ideal_total(judged))


class IA(Measure):
    r"""Intent-aware measure: the weighted mean of a measure over the subtopics of the topic.

    .. math:: IA(M) = \sum_s p_s M_s

    M_s is the value of M if only the judgments of subtopic s count, and :math:`p_s` is the weight of the subtopic. The
    weights sum to 1 over the subtopics to which at least one judged document is relevant; they are equal unless weights
    are read (``--subtopic-weights``). The value is undefined for topics without relevant documents. ``IA(AP)`` is known
    as MAP-IA or AP-IA, and ``IA(P@10)`` as P-IA. Judgments that name no subtopics have one subtopic for each topic;
    IA(M) is then M.

    References
    ----------
    Agrawal, Gollapudi, Halverson & Ieong, *Diversifying search results*, WSDM 2009.

    Examples
    --------
    >>> from assay.measures.average_precision import AP
    >>> IA(of_measure=AP()).of([1, 0, 1])
    0.8333333333333333
    """

    name = "IA"
    examples = ("IA(AP)", "IA(nDCG@10)", "IA(P@5)")
    facets = ("subtopic",)
    uses_recall_base = True

    of_measure: Measure = param("measure to average over subtopics", kind="measure")

    def check(self) -> None:
        if self.of_measure.aggregate != "mean" or needed_facets([self.of_measure]):
            raise MeasureError(
                f"measure 'IA': {self.of_measure} has no mean over subtopics; use a measure of plain grades that is "
                "averaged over topics"
            )
        # Measures are immutable, so attributes copied from the inner measure are set with object.__setattr__.
        for attribute in ("bounds", "lower_is_better", "can_be_infinite"):
            object.__setattr__(self, attribute, getattr(self.of_measure, attribute))

    @property
    def uses_unjudged(self) -> bool:
        return self.of_measure.uses_unjudged

    def _counted(self, judged: Judged) -> Bools:
        return find_subtopics(judged, threshold(self.of_measure))

    def score(self, judged: Judged) -> Floats:
        counted = self._counted(judged)
        weights = weigh_subtopics(judged, counted)[judged.topic]
        slices: list[Judged] = judged.get_or_compute("subtopic slices", lambda: list(slice_subtopics(judged)))
        total = np.zeros(len(judged))
        for number, judged_slice in enumerate(slices):
            counts = counted[judged.topic, number]
            value = np.where(counts, self.of_measure.score(judged_slice), 0.0)
            total += weights[:, number] * value
        return total

    def is_defined(self, judged: Judged) -> Bools:
        return np.asarray(self._counted(judged).any(axis=1))[judged.topic]
