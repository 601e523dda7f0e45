"""The Q-measure."""

from __future__ import annotations

import math

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import ratio
from assay.measures._parameters import cutoff, floor, gains, max_rel, param
from assay.measures.ideal_ranking import IdealComparison, sum_ideal_gains
from assay.model.arrays import Floats
from assay.model.gains import Gains
from assay.model.judged import Judged
from assay.model.segmented_scan import accumulate


class Q(IdealComparison):
    r"""Q-measure: a graded form of AP that replaces precision by the blended ratio.

    .. math:: Q = \frac{1}{R} \sum_i [g_i > 0] \frac{\beta \, cg_i + c_i}{\beta \, cg^*_i + i}

    cg_i and cg*_i are the cumulated gains of the ranking and of the ideal ranking at rank i, c_i is the number of
    documents with a gain down to rank i, and R is the number of such documents of the topic. The blended ratio combines
    precision c_i / i and normalised cumulated gain cg_i / cg*_i. With beta = 0, Q is AP; a larger beta gives high
    grades more weight. With ``gains=binary`` and beta = 1, Q is :math:`\frac{1}{R} \sum r_i 2 c_i / (i + \min(i, R))`.
    The value is undefined for topics in which no document has a gain.

    References
    ----------
    Sakai, *On the reliability of information retrieval metrics based on graded relevance*, Information
    Processing & Management 43 (2007).

    Examples
    --------
    >>> Q(gains="binary").of([1, 0, 1, 0])
    0.9
    """

    name = "Q"
    aliases = ("Q-measure", "QMeasure")
    examples = ("Q", "Q(gains=binary)", "Q(beta=10, gains=exp)", "Q(norm=min)@100", "Q(rel=2)")
    swap_monotone = True
    swap = False
    replacement = True
    dilutes = True
    vanishes = True
    bounds_strategy = "branch-and-bound"
    med_strategy = "q-measure"

    cutoff: int | None = cutoff(None)
    beta: float = param("weight of the gains relative to the number of documents", 1, low=0)
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()
    norm: str = param("divisor of the sum: R or min(cutoff, R)", "R", kind="text", choices=("R", "min"))

    def check(self) -> None:
        super().check()
        if self.norm == "min" and self.cutoff is None:
            raise MeasureError("measure 'Q': norm=min needs a cutoff, such as Q(norm=min)@10")

    def score(self, judged: Judged) -> Floats:
        gain = self.gain(judged)
        rows, ideal = judged.rows(gain), judged.ideal(gain)
        if not len(rows.rank):
            return np.zeros(len(judged))
        blended = (self.beta * accumulate(np.add, rows.ranking, rows.gain) + judged.cumulative_count(rows)) / (
            self.beta * sum_ideal_gains(judged, ideal, ideal.gain, rows) + rows.rank
        )
        keep = slice(None) if self.cutoff is None else rows.rank <= self.cutoff
        base = self.count_gains(judged)
        divisor = np.minimum(base, self.cutoff or 0) if self.norm == "min" else base
        return ratio(judged.total(rows.ranking[keep], blended[keep]), divisor)

    def saturation(self, longest: int, gain: float) -> float:
        return self.cutoff if self.norm == "min" and self.cutoff is not None else math.inf
