"""Tables of documents by rank and of ranks by document, to process many pairs of runs together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.measures import Measure
from assay.measures._possible_grades import possible_grades, tabulate_gains
from assay.model.arrays import Bools, Floats, Ints
from assay.model.rankings import TopicRankings

_BLOCK_CELLS = 1 << 20  # cells of a table that is processed as one block


def split_into_blocks(pairs: int, width: int) -> Iterator[slice]:
    """Split many pairs into blocks, so that a table with *width* numbers for each pair of a block stays small."""
    size = max(1, _BLOCK_CELLS // max(1, width))
    return (slice(first, min(first + size, pairs)) for first in range(0, pairs, size))


@dataclass(frozen=True, eq=False)
class RankTable:
    """The documents of each run in rank order, and the rank of each document.

    An extra column of *rank* and an extra entry of *free* belong to a placeholder: a document that no run retrieved.
    The placeholder pads rankings of different lengths to a rectangular table, so no index has to be checked.

    Attributes
    ----------
    document
        Runs x ranks: the document at each rank; the placeholder after the end of a ranking.
    rank
        Runs x (documents + 1): the rank of each document, 0 if the run did not retrieve it.
    free
        For each document, True if it has no grade yet; False for the placeholder.
    """

    document: Ints
    rank: Ints
    free: Bools

    @classmethod
    def from_rankings(cls, rankings: TopicRankings) -> RankTable:
        """Build the tables of one topic."""
        runs, documents = rankings.rank.shape
        document = np.full((runs, int(rankings.rank.max(initial=0))), documents, dtype=np.int64)
        run, column = np.nonzero(rankings.rank)
        document[run, rankings.rank[run, column] - 1] = column
        rank = np.concatenate([rankings.rank, np.zeros((runs, 1), dtype=np.int64)], axis=1)
        return cls(document, rank, np.append(rankings.ungraded_mask(), False))

    @property
    def depth(self) -> int:
        """Length of the longest ranking."""
        return int(self.document.shape[1])

    def union(self, a: Ints, b: Ints) -> tuple[Ints, Bools]:
        """Return the documents of each pair of runs, and a mask of the free documents (both pairs x 2 depth).

        The documents of *a* come first, followed by the documents of *b*. A document in both rankings occurs twice;
        only its first occurrence can be marked as free.
        """
        first, second = self.document[a], self.document[b]
        only_in_b = self.rank[a[:, None], second] == 0
        documents = np.concatenate([first, second], axis=1)
        return documents, np.concatenate([self.free[first], self.free[second] & only_in_b], axis=1)

    def weight_differences(self, by_run: Floats, a: Ints, b: Ints) -> tuple[Ints, Bools, Floats]:
        """Return the union of pairs of runs, and the differences w_a - w_b of the weights of its documents.

        *by_run* has the weight of each document in each run: runs x (documents + 1).
        """
        document, free = self.union(a, b)
        return document, free, by_run[a[:, None], document] - by_run[b[:, None], document]

    def order_free_documents(self, by_run: Floats, a: int, b: int) -> Ints:
        """Return the free documents of two runs by descending weight difference w_a - w_b."""
        differences = self.weight_differences(by_run, np.array([a]), np.array([b]))
        document, free, difference = (rows[0] for rows in differences)
        return np.asarray(document[free][np.argsort(-difference[free], kind="stable")], dtype=np.int64)


class Labels(NamedTuple):
    """The labels that a free document may get, and the gains of judged documents.

    Attributes
    ----------
    grade, gain
        The possible grades and their gains in ascending order of gain; one grade for each distinct gain.
    judged_gain
        The gain of each judged document, 0 for a free document.
    by_level
        The gain of each level of the qrels.
    """

    grade: Floats
    gain: Floats
    judged_gain: Floats
    by_level: Floats

    @classmethod
    def from_rankings(cls, measure: Measure, rankings: TopicRankings) -> Labels:
        """Return the gains of the possible labels and of the judged documents of a topic."""
        grades = possible_grades(measure, rankings.levels)
        by_code, gains = tabulate_gains(measure, rankings.levels, grades)
        gain, first = np.unique(gains, return_index=True)
        judged_gain = np.where(rankings.ungraded_mask(), 0.0, by_code[rankings.code])
        return cls(grades[first], gain, judged_gain, by_code[1:])


def known_grades(rankings: TopicRankings) -> Floats:
    """Return the grade of each judged document, and 0 for each free document."""
    return np.where(rankings.ungraded_mask(), 0.0, np.append(0.0, rankings.levels)[rankings.code])
