"""Maximized effectiveness distance by search: every label, the greedy way of the paper, tabu search.

They are there to be compared with. :func:`exhaustive` is the definition, for a few documents. :func:`greedy` and
:func:`tabu` find labels that are often the best ones but need not be: what they return is a *lower bound*.

References
----------
Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, eq. 13 (greedy). Glover & Laguna,
*Tabu Search*, Kluwer 1997.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.distance._med.average_precision import recall_base
from assay.distance._med.interface import apart
from assay.distance._med.labels import labelled
from assay.distance._med.rank_table import settled_grades
from assay.errors import InputError, MeasureError
from assay.measures import Measure
from assay.measures._possible_grades import possible_grades
from assay.measures.average_precision import PrecisionSum
from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.model.judged import Judged
from assay.model.rankings import TopicRankings

MOST_LABELINGS = 1 << 20
"""Number of labelings that :func:`exhaustive` tries at most: 20 documents that are relevant or not."""
PATIENCE = 100
"""After how many steps in a row that do not lead higher :func:`tabu` gives up."""
RANDOM_STARTS = 3
"""From how many random labelings :func:`tabu` sets out, besides no labels and all labels."""
_CELLS = 1 << 20  # documents of labelled rankings that are looked at together


class Found(NamedTuple):
    """A difference M(a) - M(b), and a grade for each document with which it is reached (see ``Family.labels``)."""

    value: float
    labels: Floats


# Every label -----------------------------------------------------------------------------------------------------


def exhaustive(measure: Measure, rankings: TopicRankings, a: int, b: int) -> Found:
    """The largest M(a) - M(b) over all labels, by trying every one: of any measure, and with all grades that there are.

    It is refused where there are more than 2^20 labelings.
    """
    free = free_documents(rankings, a, b)
    grades = possible_grades(measure, rankings.levels)
    if len(grades) ** len(free) > MOST_LABELINGS:
        raise InputError(
            f"topic {rankings.topic}: {len(grades)} grades for {len(free)} unjudged documents are more than "
            f"{MOST_LABELINGS} labelings; use the exact method, or a smaller depth"
        )
    best, code = -np.inf, np.zeros(len(free), dtype=np.int64)
    for codes, judged in _labelings(rankings, (a, b), free, grades):
        value = measure.score(judged).reshape(2, -1)
        difference = apart(value[0], value[1])
        difference[np.isnan(difference)] = -np.inf  # labels under which the measure has no value
        at = int(np.argmax(difference))
        if difference[at] > best:
            best, code = float(difference[at]), codes[at]
    labels = settled_grades(rankings)
    labels[free] = grades[code]
    return Found(best, labels)


def _labelings(
    rankings: TopicRankings, runs: tuple[int, int], free: Ints, grades: Floats
) -> Iterator[tuple[Ints, Judged]]:
    """All labelings, many at a time: the places of the grades, and the rankings of both runs, each labeling a topic."""
    every = len(grades) ** len(free)
    many = max(1, _CELLS // max(1, int(rankings.length[list(runs)].sum())))
    for begin in range(0, every, many):
        number = np.arange(begin, min(begin + many, every))
        digits = number[:, None] // len(grades) ** np.arange(len(free)) % len(grades)
        yield digits, labelings(rankings, runs, free, grades, digits)


def labelings(rankings: TopicRankings, runs: tuple[int, int], free: Ints, grades: Floats, digits: Ints) -> Judged:
    """The rankings of both runs under several labelings, each a topic of its own: first all of one, then of the other.

    *digits* has a row for each labeling: which of *grades* each of the *free* documents gets.
    """
    levels = np.unique(np.concatenate([rankings.levels, grades]))
    known = np.searchsorted(levels, rankings.levels)
    code = np.concatenate([[0], 1 + known])[rankings.code]
    counts = np.zeros(len(levels), dtype=np.int64)
    counts[known] = rankings.counts
    counts -= np.bincount(code[free], minlength=len(levels) + 1)[1:]  # free documents may have had a negative grade
    orders = [_order(rankings, run) for run in runs]
    codes = np.tile(code, (len(digits), 1))
    codes[:, free] = 1 + np.searchsorted(levels, grades)[digits]
    more = np.stack([(codes[:, free] == 1 + level).sum(axis=1) for level in range(len(levels))], axis=1)
    rows = np.arange(len(digits))
    length = np.repeat([len(order) for order in orders], len(digits))
    return Judged(
        levels=levels,
        counts=counts + more,
        topic=np.concatenate([rows, rows]),
        start=np.concatenate([[0], np.cumsum(length)]),
        code=np.concatenate([codes[:, order].ravel() for order in orders]),
        answered=np.ones(2 * len(rows), dtype=bool),
    )


def free_documents(rankings: TopicRankings, a: int, b: int) -> Ints:
    """The documents of two runs that have no grade yet."""
    return np.flatnonzero(rankings.ungraded() & (rankings.rank[[a, b]] > 0).any(axis=0))


# Sums of precisions ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Sums:
    """SP(a) - SP(b) of a pair, and how single labels change it.

    *rank* is runs x unjudged documents, 0 for those that a run does not have; *judged* tells for each run and rank
    whether the document there was judged relevant; *known* counts all that were.
    """

    measure: PrecisionSum
    free: Ints
    rank: Ints
    judged: tuple[Bools, Bools]
    known: int

    @classmethod
    def of(cls, measure: Measure, rankings: TopicRankings, a: int, b: int, method: str) -> _Sums:
        if not isinstance(measure, PrecisionSum) or measure.med_strategy != "precision-sums":
            raise MeasureError(f"measure '{measure}': method {method} is for AP, SSP and SP; use the exact method")
        free = free_documents(rankings, a, b)
        relevant = np.concatenate([[False], rankings.levels >= measure.rel])[rankings.code]
        first, second = (relevant[_order(rankings, run)] for run in (a, b))
        return cls(measure, free, rankings.rank[[a, b]][:, free], (first, second), recall_base(rankings, measure.rel))

    def value(self, difference: Floats, labels: Ints) -> Floats:
        """M(a) - M(b) from SP(a) - SP(b) and the number of labels."""
        return self.measure.normalise(difference, self.known + labels)

    def changes(self, labels: Bools) -> tuple[float, Floats]:
        """SP(a) - SP(b) under some labels, and by how much it changes when each document loses or gets its label."""
        (first, gain), (second, loss) = (self._side(side, labels) for side in (0, 1))
        return first - second, np.where(labels, loss - gain, gain - loss)

    def _side(self, side: int, labels: Bools) -> tuple[float, Floats]:
        """SP of one run, and what each document contributes to it or would with a label (eq. 13).

        That is (1 + relevant before) / rank, and 1 / rank of every relevant document after it.
        """
        rank = self.rank[side]
        relevant = np.append(self.judged[side], False)  # for documents that the run does not have
        relevant[rank[labels] - 1] = True
        relevant[-1] = False
        found = np.cumsum(relevant)
        each = relevant / np.arange(1, len(relevant) + 1)
        after = np.cumsum(each[::-1])[::-1] - each
        own = (found[rank - 1] + ~labels) / np.maximum(rank, 1) + after[rank - 1]
        return float(found @ each), np.where(rank > 0, own, 0.0)


def _order(rankings: TopicRankings, run: int) -> Ints:
    """The documents of a run in rank order."""
    return np.argsort(rankings.rank[run])[rankings.rank.shape[1] - int(rankings.length[run]) :]


def greedy(measure: Measure, rankings: TopicRankings, a: int, b: int, *, stop: bool = True) -> Found:
    """M(a) - M(b) of AP, SSP or SP under greedy labels: a *lower bound* of the largest one.

    Again and again the document that raises SP(a) - SP(b) most gets a label; the best labels on the way are returned.
    With *stop* it ends when no document raises it, as in the paper; without, when all have labels. Neither is always
    best: with judged documents the first can be arbitrarily bad.
    """
    sums = _Sums.of(measure, rankings, a, b, "greedy")
    labels = np.zeros(len(sums.free), dtype=bool)
    difference, change = sums.changes(labels)
    best, kept = _at(sums, difference, labels), labels.copy()
    while not labels.all():
        pick = int(np.argmax(np.where(labels, -np.inf, change)))
        if stop and change[pick] <= ROUNDING:
            break
        labels[pick] = True
        difference, change = sums.changes(labels)
        value = _at(sums, difference, labels)
        if value > best:
            best, kept = value, labels.copy()
    return _found(sums, rankings, best, kept)


def tabu(measure: Measure, rankings: TopicRankings, a: int, b: int, *, rng: int | np.random.Generator = 0) -> Found:
    """M(a) - M(b) of AP, SSP or SP under labels that tabu search finds: a *lower bound* of the largest one.

    From no labels, all labels and some random ones, each step gives or takes the label that leads to the largest value,
    even if that is lower. The document is then left alone for a quarter as many steps as there are documents (at least
    2), unless it leads higher than ever. The same *rng* gives the same result.
    """
    sums = _Sums.of(measure, rankings, a, b, "tabu")
    generator = np.random.default_rng(rng)
    many = len(sums.free)
    starts = [np.zeros(many, dtype=bool), np.ones(many, dtype=bool)]
    starts += [generator.random(many) < 0.5 for _ in range(RANDOM_STARTS)]
    best, kept = -np.inf, starts[0]
    for start in starts:
        value, labels = _tabu_from(sums, start, best)
        if value > best:
            best, kept = value, labels
    return _found(sums, rankings, best, kept)


def _tabu_from(sums: _Sums, labels: Bools, best: float) -> tuple[float, Bools]:
    """The best labels on the way from *labels*; those with which it began if none is above *best*."""
    many = len(labels)
    labels, kept, until, idle = labels.copy(), labels.copy(), np.zeros(many, dtype=np.int64), 0
    difference, change = sums.changes(labels)
    best = max(best, reached := _at(sums, difference, labels))
    step = 0
    while idle < PATIENCE and many:
        step += 1
        after = sums.value(difference + change, labels.sum() + np.where(labels, -1, 1))
        pick = int(np.argmax(np.where((until < step) | (after > best + ROUNDING), after, -np.inf)))
        labels[pick] = not labels[pick]
        until[pick] = step + max(2, many // 4)
        difference, change = sums.changes(labels)
        idle += 1
        if after[pick] > best + ROUNDING:
            best = reached = float(after[pick])
            kept, idle = labels.copy(), 0
    return reached, kept


def _at(sums: _Sums, difference: float, labels: Bools) -> float:
    return float(sums.value(np.array([difference]), np.array([labels.sum()]))[0])


def _found(sums: _Sums, rankings: TopicRankings, value: float, labels: Bools) -> Found:
    grade = float(possible_grades(sums.measure, rankings.levels)[-1])
    return Found(value, labelled(rankings, sums.free[labels], grade))
