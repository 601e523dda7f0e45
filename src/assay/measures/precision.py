"""Precision at a cutoff, at the recall base and at recall levels."""

from __future__ import annotations

import math

import numpy as np

from assay.measures._base import Additive, Measure
from assay.measures._parameters import cutoff, param, rel
from assay.model.arrays import Floats, Ints, Numbers
from assay.model.judged import Judged

ROUNDING = ("exact", "trec_eval-10", "trec_eval-9")


def count_required(recall: float, base: Ints, rounding: str) -> Ints:
    """Return the number of relevant documents required to reach a recall level, for recall bases *base*.

    trec_eval 10 rounds recall x base to the nearest number. trec_eval 9 adds 0.9 and truncates. The exact number is the
    smallest c with c / base >= recall.
    """
    if rounding == "trec_eval-10":
        return np.asarray(np.floor(recall * base + 0.5), dtype=np.int64)
    if rounding == "trec_eval-9":
        return np.asarray(np.floor(recall * base + 0.9), dtype=np.int64)
    # The product recall * base may be rounded up or down. Start one below and test c / base >= recall directly.
    count: Ints = np.maximum(np.asarray(np.floor(recall * base), dtype=np.int64) - 1, 0)
    for _ in range(3):
        count += (count < base) & (count / np.maximum(base, 1) < recall)
    return count


def interpolate_precision(judged: Judged, rel: float, recall: float, rounding: str) -> Floats:
    """Return the highest precision at any rank where recall is at least *recall*; 0 if there is none."""
    rows = judged.rows(judged.relevance(rel))
    relevant = judged.cumulative_count(rows)
    reached = relevant >= count_required(recall, judged.recall_base(rel), rounding)[rows.ranking]
    best = np.zeros(len(judged))
    np.maximum.at(best, rows.ranking[reached], (relevant / rows.rank)[reached])
    return best


def _saturation(longest: int, level: float) -> float:
    """Return a number of relevant documents outside the ranking that makes a recall level unreachable."""
    return math.ceil(min((longest + 2) / level, 2.0**50))


class P(Additive):
    r"""Precision: the fraction of relevant documents in the top k.

    .. math:: P@k = \frac{1}{k} \sum_{i \le k} r_i

    r_i is 1 if the document at rank i is relevant and 0 otherwise. If fewer than k documents are retrieved, the missing
    ranks count as non-relevant. The user views exactly k documents; their order does not matter. The highest possible
    value is less than 1 for topics with fewer than k relevant documents.

    References
    ----------
    van Rijsbergen, *Information Retrieval*, 2nd ed., Butterworths 1979.

    Examples
    --------
    >>> P(cutoff=5).of([1, 0, 1])
    0.4
    """

    name = "P"
    aliases = ("Precision",)
    trec_eval = ("P_*",)
    examples = ("P@10", "P(rel=2)@5")
    swap = True
    replacement = True

    cutoff: int = cutoff()
    rel: float = rel()

    def scale(self, judged: Judged) -> float | Numbers:
        return float(self.cutoff)


class Rprec(Additive):
    r"""R-precision: precision at rank R, the number of relevant documents of the topic.

    .. math:: Rprec = \frac{1}{R} \sum_{i \le R} r_i

    At rank R, precision and recall are equal, and an ideal ranking has the value 1 for every topic. The value is
    undefined for topics without relevant documents.

    References
    ----------
    Buckley & Voorhees, *Retrieval System Evaluation*, in TREC: Experiment and Evaluation in Information
    Retrieval, MIT Press 2005.

    Examples
    --------
    >>> Rprec().of([1, 0, 1, 0], judged={1: 2, 0: 2})
    0.5
    """

    name = "Rprec"
    aliases = ("R-precision", "RPrec")
    trec_eval = ("Rprec",)
    examples = ("Rprec", "Rprec(rel=2)")
    uses_recall_base = True
    swap = True
    replacement = True
    bounds_strategy = "recall-base"
    med_strategy = "known-recall-base"

    rel: float = rel()

    def depth(self, judged: Judged) -> float | Numbers:
        return judged.recall_base(self.rel)

    def scale(self, judged: Judged) -> float | Numbers:
        return judged.recall_base(self.rel)


class RprecMult(Additive):
    r"""Precision at a multiple x of R, the number of relevant documents of the topic.

    .. math:: RprecMult@x = P@c, \qquad c = \lfloor x R + 0.9 \rfloor

    x = 1 is R-precision. A small x emphasises precision, and a large x emphasises recall. The depth is comparable
    between topics. x R is rounded as in trec_eval. The value is 0 if c is 0. If fewer than c documents are retrieved,
    the missing ranks count as non-relevant.

    References
    ----------
    trec_eval, measure *Rprec_mult*.

    Examples
    --------
    >>> RprecMult(multiple=2).of([1, 0, 1, 0], judged={1: 2, 0: 2})
    0.5
    """

    name = "RprecMult"
    trec_eval = ("Rprec_mult_*",)
    examples = ("RprecMult@0.5", "RprecMult@2", "RprecMult(rel=2)@0.2")
    uses_recall_base = True
    swap = True
    replacement = True
    bounds_strategy = "recall-base"
    med_strategy = "known-recall-base"

    multiple: float = param("multiple of R: the number of ranks that are evaluated is x R", above=0, high=1e12, at=True)
    rel: float = rel()

    def depth(self, judged: Judged) -> float | Numbers:
        return np.asarray(np.floor(float(self.multiple) * judged.recall_base(self.rel) + 0.9))

    def scale(self, judged: Judged) -> float | Numbers:
        return self.depth(judged)


class IPrec(Measure):
    r"""Interpolated precision: the highest precision at any rank where recall is at least x.

    .. math:: IPrec@x = \max \{ P@i : \textstyle\sum_{j \le i} r_j \ge x R \}

    The value is 0 if recall x is never reached. It is a point of the precision-recall curve. trec_eval rounds x R to a
    number of documents, and versions 9 and 10 round differently; ``rounding`` selects one of them. The default,
    ``exact``, does not round.

    References
    ----------
    Manning, Raghavan & Schütze, *Introduction to Information Retrieval*, Cambridge 2008, section 8.4.

    Examples
    --------
    >>> IPrec(recall=0.5).of([0, 1, 1, 0], judged={1: 2, 0: 2})
    0.6666666666666666
    """

    name = "IPrec"
    aliases = ("InterpolatedPrecision",)
    trec_eval = ("iprec_at_recall_*=IPrec(rounding=trec_eval-10)@*",)
    examples = ("IPrec@0.1", "IPrec(rounding=trec_eval-9)@0.5", "IPrec(rel=2)@0")
    uses_recall_base = True
    swap_monotone = True
    swap = True
    replacement = True
    dilutes = True

    recall: float = param("recall level", low=0, high=1, at=True)
    rel: float = rel()
    rounding: str = param("rounding of a recall level to a number of documents", "exact", kind="text", choices=ROUNDING)

    def score(self, judged: Judged) -> Floats:
        return interpolate_precision(judged, self.rel, self.recall, self.rounding)

    def saturation(self, longest: int, gain: float) -> float:
        return _saturation(longest, float(self.recall) or 1.0)


_LEVELS = {11: tuple(i / 10 for i in range(11)), 3: (0.2, 0.5, 0.8)}


class IPrecAvg(Measure):
    r"""The mean of interpolated precision over 11 recall levels (0, 0.1, …, 1) or 3 recall levels (0.2, 0.5, 0.8).

    .. math:: IPrecAvg = \frac{1}{|X|} \sum_{x \in X} IPrec@x

    X is the set of recall levels. The mean approximates the area under the interpolated precision-recall curve. The
    parameter ``rounding`` follows versions of trec_eval; see IPrec.

    References
    ----------
    Manning, Raghavan & Schütze, *Introduction to Information Retrieval*, Cambridge 2008, section 8.4.

    Examples
    --------
    >>> IPrecAvg(points=11).of([1, 1, 0])
    1.0
    """

    name = "IPrecAvg"
    trec_eval = (
        "11pt_avg=IPrecAvg(points=11, rounding=trec_eval-10)",
        "3pt_avg=IPrecAvg(points=3, rounding=trec_eval-9)",
    )
    examples = ("IPrecAvg(points=11)", "IPrecAvg(points=3)", "IPrecAvg(points=11, rel=2, rounding=trec_eval-9)")
    uses_recall_base = True
    swap_monotone = True
    swap = True
    replacement = True
    dilutes = True

    points: int = param("number of recall levels", kind="whole", choices=(3, 11))
    rel: float = rel()
    rounding: str = param("rounding of a recall level to a number of documents", "exact", kind="text", choices=ROUNDING)

    def score(self, judged: Judged) -> Floats:
        levels = _LEVELS[self.points]
        total = sum((interpolate_precision(judged, self.rel, x, self.rounding) for x in levels), np.zeros(len(judged)))
        return total / len(levels)

    def saturation(self, longest: int, gain: float) -> float:
        return _saturation(longest, 0.1)
