"""Where the first relevant document stands, and the chances of it under ties."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

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
