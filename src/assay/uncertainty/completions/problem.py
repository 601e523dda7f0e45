"""Rankings with documents that nobody has judged, and what they become when each of those gets a grade."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from assay.measures import Measure
from assay.measures._possible_grades import gains_of, possible_grades
from assay.model.arrays import Bools, Floats, Ints
from assay.model.grade_codes import ungraded
from assay.model.judged import Judged

_BLOCK = 4_000_000  # documents of completed rankings that are scored together


class Interval(NamedTuple):
    """The values that completions of the judgments allow, for each ranking.

    No completion gives less than *low* or more than *high*. Where *exact*, some completions give these very values
    (or come as close to them as one likes). Completions for which the measure is not a number say nothing; where it
    never is one, neither are the ends.
    """

    low: Floats
    high: Floats
    exact: Bools


class Completion(NamedTuple):
    """Grades for the unsettled documents of some rankings, one row for each completed ranking.

    The documents of a ranking are labelled in its order: ``labels[:, l]`` of them, the first ones if *best_first* else
    the last ones, are worth at least as much as class l + 1. The recall base counts ``counted`` in the same way; it is
    the same for a true completion, and another one where a bound is looked for. *outside* more documents of the best
    class stand in no ranking.
    """

    ranking: Ints
    labels: Ints
    counted: Ints
    outside: Ints
    best_first: bool


@dataclass(frozen=True, eq=False)
class Problem:
    """Rankings as one measure sees them.

    Attributes
    ----------
    measure
        The measure.
    judged
        The rankings; all grades that a document may turn out to have are among its levels.
    outside
        How many more relevant documents there may be that no ranking has (infinity: any number).
    worth
        What a document of each class is worth, ascending; grades of the same worth are one class.
    label
        The code of a grade of each class.
    """

    measure: Measure
    judged: Judged
    outside: float
    worth: Floats
    label: Ints

    @classmethod
    def of(cls, measure: Measure, judged: Judged, outside: float) -> Problem:
        """The rankings as *measure* sees them."""
        grades = possible_grades(measure, judged.levels)
        _, worth = gains_of(measure, judged.levels, grades)
        distinct, first = np.unique(worth, return_index=True)
        whole = _with_levels(judged, grades)
        return cls(measure, whole, outside, distinct, 1 + np.searchsorted(whole.levels, grades[first]))

    @property
    def classes(self) -> int:
        """Number of classes that are worth more than the lowest."""
        return len(self.worth) - 1

    @cached_property
    def unsettled(self) -> Bools:
        """Which documents may still get any grade."""
        return ungraded(self.judged.code, self.judged.levels)

    @cached_property
    def free(self) -> Ints:
        """Number of documents of each ranking that may still get any grade."""
        running = np.concatenate([[0], np.cumsum(self.unsettled)])
        return np.diff(running[self.judged.start])

    @cached_property
    def settled(self) -> Ints:
        """Rankings x levels: the documents of the topic that were judged for good, as far as the ranking can tell."""
        counts = self.judged.counts[self.judged.topic]
        for level in np.flatnonzero(self.judged.levels < 0).tolist():
            mine = self.judged.total(self.judged.ranking(), (self.judged.code == level + 1).astype(np.float64))
            counts[:, level] -= mine.astype(np.int64)
        return counts

    @cached_property
    def worthy(self) -> Ints:
        """Number of documents of the topic of each ranking that were judged to be worth more than the lowest class."""
        _, gain = gains_of(self.measure, self.judged.levels, self.judged.levels)
        return np.asarray(self.settled[:, gain > self.worth[0]].sum(axis=1), dtype=np.int64)

    def lowest(self, ranking: Ints) -> Completion:
        """Every document is worth as little as can be."""
        return self.sorted(ranking, np.zeros((len(ranking), self.classes), dtype=np.int64))

    def highest(self, ranking: Ints) -> Completion:
        """Every document is worth as much as can be."""
        return self.sorted(ranking, np.repeat(self.free[ranking][:, None], self.classes, axis=1))

    def sorted(
        self,
        ranking: Ints,
        labels: Ints,
        counted: Ints | None = None,
        *,
        outside: float = 0,
        best_first: bool = True,
    ) -> Completion:
        """A completion in which the better documents stand together at one end."""
        more = np.full(len(ranking), outside, dtype=np.int64)
        return Completion(ranking, labels, labels if counted is None else counted, more, best_first)

    def scores(self, completion: Completion) -> Floats:
        """The values of completed rankings; 0 where the topic has nothing relevant."""
        # A measure may write down the ideal ranking, which has the documents outside as well.
        size = self.judged.length[completion.ranking] + np.minimum(completion.outside, _BLOCK)
        block = np.cumsum(size) // _BLOCK
        ends = np.searchsorted(block, np.unique(block), side="right").tolist()
        parts = [slice(begin, end) for begin, end in zip([0, *ends], ends, strict=False)]
        return np.concatenate([np.zeros(0), *(self._scores(_some(completion, part)) for part in parts)])

    def _scores(self, completion: Completion) -> Floats:
        judged = self.completed(completion)
        return np.where(self.measure.defined(judged), self.measure.score(judged), 0.0)

    def labelled(self, ranking: int, classes: Ints, outside: Ints) -> Floats:
        """The values of one ranking with its unsettled documents in each of several rows of classes."""
        part = self.judged.only(np.array([ranking]))
        place = np.flatnonzero(self.unsettled[self.judged.start[ranking] : self.judged.start[ranking + 1]])
        code = np.repeat(part.code[None].astype(np.int64), len(classes), axis=0)
        code[:, place] = self.label[classes]
        counts = np.repeat(self.settled[[ranking]], len(classes), axis=0)
        for number, label in enumerate(self.label.tolist()):
            counts[:, label - 1] += (classes == number).sum(axis=1)
        counts[:, self.label[-1] - 1] += outside
        rows = np.arange(len(classes))
        start = np.arange(len(classes) + 1) * code.shape[1]
        answered = np.ones(len(classes), dtype=bool)
        judged = replace(part, code=code.ravel(), counts=counts, topic=rows, start=start, answered=answered)
        return np.where(self.measure.defined(judged), self.measure.score(judged), 0.0)

    def completed(self, completion: Completion) -> Judged:
        """The completed rankings, each with a topic of its own."""
        part = self.judged.only(completion.ranking)
        place = np.flatnonzero(ungraded(part.code, part.levels))
        owner = np.searchsorted(part.start, place, side="right") - 1
        free = self.free[completion.ranking]
        number = np.arange(len(place)) - (np.cumsum(free) - free)[owner]
        from_end = number if completion.best_first else free[owner] - 1 - number
        reached = np.zeros(len(place), dtype=np.int64)
        for step in range(self.classes):
            reached += from_end < completion.labels[owner, step]
        code = part.code.astype(np.int64)
        code[place] = self.label[reached]
        rows = np.arange(len(free))
        return replace(part, code=code, counts=self.counted(completion), topic=rows)

    def counted(self, completion: Completion) -> Ints:
        """Return the number of documents of each level for the topics of completed rankings."""
        counts = self.settled[completion.ranking]
        free = self.free[completion.ranking]
        steps = np.column_stack([free, completion.counted, np.zeros(len(free), dtype=np.int64)])
        counts[:, self.label - 1] += steps[:, :-1] - steps[:, 1:]
        counts[:, self.label[-1] - 1] += completion.outside
        return counts


def _some(completion: Completion, rows: slice) -> Completion:
    arrays = (completion.ranking, completion.labels, completion.counted, completion.outside)
    ranking, labels, counted, outside = (array[rows] for array in arrays)
    return Completion(ranking, labels, counted, outside, completion.best_first)


def _with_levels(judged: Judged, grades: Floats) -> Judged:
    """Return the rankings with further grades among the levels."""
    levels = np.union1d(judged.levels, grades)
    at = np.searchsorted(levels, judged.levels)
    counts = np.zeros((len(judged.counts), len(levels)), dtype=np.int64)
    counts[:, at] = judged.counts
    code = np.concatenate([[0], at + 1])[judged.code].astype(np.int32)
    return replace(judged, levels=levels, counts=counts, code=code, depth=judged.longest)
