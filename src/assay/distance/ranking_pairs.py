"""Pairs of rankings: for each document of the first ranking, its rank in the second ranking."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.errors import InputError, suggestion
from assay.model.arrays import Bools, Ints
from assay.model.rankings import TopicRankings

TieGroups = tuple[Ints, Ints]
"""For each of the two rankings, 2 x rows x ranks: the first and the last rank of the tie group at each rank."""
TIED = {
    "order": "tied documents stay in the order of the tie policy",
    "w": "tied documents share a rank, as in sports",
    "a": "the mean over all orders of the tied documents",
    "b": "like a, but corrected so that a ranking with ties agrees fully with itself",
}


def check_tie_treatment(tied: str) -> None:
    """Refuse an unknown treatment of ties."""
    if tied not in TIED:
        raise InputError(f"tied {tied!r}: choose one of {', '.join(TIED)}{suggestion(str(tied), TIED)}")


@dataclass(frozen=True, eq=False)
class RankingPairs:
    """Pairs of rankings, one row for each pair.

    Attributes
    ----------
    length
        Rows x 2: number of documents of each ranking.
    second_rank
        Rows x ranks: for the document at each rank of the first ranking, its rank in the second ranking; 0 if the
        second ranking does not contain the document. Entries after the end of the first ranking are 0.
    groups
        For the first and for the second ranking, 2 x rows x ranks: the first and the last rank of the group of tied
        documents at each rank. After the end of a ranking each rank is a separate group. None if no documents are tied.
    """

    length: Ints
    second_rank: Ints
    groups: TieGroups | None = None

    def __len__(self) -> int:
        return len(self.length)

    @cached_property
    def shared(self) -> tuple[Ints, Ints, Ints]:
        """Shared documents: the row, the position in the first ranking (rank - 1), the rank in the second ranking."""
        row, position = np.nonzero(self.second_rank)
        return row, position, self.second_rank[row, position]


def concatenate_pairs(parts: Sequence[RankingPairs]) -> RankingPairs:
    """Concatenate the rows of several objects, all with ties or all without."""
    width = max(part.second_rank.shape[1] for part in parts)
    length = np.concatenate([part.length for part in parts])
    second_rank = np.concatenate([_pad_zeros(part.second_rank, width) for part in parts])
    tie_groups = [part.groups for part in parts if part.groups is not None]
    if not tie_groups:
        return RankingPairs(length, second_rank)
    first, second = (
        np.concatenate([_pad_ranks(groups[side], width) for groups in tie_groups], axis=1) for side in (0, 1)
    )
    return RankingPairs(length, second_rank, (first, second))


def _pad_zeros(table: Ints, width: int) -> Ints:
    return np.pad(table, ((0, 0), (0, width - table.shape[1])))


def _pad_ranks(table: Ints, width: int) -> Ints:
    """Extend the last axis of *table*; each new element is its rank, that is, a tie group of one document."""
    padded = np.empty((*table.shape[:-1], width), dtype=np.int64)
    padded[...] = np.arange(1, width + 1)
    padded[..., : table.shape[-1]] = table
    return padded


class PairBuilder:
    """The rankings of one topic, prepared for building pairs.

    With a *depth*, rankings are cut at this depth. If ties are known, a ranking is cut at the end of the tie group that
    contains rank *depth*, because the order within the group is unknown.
    """

    def __init__(self, rankings: TopicRankings, depth: int | None = None) -> None:
        runs, documents = rankings.rank.shape
        run, column = np.nonzero(rankings.rank)
        position = rankings.rank[run, column] - 1
        width = int(rankings.length.max(initial=0))
        ranks = np.arange(1, width + 1)
        # The first and the last rank of the tie group at each rank.
        self.ends = np.tile(ranks, (2, runs, 1))
        if rankings.tied is not None:
            for end, tied in zip(self.ends, rankings.tied, strict=True):
                end[run, position] = tied[run, column]
        self.length = rankings.length
        if depth is not None and depth < width:
            self.length = np.where(rankings.length > depth, self.ends[1, :, depth - 1], rankings.length)
        is_kept = position < self.length[run]
        run, column, position = run[is_kept], column[is_kept], position[is_kept]
        self.tied: Bools = ((self.ends[0] != self.ends[1]) & (ranks <= self.length[:, None])).any(axis=1)
        # Ranks after the end of a ranking hold a placeholder, an extra document that no run retrieved (rank 0).
        self.document = np.full((runs, width), documents, dtype=np.int32)
        self.document[run, position] = column
        self.rank = np.zeros((runs, documents + 1), dtype=np.int32)
        self.rank[run, column] = position + 1

    def build(self, a: Ints, b: Ints, tied: bool) -> RankingPairs:
        """Build pairs of the runs with indices *a* and *b*; without *tied*, their ties are ignored."""
        length = np.stack([self.length[a], self.length[b]], axis=1)
        width = int(length.max(initial=0))
        second_rank = self.rank[b[:, None], self.document[a, :width]].astype(np.int64)
        if not tied:
            return RankingPairs(length, second_rank)
        return RankingPairs(length, second_rank, (self._groups(a, width), self._groups(b, width)))

    def _groups(self, runs: Ints, width: int) -> Ints:
        """Return the first and the last rank of the tie group at each rank of *runs*, up to rank *width*."""
        ranks = np.arange(1, width + 1)
        return np.where(ranks > self.length[runs][:, None], ranks, self.ends[:, runs, :width])


def pair_sequences(a: Iterable[object], b: Iterable[object]) -> RankingPairs:
    """Pair two sequences of documents, best first; a set, list or tuple as an element holds tied documents."""
    (docs_a, ends_a), (docs_b, ends_b) = _flatten(a), _flatten(b)
    rank_b = {doc: rank for rank, doc in enumerate(docs_b, 1)}
    width = max(len(docs_a), len(docs_b))
    length = np.array([[len(docs_a), len(docs_b)]])
    second_rank = np.zeros((1, width), dtype=np.int64)
    second_rank[0, : len(docs_a)] = [rank_b.get(doc, 0) for doc in docs_a]
    if all((first == last).all() for first, last in (ends_a, ends_b)):
        return RankingPairs(length, second_rank)
    return RankingPairs(length, second_rank, (_pad_ranks(ends_a, width), _pad_ranks(ends_b, width)))


def _flatten(ranking: Iterable[object]) -> tuple[list[Hashable], Ints]:
    """Return the documents, and the first and the last rank of the tie group of each document (2 x 1 x documents)."""
    docs: list[Hashable] = []
    ends: list[tuple[int, int]] = []
    for item in ranking:
        group: Collection[Hashable] = item if isinstance(item, set | frozenset | list | tuple) else (item,)
        ends += [(len(docs) + 1, len(docs) + len(group))] * len(group)
        docs += group
    if len(set(docs)) < len(docs):
        duplicate = next(doc for doc in docs if docs.count(doc) > 1)
        raise InputError(f"duplicate document {duplicate!r} in a ranking; list each document once")
    return docs, np.array(ends, dtype=np.int64).reshape(1, -1, 2).transpose(2, 0, 1)
