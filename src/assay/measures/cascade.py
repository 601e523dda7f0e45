"""Measures of a user who stops when satisfied: ERR, nERR and the NERR family."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from assay.measures._base import ratio
from assay.measures._graded import Graded
from assay.measures._parameters import cutoff, floor, gains, max_rel, param
from assay.model.arrays import Bools, Floats
from assay.model.gains import Gains
from assay.model.judged import Judged, Rows
from assay.model.segmented_scan import before, running

_NEGLIGIBLE = 1e-17  # share of users who are still looking
_MANY = 5000  # documents after which it is no longer worth computing how many users are left


def _stop_terms(rows: Rows) -> Floats:
    """Return, for each row, 1/rank times the probability that the user stops there."""
    if not len(rows.rank):
        return np.zeros(0)
    unsatisfied = before(rows.ranking, running(np.multiply, rows.ranking, 1 - rows.gain), 1.0)
    return rows.gain * unsatisfied / rows.rank


class ERR(Graded):
    r"""Expected reciprocal rank: 1 over the rank at which a user who may be satisfied at each document stops.

    .. math:: ERR@k = \sum_{i \le k} \frac{1}{i} \, x_i \prod_{j < i} (1 - x_j)

    The probability x that a document satisfies is its gain, by default :math:`(2^g - 1) / 2^{top}`, where *top* is the
    largest grade of the qrels or ``max_rel``.

    References
    ----------
    Chapelle, Metzler, Zhang & Grinspan, *Expected reciprocal rank for graded relevance*, CIKM 2009.

    Examples
    --------
    >>> ERR().of([1, 1])
    0.625
    """

    name = "ERR"
    examples = ("ERR@20", "ERR", "ERR(max_rel=4)@20", "ERR(gains=unit)@10")
    unit_gains = True
    swap_monotone = True
    swap = True
    replacement = True
    med_strategy = "cascade"

    cutoff: int | None = cutoff(None)
    gains: Gains = gains("exp12")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(self.gain(judged))
        keep = slice(None) if self.cutoff is None else rows.rank <= self.cutoff
        return judged.total(rows.ranking[keep], _stop_terms(rows)[keep])


class nERR(Graded):
    r"""Normalised expected reciprocal rank: ERR over the ERR of the ideal ranking.

    .. math:: nERR@k = ERR@k / ERR^*@k

    The ideal ranking holds every judged document of the topic, best first.

    References
    ----------
    Chapelle, Metzler, Zhang & Grinspan, *Expected reciprocal rank for graded relevance*, CIKM 2009.

    Examples
    --------
    >>> nERR().of([1, 0]), nERR().of([0, 1])
    (1.0, 0.5)
    """

    name = "nERR"
    examples = ("nERR@20", "nERR", "nERR(max_rel=4)@20")
    unit_gains = True
    uses_recall_base = True
    swap_monotone = True
    swap = True
    replacement = True
    dilutes = True
    med_cost = "slow"

    cutoff: int | None = cutoff(None)
    gains: Gains = gains("exp12")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def score(self, judged: Judged) -> Floats:
        return ratio(self._raw().score(judged), self._best(judged))

    def defined(self, judged: Judged) -> Bools:
        return self._best(judged) > 0

    def saturation(self, longest: int, gain: float) -> float:
        """Return the cutoff, or after how many of the best documents next to no user of the ideal ranking is left."""
        if self.cutoff is not None:
            return self.cutoff
        steps = 1.0 if gain >= 1 else math.log(_NEGLIGIBLE) / math.log1p(-gain) if gain > 0 else 0.0
        return math.ceil(steps) if steps <= _MANY else math.inf

    def _raw(self) -> ERR:
        return ERR(cutoff=self.cutoff, gains=self.gains, rel=self.rel, max_rel=self.max_rel)

    def _best(self, judged: Judged) -> Floats:
        rows = judged.ideal(self.gain(judged))
        keep = slice(None) if self.cutoff is None else rows.rank <= self.cutoff
        return judged.ideal_total(rows.ranking[keep], _stop_terms(rows)[keep])


class NearlyERR(Graded):
    """Gain per document viewed by a user who continues after gain g with probability (1 - g) x patience.

    A better document never lowers it. As a function of one gain g the value is
    (A + gV + (1 - g)B) / (C + V + (1 - g)D), where V is the probability of viewing the document, and B and D are the
    expected gain and number of views after it if it were worth nothing; so it is monotone in g. B is V times a
    probability, that of being satisfied later, so the numerator is larger at g = 1 than at g = 0, and the denominator
    is smaller.
    """

    unit_gains: ClassVar[bool] = True
    replacement = True

    def patience(self, rank: Floats) -> Floats:
        """Return the probability that a user who finds no gain views a rank; it falls with the rank."""
        raise NotImplementedError

    def patience_below(self, rank: Floats) -> Floats:
        """Return the sum of the patience over all ranks below this one."""
        raise NotImplementedError

    def score(self, judged: Judged) -> Floats:
        # A gain g removes a fraction g of the later viewing probability, so the sum of all views needs the gains only.
        rows = judged.rows(self.gain(judged))
        cut = getattr(self, "cutoff", None)
        keep = rows.rank <= (np.inf if cut is None else cut)
        ranking, rank, gain = rows.ranking[keep], rows.rank[keep].astype(np.float64), rows.gain[keep]
        if not len(rank):
            return np.zeros(len(judged))
        unsatisfied = before(ranking, running(np.multiply, ranking, 1 - gain), 1.0)
        gained = judged.total(ranking, gain * unsatisfied * self.patience(rank))
        removed = judged.total(ranking, gain * unsatisfied * self.patience_below(rank))
        return ratio(gained, self.patience_below(np.zeros(1)) - removed)


class NERR8(NearlyERR):
    r"""NERR8: gain per document for a user who stops when satisfied, or at rank k.

    .. math:: NERR8@k = \frac{\sum_{i \le k} g_i V_i}{\sum_{i \le k} V_i}, \qquad
              V_1 = 1, \; V_{i+1} = V_i \, (1 - g_i)

    Nearly ERR: the same user, who is satisfied by a document with the probability of its gain, but measured by the
    gain of each document looked at rather than by the rank where the user stops.

    References
    ----------
    Azzopardi, Mackenzie & Moffat, *ERR is not C/W/L: Exploring the relationship between expected reciprocal rank and
    other metrics*, ICTIR 2021, eq. 8.

    Examples
    --------
    >>> NERR8(cutoff=10).of([0, 1, 1])
    0.5
    """

    name = "NERR8"
    examples = ("NERR8@10", "NERR8(max_rel=4)@20", "NERR8(gains=exp12)@10")

    cutoff: int = cutoff()
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def patience(self, rank: Floats) -> Floats:
        return np.ones(len(rank))

    def patience_below(self, rank: Floats) -> Floats:
        return np.maximum(self.cutoff - rank, 0.0)


class NERR9(NearlyERR):
    r"""NERR9: gain per document for a user who stops when satisfied, grows tired as 1/rank, and stops at rank k.

    .. math:: NERR9@k = \frac{\sum_{i \le k} g_i V_i}{\sum_{i \le k} V_i}, \qquad
              V_1 = 1, \; V_{i+1} = V_i \, \frac{i}{i + 1} \, (1 - g_i)

    Nearly ERR: the discount of ERR, made part of the user who looks at rank i with at most probability 1/i.

    References
    ----------
    Azzopardi, Mackenzie & Moffat, *ERR is not C/W/L: Exploring the relationship between expected reciprocal rank and
    other metrics*, ICTIR 2021, eq. 9.

    Examples
    --------
    >>> round(NERR9(cutoff=2).of([0, 1]), 4)
    0.3333
    """

    name = "NERR9"
    examples = ("NERR9@10", "NERR9(max_rel=4)@20", "NERR9(gains=exp12)@10")

    cutoff: int = cutoff()
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def patience(self, rank: Floats) -> Floats:
        return 1 / rank

    def patience_below(self, rank: Floats) -> Floats:
        from scipy.special import digamma

        return np.maximum(digamma(self.cutoff + 1.0) - digamma(rank + 1.0), 0.0)


class NERR10(NearlyERR):
    r"""NERR10: gain per document for a user who stops when satisfied and otherwise goes on with probability p.

    .. math:: NERR10 = \frac{\sum_{i} g_i V_i}{\sum_{i} V_i}, \qquad
              V_1 = 1, \; V_{i+1} = V_i \, p \, (1 - g_i)

    Nearly ERR with the patience of RBP. The walk goes on for ever; cwl_eval cuts it at rank 1000.

    References
    ----------
    Azzopardi, Mackenzie & Moffat, *ERR is not C/W/L: Exploring the relationship between expected reciprocal rank and
    other metrics*, ICTIR 2021, eq. 10.

    Examples
    --------
    >>> round(NERR10(p=0.5).of([0, 1]), 4)
    0.3333
    """

    name = "NERR10"
    examples = ("NERR10(p=0.9)", "NERR10(p=0.8, max_rel=4)", "NERR10(p=0.9, gains=binary)")
    bounds_strategy = "satisfied-user"

    p: float = param("persistence: probability of looking at the next document", low=0, below=1)
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def patience(self, rank: Floats) -> Floats:
        return np.power(float(self.p), rank - 1)

    def patience_below(self, rank: Floats) -> Floats:
        return np.power(float(self.p), rank) / (1 - self.p)


class NERR11(NearlyERR):
    r"""NERR11: gain per document for a user who stops when satisfied and otherwise goes on as that of INSQ.

    .. math:: NERR11 = \frac{\sum_{i} g_i V_i}{\sum_{i} V_i}, \qquad
              V_1 = 1, \; V_{i+1} = V_i \, \left( \frac{i + 2T - 1}{i + 2T} \right)^2 (1 - g_i)

    Nearly ERR with the patience of INSQ, whose user wants T documents. The walk goes on for ever; cwl_eval cuts it at
    rank 1000.

    References
    ----------
    Azzopardi, Mackenzie & Moffat, *ERR is not C/W/L: Exploring the relationship between expected reciprocal rank and
    other metrics*, ICTIR 2021, eq. 11.

    Examples
    --------
    >>> round(NERR11(T=1).of([0, 1]), 4)
    0.3077
    """

    name = "NERR11"
    examples = ("NERR11(T=1)", "NERR11(T=3, max_rel=4)", "NERR11(T=2, gains=binary)")
    bounds_strategy = "satisfied-user"

    T: float = param("how many relevant documents the user wants", low=1e-6)
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def patience(self, rank: Floats) -> Floats:
        return (2 * self.T / (rank - 1 + 2 * self.T)) ** 2

    def patience_below(self, rank: Floats) -> Floats:
        from scipy.special import zeta

        below: Floats = (2 * self.T) ** 2 * zeta(2, rank + 2 * self.T)
        return below
