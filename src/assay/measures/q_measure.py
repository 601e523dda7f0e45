"""The Q-measure."""

from __future__ import annotations

import math

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import ratio
from assay.measures._graded import Graded
from assay.measures._parameters import cutoff, floor, gains, max_rel, param
from assay.model.arrays import Bools, Floats, Ints
from assay.model.gains import Gains
from assay.model.judged import Judged
from assay.model.segmented_scan import accumulate


class Q(Graded):
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
    uses_recall_base = True
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
        if self.gains.negative:
            raise MeasureError(f"measure 'Q': gains={self.gains} can be negative; Q needs gains of at least 0")
        if self.norm == "min" and self.cutoff is None:
            raise MeasureError("measure 'Q': norm=min needs a cutoff, such as Q(norm=min)@10")

    def is_defined(self, judged: Judged) -> Bools:
        return self._recall_base(judged) > 0

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(self.gain(judged))
        if not len(rows.rank):
            return np.zeros(len(judged))
        cumulated = accumulate(np.add, rows.ranking, rows.gain)
        blended = (self.beta * cumulated + judged.cumulative_count(rows)) / (
            self.beta * self._ideal_gain(judged, judged.topic[rows.ranking], rows.rank) + rows.rank
        )
        keep = slice(None) if self.cutoff is None else rows.rank <= self.cutoff
        base = self._recall_base(judged)
        divisor = np.minimum(base, self.cutoff or 0) if self.norm == "min" else base
        return ratio(judged.total(rows.ranking[keep], blended[keep]), divisor)

    def saturation(self, longest: int, gain: float) -> float:
        return self.cutoff if self.norm == "min" and self.cutoff is not None else math.inf

    def _recall_base(self, judged: Judged) -> Ints:
        """Return, for each ranking, the number of documents of its topic that have a gain."""
        relevant = self.gain(judged)[1:] > 0
        return np.asarray(judged.counts[:, relevant].sum(axis=1)[judged.topic], dtype=np.int64)

    def _ideal_gain(self, judged: Judged, topic: Ints, rank: Ints) -> Floats:
        """Return the cumulated gain of the ideal ranking of each topic at a rank."""
        ideal = judged.ideal(self.gain(judged))
        cumulated = accumulate(np.add, ideal.ranking, ideal.gain)
        length = np.bincount(ideal.ranking, minlength=len(judged.counts))
        start = np.cumsum(length) - length
        index: Ints = start[topic] + np.minimum(rank, length[topic]) - 1
        return cumulated[index]
