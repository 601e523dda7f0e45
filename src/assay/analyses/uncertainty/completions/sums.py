"""nDCG and nCG of completions, from sums that are made once for each ranking.

A completion is known by how many documents are in each class, so that its gain is a difference of running sums of
weights, and so is that of the ideal ranking: nothing has to be scored document by document.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from assay.analyses.grades import gains_of
from assay.analyses.uncertainty.completions.problem import Completion, Problem
from assay.measures._base import Additive, ratio
from assay.model.arrays import Floats, Ints
from assay.model.scan import running


@dataclass(frozen=True, eq=False)
class SumProblem(Problem):
    """Rankings as a measure sees them that divides a weighted sum of gains by that of the ideal ranking."""

    cost: ClassVar[int] = 20

    def scores(self, completion: Completion) -> Floats:
        """The values of completed rankings."""
        worth = self.worth
        total = self._settled_gain[completion.ranking] + worth[0] * self._weight(
            completion, self.free[completion.ranking]
        )
        for step in range(self.classes):
            total += (worth[step + 1] - worth[step]) * self._weight(completion, completion.labels[:, step])
        return ratio(total, self._ideal(completion))

    def _weight(self, completion: Completion, number: Ints) -> Floats:
        """The weight of some of the unsettled documents, the first or the last ones."""
        first, free = self._first[completion.ranking], self.free[completion.ranking]
        sums = self._free_weight
        if completion.best_first:
            return np.asarray(sums[first + number] - sums[first])
        return np.asarray(sums[first + free] - sums[first + free - number])

    def _ideal(self, completion: Completion) -> Floats:
        counts = self.counted(completion)[:, self._best_first]
        gain = self._gain[1:][self._best_first]
        sums = self._ideal_weight(int(counts.sum(axis=1).max(initial=0)))
        until = sums[np.minimum(np.cumsum(counts, axis=1), len(sums) - 1)]
        return np.asarray((np.diff(until, axis=1, prepend=0.0) * gain).sum(axis=1))

    @cached_property
    def _gain(self) -> Floats:
        _, gain = gains_of(self.measure, self.judged.levels, self.judged.levels)
        return np.concatenate([[0.0], gain])

    @cached_property
    def _best_first(self) -> Ints:
        order = np.argsort(-self._gain[1:], kind="stable")
        return order[self._gain[1:][order] > 0]

    def _weights(self, rank: Ints) -> Floats:
        measure = self.measure
        cut = getattr(measure, "cutoff", None)
        weight = measure.weighed(np.ones(len(rank)), rank) if isinstance(measure, Additive) else np.ones(len(rank))
        return weight if cut is None else np.where(rank <= cut, weight, 0.0)

    def _ideal_weight(self, most: int) -> Floats:
        """The weight of the first 0, 1, 2 and more ranks; behind the cutoff nothing is added."""
        cut = getattr(self.measure, "cutoff", None)
        ranks = np.arange(1, min(most, most if cut is None else cut) + 1)
        return np.concatenate([[0.0], np.cumsum(self._weights(ranks))])

    @cached_property
    def _settled_gain(self) -> Floats:
        gain = np.where(self.unsettled, 0.0, self._gain[self.judged.code])
        return self.judged.total(self.judged.ranking(), gain * self._weights(self.judged.rank()))

    @cached_property
    def _first(self) -> Ints:
        """Where the running sums of each ranking begin: each has one more than unsettled documents."""
        return np.concatenate([[0], np.cumsum(self.free + 1)[:-1]]) if len(self.free) else np.zeros(0, dtype=np.int64)

    @cached_property
    def _free_weight(self) -> Floats:
        place = np.flatnonzero(self.unsettled)
        ranking = self.judged.ranking()[place]
        sums = np.zeros(len(place) + len(self.free))
        if len(place):
            sums[np.arange(len(place)) + ranking + 1] = running(
                np.add, ranking, self._weights(self.judged.rank()[place])
            )
        return sums
