"""Two rankings of a topic, and where the documents without a grade stand in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.analyses.grades import unsettled
from assay.model.arrays import Bools, Codes, Ints
from assay.model.rankings import Lists


@dataclass(frozen=True, eq=False)
class Side:
    """One of two rankings, rank by rank.

    Attributes
    ----------
    doc
        The documents, by their place in ``Lists``.
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
        """Truth table of the documents that have no grade yet."""
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

    first: Side
    second: Side
    column: Ints

    @classmethod
    def of(cls, lists: Lists, a: int, b: int) -> Pair:
        """The rankings of two runs, by their rows in *lists*; documents that only other runs have are left out."""
        free = unsettled(lists.code, lists.levels)
        here, there = lists.rank[a] > 0, lists.rank[b] > 0
        first, second = (_side(lists, run, free & here & there, free & (here != there)) for run in (a, b))
        number = np.zeros(lists.rank.shape[1], dtype=np.int64)
        shared = first.doc[first.shared]
        number[shared] = np.arange(len(shared))
        return cls(first, second, number[second.doc[second.shared]])

    @cached_property
    def unjudged(self) -> int:
        """Number of documents that have no grade yet."""
        return len(self.column) + int(self.first.alone.sum()) + int(self.second.alone.sum())


def _side(lists: Lists, run: int, shared: Bools, alone: Bools) -> Side:
    rank = lists.rank[run]
    own = np.flatnonzero(rank)
    doc = own[np.argsort(rank[own])]
    return Side(doc, lists.code[doc], shared[doc], alone[doc])
