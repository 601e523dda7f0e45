"""MED of measures of the rank of the first (or second) relevant document: one or two labels suffice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from assay.distance._med.interface import Extreme
from assay.distance._med.rank_table import RankTable, blocks, settled_grades
from assay.measures._possible_grades import possible_grades
from assay.model.arrays import Bools, Floats, Ints
from assay.model.rankings import TopicRankings

if TYPE_CHECKING:
    from assay.measures.reciprocal_rank import NthRelevant


class _Choices(NamedTuple):
    """Differences that one label, or two for RR2, can make for some pairs.

    Attributes
    ----------
    value
        Pairs x ranks of a: the difference if that document is the one that counts; last, without labels.
    helper
        Pairs x ranks: the document before it that needs a label too, or one that nobody has.
    """

    value: Floats
    helper: Ints


@dataclass(frozen=True)
class FirstRelevant:
    """MED of RR, DampedRR, Success@k and RR2, whose value v falls with the rank of one relevant document.

    Take any labels. If that document of list a stands at rank i, take away all labels but its own (and, for RR2, that
    of the one relevant document before it): a keeps its value and b cannot gain. If a has no such document, take away
    all labels. So it is enough to try, for each rank i of a,

    * first relevant: the document there is free or relevant, and no judged relevant one stands before it: v(i) less the
      value of b with this document relevant;
    * second relevant: as well, and one relevant document stands before it. That is the judged one, if there is one, and
      must be the only one; otherwise any free one will do for a, and the one that stands deepest in b (best not at all)
      gives b least: the second smallest of some ranks does not fall when one of them rises;

    and no label at all if the judged documents leave a without value. Exact, whatever its sign; linear in the depth.

    References
    ----------
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, section 1 (RR by example).
    """

    measure: NthRelevant
    cost: ClassVar[str] = "linear"

    def largest(self, rankings: TopicRankings, a: Ints, b: Ints) -> Extreme:
        """The largest M(a) - M(b)."""
        table, relevant = RankTable.of(rankings), self._relevant(rankings)
        value = np.zeros(len(a))
        for at in blocks(len(a), 4 * table.depth):
            value[at] = self._choices(table, relevant, a[at], b[at]).value.max(axis=1)
        return Extreme(value, value)

    def labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """One label, or two for RR2, or none."""
        table = RankTable.of(rankings)
        found = self._choices(table, self._relevant(rankings), np.array([a]), np.array([b]))
        grade = np.append(settled_grades(rankings), 0.0)
        place = int(found.value[0].argmax())
        if place < table.depth:
            grades = possible_grades(self.measure, rankings.levels)
            chosen = np.array([table.document[a, place], found.helper[0, place]])
            grade[chosen[table.free[chosen]]] = grades[grades >= self.measure.rel][0]
        return grade[:-1]

    def _relevant(self, rankings: TopicRankings) -> Bools:
        """Return which documents are judged relevant; the placeholder of documents that no run has is not."""
        return np.append(settled_grades(rankings) >= self.measure.rel, False)

    def _choices(self, table: RankTable, relevant: Bools, a: Ints, b: Ints) -> _Choices:
        document = table.document[a]
        judged = relevant[document]
        before: Ints = np.cumsum(judged, axis=1) - judged
        first, second = (_nth_rank(table, relevant, nth)[b][:, None] for nth in (1, 2))
        new = _new_rank(table, relevant, b, document)
        helper = np.full(document.shape, len(relevant) - 1)
        possible = judged | table.free[document]
        if self.measure.nth == 2:
            deepest, place = _deepest(np.where(table.free[document], new, -np.inf))
            alone: Bools = before == 1
            helped = ~alone & (before == 0) & (deepest > -np.inf)
            possible &= alone | helped
            helper = np.where(helped, np.take_along_axis(document, place, axis=1), helper)
            other = _second_of(first, second, new, np.where(alone, np.inf, deepest))
        else:
            possible &= before == 0
            other = np.minimum(first, new)
        rank = np.arange(1.0, table.depth + 1)
        value_at = self.measure.value_at
        value = np.where(possible, value_at(rank) - value_at(other), -np.inf)
        now = second if self.measure.nth == 2 else first
        without = np.where(judged.sum(axis=1, keepdims=True) < self.measure.nth, -value_at(now), -np.inf)
        return _Choices(np.concatenate([value, without], axis=1), helper)


def _nth_rank(table: RankTable, relevant: Bools, nth: int) -> Floats:
    """The rank of the *nth* judged relevant document of each run; infinite if there are fewer."""
    judged = relevant[table.document]
    rank = np.where(judged & (np.cumsum(judged, axis=1) == nth), np.arange(1.0, table.depth + 1), np.inf)
    return np.asarray(rank.min(axis=1, initial=np.inf))


def _new_rank(table: RankTable, relevant: Bools, run: Ints, document: Ints) -> Floats:
    """The rank in another run of documents that become relevant; infinite if it does not have them or they are so."""
    rank = table.rank[run[:, None], document]
    return np.where((rank > 0) & ~relevant[document], rank, np.inf)


def _deepest(rank: Floats) -> tuple[Floats, Ints]:
    """The largest value before each place of a row (minus infinity: none), and the first place that has it."""
    padded = np.concatenate([np.full((len(rank), 1), -np.inf), rank], axis=1)
    most = np.maximum.accumulate(padded, axis=1)
    record = padded > np.concatenate([padded[:, :1], most[:, :-1]], axis=1)
    place = np.maximum.accumulate(np.where(record, np.arange(padded.shape[1]), 1), axis=1) - 1
    return most[:, :-1], place[:, :-1]


def _second_of(*ranks: Floats) -> Floats:
    """The second smallest of some ranks, place by place."""
    return np.asarray(np.sort(np.stack(np.broadcast_arrays(*ranks)), axis=0)[1])
