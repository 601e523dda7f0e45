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
from assay.model.segmented_scan import running


class Q(Graded):
    r"""Q: AP with the blended ratio, which rewards both relevant documents and high grades early.

    .. math:: Q = \frac{1}{R} \sum_i [g_i > 0] \frac{\beta \, cg_i + c_i}{\beta \, cg^*_i + i}

    cg and cg* are the cumulated gains of the ranking and of the ideal one, c counts relevant documents. With
    ``gains=binary`` it is the binary Q-measure :math:`\frac{1}{R} \sum r_i 2 c_i / (i + \min(i, R))`.

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
    beta: float = param("how much gains count beside numbers of documents", 1, low=0)
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()
    norm: str = param("what the sum is divided by", "R", kind="text", choices=("R", "min"))

    def check(self) -> None:
        if self.gains.negative:
            raise MeasureError(f"measure 'Q': gains={self.gains} can be negative; Q needs gains of at least 0")
        if self.norm == "min" and self.cutoff is None:
            raise MeasureError("measure 'Q': norm=min needs a cutoff, such as Q(norm=min)@10")

    def defined(self, judged: Judged) -> Bools:
        return self._base(judged) > 0

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(self.gain(judged))
        if not len(rows.rank):
            return np.zeros(len(judged))
        cumulated = running(np.add, rows.ranking, rows.gain)
        blended = (self.beta * cumulated + judged.found(rows)) / (
            self.beta * self._ideal(judged, judged.topic[rows.ranking], rows.rank) + rows.rank
        )
        keep = slice(None) if self.cutoff is None else rows.rank <= self.cutoff
        base = self._base(judged)
        divisor = np.minimum(base, self.cutoff or 0) if self.norm == "min" else base
        return ratio(judged.total(rows.ranking[keep], blended[keep]), divisor)

    def saturation(self, longest: int, gain: float) -> float:
        return self.cutoff if self.norm == "min" and self.cutoff is not None else math.inf

    def _base(self, judged: Judged) -> Ints:
        relevant = self.gain(judged)[1:] > 0
        return np.asarray(judged.counts[:, relevant].sum(axis=1)[judged.topic], dtype=np.int64)

    def _ideal(self, judged: Judged, topic: Ints, rank: Ints) -> Floats:
        """Return the cumulated gain of the ideal ranking at each rank."""
        ideal = judged.ideal(self.gain(judged))
        cumulated = running(np.add, ideal.ranking, ideal.gain)
        length = np.bincount(ideal.ranking, minlength=len(judged.counts))
        start = np.cumsum(length) - length
        at: Ints = start[topic] + np.minimum(rank, length[topic]) - 1
        return cumulated[at]
