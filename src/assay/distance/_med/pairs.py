"""Two rankings of a topic, and where the documents without a grade stand in them."""

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
        The documents, by their place in ``TopicRankings``.
    code
        Their codes.
    shared, alone
        Which of them have no grade yet and stand in the other ranking too, or only here.
    """

    doc: Ints
    code: Codes
    shared: Bools
    alone: Bools

    @cached_property
    def free(self) -> Bools:
        """For each document, whether it has no grade yet."""
        return self.shared | self.alone

    @cached_property
    def rank(self) -> Ints:
        """1, 2, 3 and so on."""
        return np.arange(1, len(self.doc) + 1)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two rankings, and the lattice of the documents without a grade that both have.

    These documents are its *columns*, in the order of the first ranking, and its *rows*, in the order of the second.

    Attributes
    ----------
    first, second
        The rankings.
    column
        For each row the column of the same document.
    """

    first: PairSide
    second: PairSide
    column: Ints

    @classmethod
    def of(cls, rankings: TopicRankings, a: int, b: int) -> Pair:
        """The rankings of two runs, by their rows in *rankings*; documents that only other runs have are left out."""
        free = rankings.ungraded()
        here, there = rankings.rank[a] > 0, rankings.rank[b] > 0
        first, second = (_side(rankings, run, free & here & there, free & (here != there)) for run in (a, b))
        number = np.zeros(rankings.rank.shape[1], dtype=np.int64)
        shared = first.doc[first.shared]
        number[shared] = np.arange(len(shared))
        return cls(first, second, number[second.doc[second.shared]])

    @cached_property
    def unjudged(self) -> int:
        """Number of documents without a grade."""
        return len(self.column) + int(self.first.alone.sum()) + int(self.second.alone.sum())


def _side(rankings: TopicRankings, run: int, shared: Bools, alone: Bools) -> PairSide:
    rank = rankings.rank[run]
    own = np.flatnonzero(rank)
    doc = own[np.argsort(rank[own])]
    return PairSide(doc, rankings.code[doc], shared[doc], alone[doc])
