"""Precision at a cutoff, at the recall base and at recall levels."""

from __future__ import annotations

import math

import numpy as np

from assay.measures._base import Additive, Measure
from assay.measures._parameters import cutoff, param, rel
from assay.model.arrays import Floats, Ints, Numbers
from assay.model.judged import Judged

ROUNDING = ("exact", "trec_eval-10", "trec_eval-9")


def needed(recall: float, base: Ints, rounding: str) -> Ints:
    """Return how many of *base* relevant documents make up a recall level.

    trec_eval 10 rounds to the nearest number, trec_eval 9 adds 0.9 and cuts off; exact is the least number c
    with c / R >= recall.
    """
    if rounding == "trec_eval-10":
        return np.asarray(np.floor(recall * base + 0.5), dtype=np.int64)
    if rounding == "trec_eval-9":
        return np.asarray(np.floor(recall * base + 0.9), dtype=np.int64)
    near: Ints = np.maximum(np.asarray(np.floor(recall * base), dtype=np.int64) - 1, 0)
    for _ in range(3):
        near += (near < base) & (near / np.maximum(base, 1) < recall)
    return near


def interpolated(judged: Judged, rel: float, recall: float, rounding: str) -> Floats:
    """Return the largest precision at any rank where the recall level is reached; 0 if it never is."""
    rows = judged.rows(judged.relevance(rel))
    found = judged.found(rows)
    reached = found >= needed(recall, judged.recall_base(rel), rounding)[rows.ranking]
    best = np.zeros(len(judged))
    np.maximum.at(best, rows.ranking[reached], (found / rows.rank)[reached])
    return best


def _saturation(longest: int, level: float) -> float:
    """Return how many relevant documents outside put a recall level, and all above it, out of reach."""
    return math.ceil(min((longest + 2) / level, 2.0**50))


class P(Additive):
    r"""Precision: the share of relevant documents in the top k.

    .. math:: P@k = \frac{1}{k} \sum_{i \le k} r_i

    Ranks that the run leaves empty count as not relevant.

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
    r"""R-precision: precision at the rank R, the number of relevant documents of the topic.

    .. math:: Rprec = \frac{1}{R} \sum_{i \le R} r_i

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
    r"""Precision at x times R, the number of relevant documents of the topic.

    .. math:: RprecMult@x = P@c, \qquad c = \lfloor x R + 0.9 \rfloor

    x = 1 is R-precision. Small x tell about precision and large x about recall, at the same stage for every topic.
    The rounding is that of trec_eval; 0 if c is 0. Ranks that the run leaves empty count as not relevant.

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

    multiple: float = param("how many times R ranks are looked at", above=0, high=1e12, at=True)
    rel: float = rel()

    def depth(self, judged: Judged) -> float | Numbers:
        return np.asarray(np.floor(float(self.multiple) * judged.recall_base(self.rel) + 0.9))

    def scale(self, judged: Judged) -> float | Numbers:
        return self.depth(judged)


class IPrec(Measure):
    r"""Interpolated precision: the best precision at any rank where recall has reached the level x.

    .. math:: IPrec@x = \max \{ P@i : \textstyle\sum_{j \le i} r_j \ge x R \}

    0 if the level is never reached. trec_eval rounds x R to a number of documents, and its versions do so in
    different ways; ``rounding`` follows either, the default is the definition.

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
    rounding: str = param("how a recall level becomes a number of documents", "exact", kind="text", choices=ROUNDING)

    def score(self, judged: Judged) -> Floats:
        return interpolated(judged, self.rel, self.recall, self.rounding)

    def saturation(self, longest: int, gain: float) -> float:
        return _saturation(longest, float(self.recall) or 1.0)


_LEVELS = {11: tuple(i / 10 for i in range(11)), 3: (0.2, 0.5, 0.8)}


class IPrecAvg(Measure):
    r"""The mean of interpolated precision over 11 recall levels (0, 0.1, …, 1) or 3 (0.2, 0.5, 0.8).

    .. math:: IPrecAvg = \frac{1}{|X|} \sum_{x \in X} IPrec@x

    trec_eval rounds recall levels to numbers of documents, and its versions do so in different ways; see IPrec.

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
    rounding: str = param("how a recall level becomes a number of documents", "exact", kind="text", choices=ROUNDING)

    def score(self, judged: Judged) -> Floats:
        levels = _LEVELS[self.points]
        total = sum((interpolated(judged, self.rel, x, self.rounding) for x in levels), np.zeros(len(judged)))
        return total / len(levels)

    def saturation(self, longest: int, gain: float) -> float:
        return _saturation(longest, 0.1)
