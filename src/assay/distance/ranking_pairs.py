"""Pairs of rankings side by side: where the documents of one stand in the other, many pairs at once."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.errors import InputError, suggestion
from assay.model.arrays import Bools, Ints
from assay.model.rankings import TopicRankings

Groups = tuple[tuple[Ints, Ints], tuple[Ints, Ints]]
TIED = {
    "order": "tied documents stand in the order of the tie policy",
    "w": "tied documents share a rank, as in sports",
    "a": "the mean over all orders of the tied documents",
    "b": "as a, corrected so that a ranking with ties agrees fully with itself",
}


def check_treatment(tied: str) -> None:
    """Refuse a treatment of ties that does not exist."""
    if tied not in TIED:
        raise InputError(f"tied {tied!r}: choose one of {', '.join(TIED)}{suggestion(str(tied), TIED)}")


@dataclass(frozen=True, eq=False)
class Aligned:
    """Pairs of rankings, a row for each.

    Attributes
    ----------
    length
        Rows x 2: how many documents the rankings have.
    other
        Rows x ranks: for the document at each rank of the first ranking its rank in the second one, 0 where that does
        not have it or the first ranking has ended.
    groups
        For the first and for the second ranking the first and the last rank of the group of tied documents around each
        rank (rows x ranks; of a rank beyond the end the rank itself); None if no documents are tied.
    """

    length: Ints
    other: Ints
    groups: Groups | None = None

    def __len__(self) -> int:
        return len(self.length)

    @cached_property
    def shared(self) -> tuple[Ints, Ints, Ints]:
        """The documents that both rankings have: the row, the rank in the first less one, the rank in the second."""
        row, place = np.nonzero(self.other)
        return row, place, self.other[row, place]


def together(pieces: Sequence[Aligned]) -> Aligned:
    """Rows of several, all with ties or all without."""
    width = max(piece.other.shape[1] for piece in pieces)
    length = np.concatenate([piece.length for piece in pieces])
    other = np.concatenate([_wider(piece.other, width) for piece in pieces])
    tied = [piece.groups for piece in pieces if piece.groups is not None]
    if not tied:
        return Aligned(length, other)
    (first_a, last_a), (first_b, last_b) = (
        (
            np.concatenate([_counting_on(groups[side][0], width) for groups in tied]),
            np.concatenate([_counting_on(groups[side][1], width) for groups in tied]),
        )
        for side in (0, 1)
    )
    return Aligned(length, other, ((first_a, last_a), (first_b, last_b)))


def _wider(table: Ints, width: int) -> Ints:
    return np.pad(table, ((0, 0), (0, width - table.shape[1])))


def _counting_on(table: Ints, width: int) -> Ints:
    wide = np.tile(np.arange(1, width + 1), (len(table), 1))
    wide[:, : table.shape[1]] = table
    return wide


class SideBySide:
    """The rankings of one topic, ready to be put side by side.

    With a *depth* a ranking ends there; where ties are known, at the end of the group that the depth cuts through:
    which of its documents come first is not known.
    """

    def __init__(self, rankings: TopicRankings, depth: int | None = None) -> None:
        runs, documents = rankings.rank.shape
        run, column = np.nonzero(rankings.rank)
        place = rankings.rank[run, column] - 1
        width = int(rankings.length.max(initial=0))
        ranks = np.arange(1, width + 1)
        self.first, self.last = np.tile(ranks, (runs, 1)), np.tile(ranks, (runs, 1))
        if rankings.tied is not None:
            self.first[run, place] = rankings.tied[0][run, column]
            self.last[run, place] = rankings.tied[1][run, column]
        self.length = rankings.length
        if depth is not None and depth < width:
            self.length = np.where(rankings.length > depth, self.last[:, depth - 1], rankings.length)
        kept = place < self.length[run]
        run, column, place = run[kept], column[kept], place[kept]
        self.tied: Bools = ((self.first != self.last) & (ranks <= self.length[:, None])).any(axis=1)
        # One more column, of a document that nobody has, for ranks beyond the end of a ranking.
        self.document = np.full((runs, width), documents, dtype=np.int32)
        self.document[run, place] = column
        self.rank = np.zeros((runs, documents + 1), dtype=np.int32)
        self.rank[run, column] = place + 1

    def aligned(self, a: Ints, b: Ints, tied: bool) -> Aligned:
        """Pairs of runs, by their numbers; with their groups of ties or as if there were none."""
        length = np.stack([self.length[a], self.length[b]], axis=1)
        width = int(length.max(initial=0))
        other = self.rank[b[:, None], self.document[a, :width]].astype(np.int64)
        if not tied:
            return Aligned(length, other)
        return Aligned(length, other, (self._groups(a, width), self._groups(b, width)))

    def _groups(self, runs: Ints, width: int) -> tuple[Ints, Ints]:
        beyond = np.arange(1, width + 1) > self.length[runs][:, None]
        ranks = np.arange(1, width + 1)
        first = np.where(beyond, ranks, self.first[runs, :width])
        return first, np.where(beyond, ranks, self.last[runs, :width])


def of_sequences(a: Iterable[object], b: Iterable[object]) -> Aligned:
    """Two rankings given as documents, best first; a set, list or tuple in the place of a document holds tied ones."""
    (docs_a, first_a, last_a), (docs_b, first_b, last_b) = _flat(a), _flat(b)
    rank_b = {doc: rank for rank, doc in enumerate(docs_b, 1)}
    width = max(len(docs_a), len(docs_b))
    other = np.array([[rank_b.get(doc, 0) for doc in docs_a]], dtype=np.int64).reshape(1, len(docs_a))
    length = np.array([[len(docs_a), len(docs_b)]])
    if first_a == last_a and first_b == last_b:
        return Aligned(length, _wider(other, width))
    sides = [
        tuple(_counting_on(np.array([ranks], dtype=np.int64), width) for ranks in side)
        for side in ((first_a, last_a), (first_b, last_b))
    ]
    return Aligned(length, _wider(other, width), ((sides[0][0], sides[0][1]), (sides[1][0], sides[1][1])))


def _flat(ranking: Iterable[object]) -> tuple[list[Hashable], list[int], list[int]]:
    """The documents, and the first and last rank of the group that each is in."""
    docs: list[Hashable] = []
    first: list[int] = []
    last: list[int] = []
    for item in ranking:
        group: Collection[Hashable] = item if isinstance(item, set | frozenset | list | tuple) else (item,)
        first += [len(docs) + 1] * len(group)
        last += [len(docs) + len(group)] * len(group)
        docs += group
    if len(set(docs)) < len(docs):
        again = next(doc for doc in docs if docs.count(doc) > 1)
        raise InputError(f"a ranking has {again!r} twice; a document stands at one rank")
    return docs, first, last
