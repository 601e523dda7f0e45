"""Measures of a user who wants a given amount of gain: INSQ, INST and BPM."""

from __future__ import annotations

import numpy as np

from assay.measures._base import ratio
from assay.measures._graded import Graded, GradedSum
from assay.measures._parameters import cutoff, floor, gains, max_rel, param
from assay.model.arrays import Floats, Ints, Numbers
from assay.model.gains import Gains
from assay.model.judged import Judged
from assay.model.segmented_scan import before, running


class INSQ(GradedSum):
    r"""INSQ: gain per document for a user who wants T documents and grows more patient with depth.

    .. math:: INSQ = \sum_i W(i) \, g_i, \qquad C(i) = \left( \frac{i + 2T - 1}{i + 2T} \right)^2, \qquad
              W(i) = \frac{(i - 1 + 2T)^{-2}}{\sum_{j \ge 1} (j - 1 + 2T)^{-2}}

    C is the probability of going on after rank i. The weights go on for ever; cwl_eval cuts them at rank 1000, so
    its values are larger by a factor of about 1 + 1/(1000 \psi_1(2T)).

    References
    ----------
    Moffat, Scholer & Thomas, *Models and metrics: IR evaluation as a user process*, ADCS 2012.

    Examples
    --------
    >>> round(INSQ(T=1).of([1, 0, 1]), 4)
    0.4845
    """

    name = "INSQ"
    examples = ("INSQ(T=1)", "INSQ(T=3, max_rel=4)", "INSQ(T=2, gains=binary)")
    unit_gains = True
    swap = True
    replacement = True

    T: float = param("how many relevant documents the user wants", low=1e-6)
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def weight(self, rank: Ints) -> Floats:
        from scipy.special import polygamma

        total: float = polygamma(1, 2 * self.T).item()
        weights: Floats = np.power(rank - 1.0 + 2 * self.T, -2.0) / total
        return weights

    def tail_weight(self, length: Numbers) -> Floats | None:
        from scipy.special import polygamma

        return np.asarray(polygamma(1, length + 2 * self.T) / polygamma(1, 2 * self.T))


class INST(Graded):
    r"""INST: gain per document for a user who wants T documents and is readier to stop the more were found.

    .. math:: INST = \frac{\sum_i g_i V_i}{\sum_i V_i}, \qquad V_i = \prod_{j < i} C(j), \qquad
              C(j) = \left( \frac{j + T + T_j - 1}{j + T + T_j} \right)^2, \qquad T_j = T - \sum_{l \le j} g_l

    The walk goes on for ever behind the last document; cwl_eval cuts it at rank 1000. A better document never lowers
    it (docs/concepts/bounds.md has the proof).

    References
    ----------
    Moffat, Bailey, Scholer & Thomas, *INST: An adaptive metric for information retrieval evaluation*, ADCS 2015.

    Examples
    --------
    >>> round(INST(T=1).of([1, 0, 1]), 4)
    0.7231
    """

    name = "INST"
    examples = ("INST(T=1)", "INST(T=3, max_rel=4)", "INST(T=2, gains=binary)")
    unit_gains = True
    replacement = True
    bounds_strategy = "inst"

    T: float = param("how many relevant documents the user wants", low=0.5)
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def score(self, judged: Judged) -> Floats:
        # Between two gains C(j) telescopes, and sums of V are differences of the trigamma function: with
        # s = 2T - (gain so far), V falls from rank a to rank i as ((a - 1 + s) / (i - 1 + s))^2.
        from scipy.special import zeta

        rows = judged.rows(self.gain(judged))
        length = np.zeros(len(judged))
        start = 2.0 * self.T
        if not len(rows.rank):
            return length
        last = np.append(rows.ranking[1:] != rows.ranking[:-1], True)
        first = np.insert(last[:-1], 0, True)
        left = start - running(np.add, rows.ranking, rows.gain)
        next_rank = np.where(last, np.inf, np.append(rows.rank[1:], 0).astype(np.float64))
        to_first = (start / (rows.rank - 1 + start)) ** 2
        step = ((rows.rank - 1 + left) / (next_rank - 1 + left)) ** 2
        looked = running(np.multiply, rows.ranking, np.where(first, to_first, before(rows.ranking, step, 1.0)))
        trigamma_next = np.where(last, 0.0, zeta(2, np.where(last, 1.0, next_rank + left)))
        stretch = looked * (rows.rank - 1 + left) ** 2 * (zeta(2, rows.rank + left) - trigamma_next)
        opening = start**2 * (zeta(2, start) - zeta(2, rows.rank[first] + start))
        length = judged.total(rows.ranking, stretch)
        length[rows.ranking[first]] += opening
        gain = judged.total(rows.ranking, rows.gain * looked)
        return np.divide(gain, length, out=np.zeros(len(judged)), where=length > 0)


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
    bounds_strategy = "bejeweled"

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
