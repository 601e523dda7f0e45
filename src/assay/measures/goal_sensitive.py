"""Goal-sensitive measures, whose user wants a given amount of gain: INSQ, INST and BPM."""

from __future__ import annotations

import numpy as np

from assay.measures._base import ratio
from assay.measures._graded import Graded, GradedSum
from assay.measures._parameters import cutoff, floor, gains, max_rel, param
from assay.model.arrays import Floats, Ints, Numbers
from assay.model.gains import Gains
from assay.model.judged import Judged
from assay.model.segmented_scan import accumulate, previous_values


class INSQ(GradedSum):
    r"""INSQ: expected gain per document viewed by a user who wants T relevant documents.

    .. math:: INSQ = \sum_i W(i) \, g_i, \qquad C(i) = \left( \frac{i + 2T - 1}{i + 2T} \right)^2, \qquad
              W(i) = \frac{(i - 1 + 2T)^{-2}}{\sum_{j \ge 1} (j - 1 + 2T)^{-2}}

    C(i) is the probability of continuing after rank i. It increases with i: users who have read far are likely to
    continue. A larger T models a more patient user. The weights W(i) are decreasing and continue without end. cwl_eval
    truncates the weights at rank 1000, so its values are larger by a factor of about 1 + 1/(1000 \psi_1(2T)), where
    :math:`\psi_1` is the trigamma function.

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

    T: float = param("number of relevant documents the user wants", low=1e-6)
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
    r"""INST: expected gain per document viewed by a user who wants T relevant documents and adapts while reading.

    .. math:: INST = \frac{\sum_i g_i V_i}{\sum_i V_i}, \qquad V_i = \prod_{j < i} C(j), \qquad
              C(j) = \left( \frac{j + T + T_j - 1}{j + T + T_j} \right)^2, \qquad T_j = T - \sum_{l \le j} g_l

    T_j is the number of relevant documents still wanted after rank j. The user views rank i with probability V_i. The
    probability of continuing increases with depth and decreases with the number of relevant documents found. Before the
    first relevant document, the user continues as in INSQ. The sums continue without end after the last document;
    cwl_eval truncates them at rank 1000. A better document never lowers the value (proof in docs/concepts/bounds.md).

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

    T: float = param("number of relevant documents the user wants", low=0.5)
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def score(self, judged: Judged) -> Floats:
        # Between two documents with a gain, the product of C(j) telescopes. With s = 2T - (gain so far), V decreases
        # from rank a to rank i by the factor ((a - 1 + s) / (i - 1 + s))^2. Sums of V over such an interval are
        # differences of the trigamma function, zeta(2, x) = sum of 1 / (x + n)^2 over n >= 0.
        from scipy.special import zeta

        rows = judged.rows(self.gain(judged))
        views = np.zeros(len(judged))
        start = 2.0 * self.T
        if not len(rows.rank):
            return views
        last = np.append(rows.ranking[1:] != rows.ranking[:-1], True)
        first = np.insert(last[:-1], 0, True)
        remaining = start - accumulate(np.add, rows.ranking, rows.gain)
        next_rank = np.where(last, np.inf, np.append(rows.rank[1:], 0).astype(np.float64))
        to_first = (start / (rows.rank - 1 + start)) ** 2
        step = ((rows.rank - 1 + remaining) / (next_rank - 1 + remaining)) ** 2
        viewed = accumulate(
            np.multiply, rows.ranking, np.where(first, to_first, previous_values(rows.ranking, step, 1.0))
        )
        # Expected views after each document with a gain, up to and including the next document with a gain; and
        # expected views up to and including the first document with a gain.
        trigamma_next = np.where(last, 0.0, zeta(2, np.where(last, 1.0, next_rank + remaining)))
        views_after = viewed * (rows.rank - 1 + remaining) ** 2 * (zeta(2, rows.rank + remaining) - trigamma_next)
        views_to_first = start**2 * (zeta(2, start) - zeta(2, rows.rank[first] + start))
        views = judged.total(rows.ranking, views_after)
        views[rows.ranking[first]] += views_to_first
        gain = judged.total(rows.ranking, rows.gain * viewed)
        return np.divide(gain, views, out=np.zeros(len(judged)), where=views > 0)


class BPM(Graded):
    r"""Bejeweled player model: gain per document viewed by a user who stops with total gain T, or at rank k.

    .. math:: BPM@k = \frac{1}{s} \sum_{i \le s} g_i, \qquad
              s = \min \left( k, \; \min \{ i : \textstyle\sum_{j \le i} g_j \ge T \} \right)

    The user stops at the rank s where the total gain reaches T, or after k documents if T is not reached before. This
    is the static model of the reference; viewing a document costs 1. Ranks up to s count even if fewer documents are
    retrieved. A better document can lower the value: the user may reach T earlier and stop before a document with a
    high gain.

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

    T: float = param("total gain the user wants", above=0)
    cutoff: int = cutoff()
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(self.gain(judged))
        total = accumulate(np.add, rows.ranking, rows.gain) if len(rows.rank) else rows.gain
        # The user stops at the first rank where the total gain reaches T, or at the cutoff.
        stop = np.full(len(judged), float(self.cutoff))
        reaches_target = (total >= self.T) & (rows.rank <= self.cutoff)
        np.minimum.at(stop, rows.ranking[reaches_target], rows.rank[reaches_target])
        keep = rows.rank <= stop[rows.ranking]
        return ratio(judged.total(rows.ranking[keep], rows.gain[keep]), stop)
