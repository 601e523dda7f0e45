"""Rankings with ungraded documents, and their completions, in which every document has a grade.

A document is ungraded if it is unjudged or has a negative grade. Grades with the same gain form a *class*; classes are
numbered from 0 (the smallest gain) to ``max_class`` (the largest). A *profile* counts, for each class, how many
ungraded documents of a ranking get this class or a better class.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from assay.measures import Measure
from assay.measures._possible_grades import possible_grades, tabulate_gains
from assay.model.arrays import Bools, Floats, Ints
from assay.model.grade_codes import mask_ungraded
from assay.model.judged import Judged

_BLOCK = 4_000_000  # documents of completed rankings that are scored together


class Interval(NamedTuple):
    """Bounds of each ranking's value over all completions of the judgments.

    No completion has a value below *low* or above *high*. Where *exact* is True, some completions attain these bounds
    or come arbitrarily close. Completions with an undefined value (NaN) are ignored; if all values are undefined, the
    bounds are NaN.
    """

    low: Floats
    high: Floats
    exact: Bools


class Completion(NamedTuple):
    """Grades for the ungraded documents of some rankings, one row for each completed ranking.

    Attributes
    ----------
    ranking
        Indices of the rankings; a ranking may occur in several rows.
    profile
        Rows x classes: ``profile[:, c]`` ungraded documents get class c + 1 or better. These are the first ungraded
        documents of the ranking if *best_first*, otherwise the last.
    base_profile
        The profile by which the documents enter the recall base. It equals *profile* in a true completion. Bounds over
        many completions combine two different profiles.
    outside
        Number of further documents of the best class that no ranking contains.
    best_first
        True if the documents of the better classes come first.
    """

    ranking: Ints
    profile: Ints
    base_profile: Ints
    outside: Ints
    best_first: bool


@dataclass(frozen=True, eq=False)
class Problem:
    """Rankings to complete, and the classes into which a measure divides the possible grades.

    Attributes
    ----------
    measure
        The measure.
    judged
        The rankings; their levels include all grades that an ungraded document may get.
    outside
        Maximum number of further relevant documents that no ranking contains; infinite if unlimited.
    class_gain
        Gain of each class, ascending.
    class_code
        Grade code of each class.
    """

    measure: Measure
    judged: Judged
    outside: float
    class_gain: Floats
    class_code: Ints

    @classmethod
    def from_measure(cls, measure: Measure, judged: Judged, outside: float) -> Problem:
        """Group the possible grades of *measure* into classes of equal gain."""
        grades = possible_grades(measure, judged.levels)
        _, gain = tabulate_gains(measure, judged.levels, grades)
        distinct, first = np.unique(gain, return_index=True)
        extended = _add_levels(judged, grades)
        return cls(measure, extended, outside, distinct, 1 + np.searchsorted(extended.levels, grades[first]))

    @property
    def max_class(self) -> int:
        """Index of the class with the largest gain; class 0 has the smallest gain."""
        return len(self.class_gain) - 1

    @cached_property
    def ungraded(self) -> Bools:
        """Mask of the documents that may get any grade."""
        return mask_ungraded(self.judged.code, self.judged.levels)

    @cached_property
    def num_ungraded(self) -> Ints:
        """Number of ungraded documents of each ranking."""
        cumulative = np.concatenate([[0], np.cumsum(self.ungraded)])
        return np.diff(cumulative[self.judged.start])

    @cached_property
    def graded_counts(self) -> Ints:
        """Rankings x levels: number of documents of the topic that keep their grade.

        A completion gives documents of the ranking with a negative grade a new grade, so they are subtracted.
        """
        counts = self.judged.counts[self.judged.topic]
        for level in np.flatnonzero(self.judged.levels < 0).tolist():
            retrieved = self.judged.total(self.judged.ranking(), (self.judged.code == level + 1).astype(np.float64))
            counts[:, level] -= retrieved.astype(np.int64)
        return counts

    @cached_property
    def known_relevant(self) -> Ints:
        """For each ranking, the number of graded documents of its topic whose gain exceeds the gain of class 0."""
        _, gain = tabulate_gains(self.measure, self.judged.levels, self.judged.levels)
        return np.asarray(self.graded_counts[:, gain > self.class_gain[0]].sum(axis=1), dtype=np.int64)

    def build_lowest(self, ranking: Ints) -> Completion:
        """Give every ungraded document the lowest class."""
        return self.build_completion(ranking, np.zeros((len(ranking), self.max_class), dtype=np.int64))

    def build_highest(self, ranking: Ints) -> Completion:
        """Give every ungraded document the best class."""
        return self.build_completion(ranking, np.repeat(self.num_ungraded[ranking][:, None], self.max_class, axis=1))

    def build_completion(
        self,
        ranking: Ints,
        profile: Ints,
        base_profile: Ints | None = None,
        *,
        outside: float = 0,
        best_first: bool = True,
    ) -> Completion:
        """Return a completion that is sorted by class, best documents first or last."""
        outside_counts = np.full(len(ranking), outside, dtype=np.int64)
        base_profile = profile if base_profile is None else base_profile
        return Completion(ranking, profile, base_profile, outside_counts, best_first)

    def score(self, completion: Completion) -> Floats:
        """Return the values of completed rankings; 0 where the topic has no relevant documents."""
        # Some measures build the ideal ranking, which also contains the documents outside the ranking.
        size = self.judged.length[completion.ranking] + np.minimum(completion.outside, _BLOCK)
        block_index = np.cumsum(size) // _BLOCK
        ends = np.searchsorted(block_index, np.unique(block_index), side="right").tolist()
        values = np.zeros(len(size))
        for begin, end in zip([0, *ends], ends, strict=False):
            ranking, profile, base_profile, outside = (column[begin:end] for column in completion[:4])
            block = Completion(ranking, profile, base_profile, outside, completion.best_first)
            values[begin:end] = self.score_or_zero(self.complete_rankings(block))
        return values

    def score_or_zero(self, judged: Judged) -> Floats:
        """Return the values of rankings; 0 where the measure is undefined."""
        return np.where(self.measure.is_defined(judged), self.measure.score(judged), 0.0)

    def score_assignments(self, ranking: int, classes: Ints, outside: Ints) -> Floats:
        """Return the value of one ranking for each row of *classes* (assignments x ungraded documents)."""
        single = self.judged.select_rankings(np.array([ranking]))
        position = np.flatnonzero(self.ungraded[self.judged.start[ranking] : self.judged.start[ranking + 1]])
        code = np.repeat(single.code[None].astype(np.int64), len(classes), axis=0)
        code[:, position] = self.class_code[classes]
        # Each assignment is a separate topic, because it also changes the number of documents of each grade.
        counts = np.repeat(self.graded_counts[[ranking]], len(classes), axis=0)
        for class_index, class_code in enumerate(self.class_code.tolist()):
            counts[:, class_code - 1] += (classes == class_index).sum(axis=1)
        counts[:, self.class_code[-1] - 1] += outside
        rows = np.arange(len(classes))
        start = np.arange(len(classes) + 1) * code.shape[1]
        answered = np.ones(len(classes), dtype=bool)
        return self.score_or_zero(
            replace(single, code=code.ravel(), counts=counts, topic=rows, start=start, answered=answered)
        )

    def complete_rankings(self, completion: Completion) -> Judged:
        """Return the completed rankings, each with a separate topic."""
        selected = self.judged.select_rankings(completion.ranking)
        position = np.flatnonzero(mask_ungraded(selected.code, selected.levels))
        owner = np.searchsorted(selected.start, position, side="right") - 1
        num_ungraded = self.num_ungraded[completion.ranking]
        # Number the ungraded documents of each ranking, starting from the end that gets the better classes.
        index_from_top = np.arange(len(position)) - (np.cumsum(num_ungraded) - num_ungraded)[owner]
        index = index_from_top if completion.best_first else num_ungraded[owner] - 1 - index_from_top
        class_index = np.zeros(len(position), dtype=np.int64)
        for column in range(self.max_class):
            class_index += index < completion.profile[owner, column]
        code = selected.code.astype(np.int64)
        code[position] = self.class_code[class_index]
        rows = np.arange(len(num_ungraded))
        return replace(selected, code=code, counts=self.count_levels(completion), topic=rows)

    def count_levels(self, completion: Completion) -> Ints:
        """Return the number of documents of each level (rankings x levels) for the topics of completed rankings."""
        counts = self.graded_counts[completion.ranking]
        num_ungraded = self.num_ungraded[completion.ranking]
        # Differences of adjacent columns of the cumulative profile are the sizes of the classes.
        cumulative = np.column_stack([num_ungraded, completion.base_profile, np.zeros(len(counts), dtype=np.int64)])
        counts[:, self.class_code - 1] += cumulative[:, :-1] - cumulative[:, 1:]
        counts[:, self.class_code[-1] - 1] += completion.outside
        return counts


def _add_levels(judged: Judged, grades: Floats) -> Judged:
    """Return the rankings with *grades* added to their levels."""
    levels = np.union1d(judged.levels, grades)
    column = np.searchsorted(levels, judged.levels)
    counts = np.zeros((len(judged.counts), len(levels)), dtype=np.int64)
    counts[:, column] = judged.counts
    code = np.concatenate([[0], column + 1])[judged.code].astype(np.int32)
    return replace(judged, levels=levels, counts=counts, code=code, depth=judged.max_depth)
