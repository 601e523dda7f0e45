"""Measures of the rank of the first or second relevant document."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.measures._base import Measure, cutoff, param, rel
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged
from assay.model.scan import running


def rank_of(judged: Judged, rel: float, nth: int = 1) -> Floats:
    """The rank of the *nth* relevant document of each ranking; infinite if there are fewer."""
    rows = judged.rows(judged.relevance(rel))
    wanted = judged.found(rows) == nth
    rank = np.full(len(judged), np.inf)
    rank[rows.ranking[wanted]] = rows.rank[wanted]
    return rank


def chances(judged: Judged, rel: float) -> tuple[Ints, Ints, Floats]:
    """Ranking, rank and probability of the places where the first relevant document can stand.

    Only the first group of tied documents that holds a relevant one matters. In a group of n documents with
    r relevant ones, the first of them is number i with probability C(n - i, r - 1) / C(n, r): r/n for i = 1, and
    then (n - r - i + 2) / (n - i + 1) times that of the number before.
    """
    group, first = judged.tie_groups()
    if not len(group):
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, np.zeros(0)
    size = np.bincount(group)
    inside = np.bincount(group, weights=judged.relevance(rel)[judged.code])
    ranking = judged.ranking()
    holds = np.flatnonzero(inside)
    _, earliest = np.unique(ranking[first[holds]], return_index=True)
    wanted = np.zeros(len(first), dtype=bool)
    wanted[holds[earliest]] = True
    rows = np.flatnonzero(wanted[group])
    g = group[rows]
    n, r, i = size[g].astype(np.float64), inside[g], rows - first[g] + 1.0
    possible = i <= n - r + 1
    rows, n, r, i = rows[possible], n[possible], r[possible], i[possible]
    step = np.where(i == 1, r / n, (n - r - i + 2) / (n - i + 1))
    return ranking[rows], judged.rank()[rows], running(np.multiply, ranking[rows], step)


def mean_of(judged: Judged, rel: float, amount: Callable[[Floats], Floats]) -> Floats:
    """The mean of *amount(rank of the first relevant document)* over all orders of tied documents."""
    ranking, rank, chance = chances(judged, rel)
    return judged.total(ranking, chance * amount(rank.astype(np.float64)))


class RR(Measure):
    r"""Reciprocal rank: 1 over the rank of the first relevant document; 0 if there is none in the top k.

    .. math:: RR = 1 / \min \{ i : r_i = 1 \}

    The mean over topics is known as MRR. Exact under expected ties.

    References
    ----------
    Kantor & Voorhees, *The TREC-5 Confusion Track*, Information Retrieval 2 (2000).
    McSherry & Najork, *Computing information retrieval performance measures efficiently in the presence of
    tied scores*, ECIR 2008.

    Examples
    --------
    >>> RR().of([0, 0, 0, 1])
    0.25
    """

    name = "RR"
    aliases = ("MRR",)
    trec_eval = ("recip_rank",)
    examples = ("RR", "RR@10", "RR(rel=2)")
    swap_monotone = True
    swap = True
    replacement = True

    cutoff: int | None = cutoff(None)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return self._reciprocal(rank_of(judged, self.rel))

    def expected(self, judged: Judged) -> Floats | None:
        return mean_of(judged, self.rel, self._reciprocal)

    def _reciprocal(self, rank: Floats) -> Floats:
        return np.where(rank <= (self.cutoff or np.inf), 1 / rank, 0.0)


class RR2(Measure):
    r"""RR2: 1 over the rank of the second relevant document, for a sceptical user who wants confirmation.

    .. math:: RR2 = 1 / \min \{ i : \textstyle\sum_{j \le i} r_j = 2 \}

    0 if fewer than two are found.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008),
    section 4.3.

    Examples
    --------
    >>> RR2().of([1, 0, 0, 1])
    0.25
    """

    name = "RR2"
    examples = ("RR2", "RR2@10", "RR2(rel=2)")
    swap_monotone = True
    swap = True
    replacement = True

    cutoff: int | None = cutoff(None)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        rank = rank_of(judged, self.rel, nth=2)
        return np.where(rank <= (self.cutoff or np.inf), 1 / rank, 0.0)


class DampedRR(Measure):
    r"""Damped reciprocal rank: 1 / (k + rank of the first relevant document), for a cautious user.

    .. math:: DampedRR_k = 1 / (k + \min \{ i : r_i = 1 \})

    The constant k flattens the steep fall of RR over the first ranks; k = 0 is RR. Exact under expected ties.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008).

    Examples
    --------
    >>> DampedRR(k=2).of([0, 1])
    0.25
    """

    name = "DampedRR"
    aliases = ("dRR",)
    examples = ("DampedRR(k=2)", "DampedRR(k=2, rel=2)@10")
    swap_monotone = True
    swap = True
    replacement = True

    k: float = param("what is added to the rank", low=0)
    cutoff: int | None = cutoff(None)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return self._reciprocal(rank_of(judged, self.rel))

    def expected(self, judged: Judged) -> Floats | None:
        return mean_of(judged, self.rel, self._reciprocal)

    def _reciprocal(self, rank: Floats) -> Floats:
        return np.where(rank <= (self.cutoff or np.inf), 1 / (self.k + rank), 0.0)


class Success(Measure):
    r"""Success: 1 if there is a relevant document in the top k, else 0.

    .. math:: Success@k = [\exists i \le k: r_i = 1]

    Also called hit rate. Exact under expected ties: the chance of a relevant document in the top k.

    References
    ----------
    Craswell & Hawking, *Overview of the TREC-2004 Web Track*, TREC 2004.

    Examples
    --------
    >>> Success(cutoff=5).of([0, 0, 1])
    1.0
    """

    name = "Success"
    aliases = ("HitRate", "Hit")
    trec_eval = ("success_*",)
    examples = ("Success@10", "Success(rel=2)@5")
    swap_monotone = True
    swap = True
    replacement = True

    cutoff: int = cutoff()
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return (rank_of(judged, self.rel) <= self.cutoff).astype(np.float64)

    def expected(self, judged: Judged) -> Floats | None:
        return mean_of(judged, self.rel, lambda rank: (rank <= self.cutoff).astype(np.float64))
