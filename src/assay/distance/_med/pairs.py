"""Two rankings of a topic, and the positions of the free documents (those without a grade) in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.model.arrays import Bools, Codes, Ints
from assay.model.rankings import TopicRankings


@dataclass(frozen=True, eq=False)
class PairSide:
    """One of two rankings, rank by rank.

    Attributes
    ----------
    doc
        The document at each rank, as an index into ``TopicRankings``.
    code
        The grade code of each document.
    shared, unshared
        Masks of the free documents that are also in the other ranking, and of those that are only in this ranking.
    """

    doc: Ints
    code: Codes
    shared: Bools
    unshared: Bools

    @cached_property
    def free(self) -> Bools:
        """Mask of the free documents, which have no grade."""
        return self.shared | self.unshared

    @cached_property
    def rank(self) -> Ints:
        """The ranks, from 1."""
        return np.arange(1, len(self.doc) + 1)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two rankings, and the lattice of the free documents that both contain.

    These documents are the *columns* of the lattice, in the order of the first ranking, and its *rows*, in the order of
    the second ranking.

    Attributes
    ----------
    first, second
        The rankings.
    column
        For each row, the column of the same document: a permutation of 0 to n - 1.
    """

    first: PairSide
    second: PairSide
    column: Ints

    @classmethod
    def from_rankings(cls, rankings: TopicRankings, a: int, b: int) -> Pair:
        """Pair the rankings of two runs, given as rows of *rankings*; documents of other runs are dropped."""
        free = rankings.ungraded_mask()
        in_a, in_b = rankings.rank[a] > 0, rankings.rank[b] > 0
        first, second = (_build_side(rankings, run, free & in_a & in_b, free & (in_a != in_b)) for run in (a, b))
        column_of = np.zeros(rankings.rank.shape[1], dtype=np.int64)
        shared = first.doc[first.shared]
        column_of[shared] = np.arange(len(shared))
        return cls(first, second, column_of[second.doc[second.shared]])

    @cached_property
    def free_count(self) -> int:
        """Number of free documents in at least one of the rankings."""
        return len(self.column) + int(self.first.unshared.sum()) + int(self.second.unshared.sum())


def _build_side(rankings: TopicRankings, run: int, shared: Bools, unshared: Bools) -> PairSide:
    rank = rankings.rank[run]
    retrieved = np.flatnonzero(rank)
    doc = retrieved[np.argsort(rank[retrieved])]
    return PairSide(doc, rankings.code[doc], shared[doc], unshared[doc])
