"""Cascade measures, whose user stops when satisfied by a document: ERR, nERR and the NERR family."""

from __future__ import annotations

import math

import numpy as np

from assay.measures._base import ratio
from assay.measures._graded import Graded
from assay.measures._parameters import cutoff, floor, gains, max_rel, param
from assay.model.arrays import Bools, Floats
from assay.model.gains import Gains
from assay.model.judged import Judged, Rows
from assay.model.segmented_scan import accumulate, previous_values

_NEGLIGIBLE = 1e-17  # a probability of reading on that is too small to change a sum in double precision
_MAX_SATURATION = 5000  # larger document counts are not computed but treated as infinite


def _stop_terms(rows: Rows) -> Floats:
    """Return, for each row, 1/rank times the probability that the user stops at this rank."""
    if not len(rows.rank):
        return np.zeros(0)
    unsatisfied = previous_values(rows.ranking, accumulate(np.multiply, rows.ranking, 1 - rows.gain), 1.0)
    return rows.gain * unsatisfied / rows.rank


class StoppingRank(Graded):
    """The expected reciprocal of the rank at which a cascade user stops; ERR and nERR scale it differently."""

    unit_gains = True
    swap_monotone = True
    swap = True
    replacement = True

    cutoff: int | None = cutoff(None)
    gains: Gains = gains("exp12")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(self.gain(judged))
        keep = slice(None) if self.cutoff is None else rows.rank <= self.cutoff
        return judged.total(rows.ranking[keep], _stop_terms(rows)[keep])


class ERR(StoppingRank):
    r"""Expected reciprocal rank of the document that satisfies a cascade user.

    .. math:: ERR@k = \sum_{i \le k} \frac{1}{i} \, x_i \prod_{j < i} (1 - x_j)

    The user reads the ranking from the top and stops at rank i with probability x_i if not satisfied before. The
    probability x is the gain of the document, by default :math:`(2^g - 1) / 2^{top}` for grade g, where *top* is the
    largest grade of the qrels or ``max_rel``. A document therefore adds less if highly relevant documents precede it.
    Use ERR for graded judgments when few good documents are enough, as in web search. Set ``max_rel`` to compare
    collections: the default scale depends on the qrels.

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
    med_strategy = "cascade"
    contribution_strategy = "cascade"


class nERR(StoppingRank):
    r"""Normalised expected reciprocal rank: ERR divided by the ERR of the ideal ranking.

    .. math:: nERR@k = ERR@k / ERR^*@k

    The ideal ranking contains every judged document of the topic in descending order of grade. The best value is 1 for
    every topic, unlike in ERR. The value is undefined for topics in which no document has a gain.

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
    uses_recall_base = True
    dilutes = True
    med_cost = "slow"

    def score(self, judged: Judged) -> Floats:
        return ratio(super().score(judged), self._ideal_err(judged))

    def is_defined(self, judged: Judged) -> Bools:
        return self._ideal_err(judged) > 0

    def saturation(self, longest: int, gain: float) -> float:
        """Return the cutoff, or the number of best documents after which almost no user reads on."""
        if self.cutoff is not None:
            return self.cutoff
        steps = 1.0 if gain >= 1 else math.log(_NEGLIGIBLE) / math.log1p(-gain) if gain > 0 else 0.0
        return math.ceil(steps) if steps <= _MAX_SATURATION else math.inf

    def _ideal_err(self, judged: Judged) -> Floats:
        rows = judged.ideal(self.gain(judged))
        keep = slice(None) if self.cutoff is None else rows.rank <= self.cutoff
        return judged.ideal_total(rows.ranking[keep], _stop_terms(rows)[keep])


class NearlyERR(Graded):
    """Expected gain per document viewed: total expected gain divided by the expected number of documents viewed.

    The user views rank i with probability ``patience(i)`` times the product of (1 - gain) over the ranks above.

    A better document never lowers the value (``replacement``). As a function of a single gain g, the value is
    (A + gV + (1 - g)B) / (C + V + (1 - g)D). Here V is the probability of viewing the document. A and C are the
    expected gain and number of views above it. B and D are the expected gain and number of views below it if its gain
    were 0. Such a ratio is monotone in g. B is at most V, because B is V times the probability of being satisfied
    later. So the numerator at g = 1 is at least the numerator at g = 0, and the denominator is at most as large.
    """

    unit_gains = True
    replacement = True

    def patience(self, rank: Floats) -> Floats:
        """Return the probability of viewing a rank if no document above it has a gain; it decreases with the rank."""
        raise NotImplementedError

    def patience_below(self, rank: Floats) -> Floats:
        """Return the sum of the patience over all ranks after *rank*; rank 0 gives the sum over all ranks."""
        raise NotImplementedError

    def score(self, judged: Judged) -> Floats:
        # A gain g removes a fraction g of the viewing probability of all later ranks. The expected number of views is
        # therefore the sum of the patience over all ranks minus one term for each document with a gain.
        rows = judged.rows(self.gain(judged))
        cut = getattr(self, "cutoff", None)
        keep = rows.rank <= (np.inf if cut is None else cut)
        ranking, rank, gain = rows.ranking[keep], rows.rank[keep].astype(np.float64), rows.gain[keep]
        if not len(rank):
            return np.zeros(len(judged))
        unsatisfied = previous_values(ranking, accumulate(np.multiply, ranking, 1 - gain), 1.0)
        total_gain = judged.total(ranking, gain * unsatisfied * self.patience(rank))
        removed_views = judged.total(ranking, gain * unsatisfied * self.patience_below(rank))
        return ratio(total_gain, self.patience_below(np.zeros(1)) - removed_views)


class NERR8(NearlyERR):
    r"""NERR8: expected gain per document viewed by a user who stops when satisfied, or at rank k.

    .. math:: NERR8@k = \frac{\sum_{i \le k} g_i V_i}{\sum_{i \le k} V_i}, \qquad
              V_1 = 1, \; V_{i+1} = V_i \, (1 - g_i)

    NERR8 is the first of four "nearly ERR" measures, which describe a cascade user in the C/W/L framework. The user
    views rank i with probability V_i and is satisfied by a document with a probability equal to its gain g_i. ERR
    evaluates the rank at which this user stops; NERR8 evaluates the gain per document viewed.

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
    r"""NERR9: expected gain per document viewed by a user who stops when satisfied, with 1/rank patience, up to rank k.

    .. math:: NERR9@k = \frac{\sum_{i \le k} g_i V_i}{\sum_{i \le k} V_i}, \qquad
              V_1 = 1, \; V_{i+1} = V_i \, \frac{i}{i + 1} \, (1 - g_i)

    Like NERR8, but the 1/i discount of ERR is part of the user model: even without any gain, the user views rank i only
    with probability 1/i.

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
    r"""NERR10: expected gain per document viewed by a user who stops when satisfied or, as in RBP, by chance.

    .. math:: NERR10 = \frac{\sum_{i} g_i V_i}{\sum_{i} V_i}, \qquad
              V_1 = 1, \; V_{i+1} = V_i \, p \, (1 - g_i)

    Like NERR8, but a user who is not satisfied continues with probability p, as in RBP, and there is no cutoff. The
    sums are infinite; cwl_eval truncates them at rank 1000.

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

    p: float = param("persistence: probability of continuing to the next document", low=0, below=1)
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def patience(self, rank: Floats) -> Floats:
        return np.power(float(self.p), rank - 1)

    def patience_below(self, rank: Floats) -> Floats:
        return np.power(float(self.p), rank) / (1 - self.p)


class NERR11(NearlyERR):
    r"""NERR11: expected gain per document viewed by a user who stops when satisfied, with the patience of INSQ.

    .. math:: NERR11 = \frac{\sum_{i} g_i V_i}{\sum_{i} V_i}, \qquad
              V_1 = 1, \; V_{i+1} = V_i \, \left( \frac{i + 2T - 1}{i + 2T} \right)^2 (1 - g_i)

    Like NERR8, but a user who is not satisfied continues as in INSQ, where T relevant documents are wanted, and there
    is no cutoff. The sums are infinite; cwl_eval truncates them at rank 1000.

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

    T: float = param("number of relevant documents the user wants", low=1e-6)
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def patience(self, rank: Floats) -> Floats:
        return (2 * self.T / (rank - 1 + 2 * self.T)) ** 2

    def patience_below(self, rank: Floats) -> Floats:
        from scipy.special import zeta

        below: Floats = (2 * self.T) ** 2 * zeta(2, rank + 2 * self.T)
        return below
