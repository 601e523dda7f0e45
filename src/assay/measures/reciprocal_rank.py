"""Measures of the rank of the first or second relevant document."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from assay.measures._base import Measure
from assay.measures._parameters import cutoff, param, rel
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged
from assay.model.segmented_scan import accumulate


class NthRelevant(Measure):
    """A measure of the rank of the n-th relevant document, by default the first; MED uses ``value_at``."""

    swap_monotone = True
    swap = True
    replacement = True
    med_strategy = "nth-relevant"
    nth: ClassVar[int] = 1
    """Number of the relevant document whose rank counts: 1 for the first."""

    if TYPE_CHECKING:
        cutoff: int | None
        rel: float

    @property
    def contribution_strategy(self) -> str:
        return "first-relevant" if self.nth == 1 else "sampled"

    def amount(self, rank: Floats) -> Floats:
        """Return the value for ranks within the cutoff."""
        return 1 / rank

    def value_at(self, rank: Floats) -> Floats:
        """Return the value for each rank of the n-th relevant document; the rank is infinite if there is none."""
        return np.where(np.isfinite(rank) & (rank <= (self.cutoff or np.inf)), self.amount(rank), 0.0)

    def score(self, judged: Judged) -> Floats:
        return self.value_at(_find_rank(judged, self.rel, self.nth))

    def expected_values(self, judged: Judged) -> Floats | None:
        if self.nth != 1:
            return None
        ranking, rank, probability = find_first_ranks(judged, self.rel)
        return judged.total(ranking, probability * self.value_at(rank.astype(np.float64)))


def _find_rank(judged: Judged, rel: float, nth: int) -> Floats:
    """Return the rank of the *nth* relevant document of each ranking, or infinity if there is none."""
    rows = judged.rows(judged.relevance(rel))
    nth_rows = np.flatnonzero(judged.cumulative_count(rows) == nth)
    rank = np.full(len(judged), np.inf)
    rank[rows.ranking.take(nth_rows)] = rows.rank.take(nth_rows)
    return rank


def find_first_ranks(judged: Judged, rel: float) -> tuple[Ints, Ints, Floats]:
    """Return the ranking, rank and probability of each possible position of the first relevant document.

    Only the first tie group that contains a relevant document matters. If r of the n documents of this group are
    relevant, the first relevant document is the i-th with probability C(n - i, r - 1) / C(n, r). The probability is r/n
    for i = 1; for i > 1 it is (n - r - i + 2) / (n - i + 1) times the probability for i - 1.
    """
    group, first = judged.tie_groups()
    if not len(group):
        empty = np.zeros(0, dtype=np.int64)
        return empty, empty, np.zeros(0)
    size = np.bincount(group)
    relevant = np.bincount(group, weights=judged.relevance(rel)[judged.code])
    ranking = judged.ranking()
    # np.unique returns the index of the first group of each ranking, because groups are in rank order.
    with_relevant = np.flatnonzero(relevant)
    _, earliest = np.unique(ranking[first[with_relevant]], return_index=True)
    is_first_group = np.zeros(len(first), dtype=bool)
    is_first_group[with_relevant[earliest]] = True
    rows = np.flatnonzero(is_first_group[group])
    g = group[rows]
    n, r, i = size[g].astype(np.float64), relevant[g], rows - first[g] + 1.0
    possible = i <= n - r + 1
    rows, n, r, i = rows[possible], n[possible], r[possible], i[possible]
    step = np.where(i == 1, r / n, (n - r - i + 2) / (n - i + 1))
    return ranking[rows], judged.rank()[rows], accumulate(np.multiply, ranking[rows], step)


class RR(NthRelevant):
    r"""Reciprocal rank: 1 divided by the rank of the first relevant document.

    .. math:: RR = 1 / \min \{ i : r_i = 1 \}

    The value is 0 if there is no relevant document in the top k. Use RR for topics with one correct answer, such as
    known-item search and question answering: the user stops at the first relevant document. The mean over topics is
    known as MRR. The expectation over tied documents is exact.

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
    r"""RR2: 1 divided by the rank of the second relevant document.

    .. math:: RR2 = 1 / \min \{ i : \textstyle\sum_{j \le i} r_j = 2 \}

    RR2 models a sceptical user who wants a second document to confirm the first. The value is 0 if the top k has fewer
    than two relevant documents.

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
    r"""Damped reciprocal rank: 1 / (k + rank of the first relevant document).

    .. math:: DampedRR_k = 1 / (k + \min \{ i : r_i = 1 \})

    The constant k reduces the steep decrease of RR over the first ranks; k = 0 is RR. The highest value is 1 / (k + 1).
    The value is 0 if there is no relevant document within the cutoff. The expectation over tied documents is exact.

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

    k: float = param("constant added to the rank", low=0)
    cutoff: int | None = cutoff(None)
    rel: float = rel()

    def amount(self, rank: Floats) -> Floats:
        return 1 / (self.k + rank)


class Success(NthRelevant):
    r"""Success: 1 if the top k contains a relevant document, else 0.

    .. math:: Success@k = [\exists i \le k: r_i = 1]

    The mean over topics is the fraction of topics with a relevant document in the top k, also called hit rate. The
    expectation over tied documents is exact: the probability of a relevant document in the top k.

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
