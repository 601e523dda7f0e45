"""MED of measures of the rank of the first (or second) relevant document: one or two labels suffice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from assay.distance._med.interface import Maximum
from assay.distance._med.rank_table import RankTable, known_grades, split_into_blocks
from assay.measures._possible_grades import possible_grades
from assay.model.arrays import Bools, Floats, Ints
from assay.model.rankings import TopicRankings

if TYPE_CHECKING:
    from assay.measures.reciprocal_rank import NthRelevant


class _Candidates(NamedTuple):
    """Differences that are attained with one label (two for RR2), for some pairs of runs.

    Attributes
    ----------
    value
        Pairs x (ranks of a + 1): the difference if the document at that rank determines the value of a; in the last
        column, the difference without labels. An impossible candidate has the value -inf.
    helper
        Pairs x ranks: the document above that rank that also needs a label, or the placeholder of ``RankTable``.
    """

    value: Floats
    helper: Ints


@dataclass(frozen=True)
class FirstRelevantMed:
    """MED of RR, DampedRR, Success@k and RR2, whose value v decreases with the rank of one relevant document.

    Take any labels. If the document that determines the value of a is at rank i, remove all labels except the label of
    this document (and, for RR2, the label of the relevant document above it). Then the value of a does not change and
    the value of b does not increase. If a has no such document, remove all labels. So it is enough to try, for each
    rank i of a:

    * first relevant: the document at rank i is free or relevant, and no judged relevant document is above it. The
      difference is v(i) minus the value of b if this document is relevant;
    * second relevant: also, exactly one relevant document is above it. If a judged relevant document is above it, this
      must be the only one. Otherwise a needs a label for any free document above it. The best choice is the document
      with the lowest rank in b (ideally not retrieved by b), because the second smallest of some ranks does not
      decrease when one of the ranks increases;

    and no label at all, if the judged documents leave a without a value. The maximum is exact, even if it is negative.
    The time is linear in the depth.

    References
    ----------
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, section 1 (RR by example).
    """

    measure: NthRelevant
    cost: ClassVar[str] = "linear"

    def maximize(self, rankings: TopicRankings, a: Ints, b: Ints) -> Maximum:
        """Return the exact maximum of M(a) - M(b) for each pair."""
        table, relevant = RankTable.from_rankings(rankings), self._judged_relevant(rankings)
        value = np.zeros(len(a))
        for pairs in split_into_blocks(len(a), 4 * table.depth):
            value[pairs] = self._candidates(table, relevant, a[pairs], b[pairs]).value.max(axis=1)
        return Maximum(value, value)

    def find_labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """Return grades that attain the maximum, with at most one label, or two for RR2."""
        table = RankTable.from_rankings(rankings)
        candidates = self._candidates(table, self._judged_relevant(rankings), np.array([a]), np.array([b]))
        grade = np.append(known_grades(rankings), 0.0)
        position = int(candidates.value[0].argmax())
        if position < table.depth:  # the last candidate needs no label
            grades = possible_grades(self.measure, rankings.levels)
            chosen = np.array([table.document[a, position], candidates.helper[0, position]])
            grade[chosen[table.free[chosen]]] = grades[grades >= self.measure.rel][0]
        return grade[:-1]

    def _judged_relevant(self, rankings: TopicRankings) -> Bools:
        """Return a mask of the documents that were judged relevant, with False for the placeholder."""
        return np.append(known_grades(rankings) >= self.measure.rel, False)

    def _candidates(self, table: RankTable, relevant: Bools, a: Ints, b: Ints) -> _Candidates:
        document = table.document[a]
        judged = relevant[document]
        relevant_above: Ints = np.cumsum(judged, axis=1) - judged  # judged relevant documents above each rank of a
        first, second = (_nth_rank(table, relevant, nth)[b][:, None] for nth in (1, 2))
        label_rank = _rank_if_labelled(table, relevant, b, document)
        helper = np.full(document.shape, len(relevant) - 1)
        is_possible = judged | table.free[document]
        if self.measure.nth == 2:
            helper_rank, position = _maximum_above(np.where(table.free[document], label_rank, -np.inf))
            has_one_above: Bools = relevant_above == 1
            uses_helper = ~has_one_above & (relevant_above == 0) & (helper_rank > -np.inf)
            is_possible &= has_one_above | uses_helper
            helper = np.where(uses_helper, np.take_along_axis(document, position, axis=1), helper)
            rank_in_b = _second_smallest(first, second, label_rank, np.where(has_one_above, np.inf, helper_rank))
        else:
            is_possible &= relevant_above == 0
            rank_in_b = np.minimum(first, label_rank)
        rank = np.arange(1.0, table.depth + 1)
        value_at = self.measure.value_at
        value = np.where(is_possible, value_at(rank) - value_at(rank_in_b), -np.inf)
        # The candidate without labels applies only if the judged documents leave a without a value; otherwise one of
        # the other candidates covers the case.
        rank_as_judged = second if self.measure.nth == 2 else first
        has_no_value = judged.sum(axis=1, keepdims=True) < self.measure.nth
        unlabelled = np.where(has_no_value, -value_at(rank_as_judged), -np.inf)
        return _Candidates(np.concatenate([value, unlabelled], axis=1), helper)


def _nth_rank(table: RankTable, relevant: Bools, nth: int) -> Floats:
    """Return the rank of the *nth* judged relevant document of each run; infinite if there is none."""
    judged = relevant[table.document]
    rank = np.where(judged & (np.cumsum(judged, axis=1) == nth), np.arange(1.0, table.depth + 1), np.inf)
    return np.asarray(rank.min(axis=1, initial=np.inf))


def _rank_if_labelled(table: RankTable, relevant: Bools, run: Ints, document: Ints) -> Floats:
    """Return the rank in *run* at which a label would make a document relevant.

    The rank is infinite if the run did not retrieve the document, or if the document was already judged relevant.
    """
    rank = table.rank[run[:, None], document]
    return np.where((rank > 0) & ~relevant[document], rank, np.inf)


def _maximum_above(rank: Floats) -> tuple[Floats, Ints]:
    """Return the largest value before each position of a row (-inf if there is none), and its first position."""
    padded = np.concatenate([np.full((len(rank), 1), -np.inf), rank], axis=1)
    largest = np.maximum.accumulate(padded, axis=1)
    is_record = padded > np.concatenate([padded[:, :1], largest[:, :-1]], axis=1)
    position = np.maximum.accumulate(np.where(is_record, np.arange(padded.shape[1]), 1), axis=1) - 1
    return largest[:, :-1], position[:, :-1]


def _second_smallest(*ranks: Floats) -> Floats:
    """Return the second smallest of several arrays of ranks, element by element."""
    return np.asarray(np.sort(np.stack(np.broadcast_arrays(*ranks)), axis=0)[1])
