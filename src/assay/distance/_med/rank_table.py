"""Tables of documents by rank and of ranks by document, to process many pairs of runs together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.measures import Measure
from assay.measures._possible_grades import gains_of, possible_grades
from assay.model.arrays import Bools, Floats, Ints
from assay.model.rankings import TopicRankings

_AT_ONCE = 1 << 20  # numbers looked at together


def blocks(pairs: int, width: int) -> Iterator[slice]:
    """Cut many pairs into stretches such that a table with *width* numbers for each pair stays small."""
    size = max(1, _AT_ONCE // max(1, width))
    return (slice(first, min(first + size, pairs)) for first in range(0, pairs, size))


@dataclass(frozen=True, eq=False)
class RankTable:
    """The documents of each run in rank order, and the rank of each document, for looking up.

    Attributes
    ----------
    document
        Runs x ranks: which document stands there; behind the end of a list one that nobody has.
    rank
        Runs x documents: the rank, 0 for a document that a run does not have; last the one that nobody has.
    free
        Which documents have no label yet; not the one that nobody has.
    """

    document: Ints
    rank: Ints
    free: Bools

    @classmethod
    def of(cls, rankings: TopicRankings) -> RankTable:
        """Prepare the rankings of one topic."""
        runs, documents = rankings.rank.shape
        document = np.full((runs, int(rankings.rank.max(initial=0))), documents, dtype=np.int64)
        run, column = np.nonzero(rankings.rank)
        document[run, rankings.rank[run, column] - 1] = column
        rank = np.concatenate([rankings.rank, np.zeros((runs, 1), dtype=np.int64)], axis=1)
        return cls(document, rank, np.append(rankings.ungraded(), False))

    @property
    def depth(self) -> int:
        """The length of the longest list."""
        return int(self.document.shape[1])

    def union(self, a: Ints, b: Ints) -> tuple[Ints, Bools]:
        """The documents that each pair of runs has, and which of them are free: those of *a*, then what *b* adds.

        What *b* shares with *a* stands there a second time, not free.
        """
        first, second = self.document[a], self.document[b]
        fresh = self.rank[a[:, None], second] == 0
        return np.concatenate([first, second], axis=1), np.concatenate(
            [self.free[first], self.free[second] & fresh], axis=1
        )


class Labels(NamedTuple):
    """The labels that a document may get, and what judged documents count.

    Attributes
    ----------
    grade, gain
        The grades and their gains, one grade for each gain, gains ascending.
    own
        The gain of each document under its own grade, 0 for a free one.
    by_level
        The gain of each level of the qrels.
    """

    grade: Floats
    gain: Floats
    own: Floats
    by_level: Floats

    @classmethod
    def of(cls, measure: Measure, rankings: TopicRankings) -> Labels:
        """Return the gains of the possible labels and of the judged documents."""
        grades = possible_grades(measure, rankings.levels)
        by_code, gains = gains_of(measure, rankings.levels, grades)
        gain, first = np.unique(gains, return_index=True)
        own = np.where(rankings.ungraded(), 0.0, by_code[rankings.code])
        return cls(grades[first], gain, own, by_code[1:])


def settled_grades(rankings: TopicRankings) -> Floats:
    """The grade of each document that has one, 0 for the others."""
    return np.where(rankings.ungraded(), 0.0, np.append(0.0, rankings.levels)[rankings.code])
