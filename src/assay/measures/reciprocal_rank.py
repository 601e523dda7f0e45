"""Measures of the rank of the first or second relevant document."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from assay.measures._base import Measure
from assay.measures._parameters import cutoff, param, rel
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged
from assay.model.segmented_scan import running


class NthRelevant(Measure):
    """A measure of the rank of one relevant document, by default the first; MED uses ``value_at``."""

    swap_monotone = True
    swap = True
    replacement = True
    med_strategy = "nth-relevant"
    nth: ClassVar[int] = 1
    """The number of the relevant document whose rank counts."""

    if TYPE_CHECKING:
        cutoff: int | None
        rel: float

    def amount(self, rank: Floats) -> Floats:
        """Return the value for a rank within the cutoff."""
        return 1 / rank

    def value_at(self, rank: Floats) -> Floats:
        """Return the value for a rank, which is infinite if there is no such document."""
        return np.where(np.isfinite(rank) & (rank <= (self.cutoff or np.inf)), self.amount(rank), 0.0)

    def score(self, judged: Judged) -> Floats:
        return self.value_at(_find_rank(judged, self.rel, self.nth))

    def expected(self, judged: Judged) -> Floats | None:
        if self.nth != 1:
            return None
        ranking, rank, probability = find_first_ranks(judged, self.rel)
        return judged.total(ranking, probability * self.value_at(rank.astype(np.float64)))


def _find_rank(judged: Judged, rel: float, nth: int) -> Floats:
    """Return the rank of the *nth* relevant document of each ranking; infinity if there are fewer."""
    rows = judged.rows(judged.relevance(rel))
    chosen = np.flatnonzero(judged.found(rows) == nth)
    rank = np.full(len(judged), np.inf)
    rank[rows.ranking.take(chosen)] = rows.rank.take(chosen)
    return rank


def find_first_ranks(judged: Judged, rel: float) -> tuple[Ints, Ints, Floats]:
    """Return ranking, rank and probability of each possible place of the first relevant document.

    Only the first group of tied documents that contains a relevant one matters. In a group of n documents with
    r relevant ones, the first of them is number i with probability C(n - i, r - 1) / C(n, r): r/n for i = 1, and
    then (n - r - i + 2) / (n - i + 1) times the previous probability.
    """
    group, first = judged.tie_groups()
    if not len(group):
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, np.zeros(0)
    size = np.bincount(group)
    inside = np.bincount(group, weights=judged.relevance(rel)[judged.code])
    ranking = judged.ranking()
    with_relevant = np.flatnonzero(inside)
    _, earliest = np.unique(ranking[first[with_relevant]], return_index=True)
    chosen = np.zeros(len(first), dtype=bool)
    chosen[with_relevant[earliest]] = True
    rows = np.flatnonzero(chosen[group])
    g = group[rows]
    n, r, i = size[g].astype(np.float64), inside[g], rows - first[g] + 1.0
    possible = i <= n - r + 1
    rows, n, r, i = rows[possible], n[possible], r[possible], i[possible]
    step = np.where(i == 1, r / n, (n - r - i + 2) / (n - i + 1))
    return ranking[rows], judged.rank()[rows], running(np.multiply, ranking[rows], step)


class RR(NthRelevant):
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

    cutoff: int | None = cutoff(None)
    rel: float = rel()


class RR2(NthRelevant):
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
    nth = 2

    cutoff: int | None = cutoff(None)
    rel: float = rel()


class DampedRR(NthRelevant):
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

    k: float = param("what is added to the rank", low=0)
    cutoff: int | None = cutoff(None)
    rel: float = rel()

    def amount(self, rank: Floats) -> Floats:
        return 1 / (self.k + rank)


class Success(NthRelevant):
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

    cutoff: int = cutoff()
    rel: float = rel()

    def amount(self, rank: Floats) -> Floats:
        return np.ones_like(rank)
