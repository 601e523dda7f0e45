"""Parameters of a MED request."""

from __future__ import annotations

from dataclasses import dataclass

from assay.distance._med.choice import Task, of_one_length
from assay.measures import Measure
from assay.model.checks import whole


@dataclass(frozen=True)
class MedRequest:
    """Measures, depth and method by which rankings are compared; see ``med``."""

    measures: tuple[Measure, ...]
    depth: int | None = None
    method: str = "exact"
    residual: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.depth is not None:
            whole("depth", self.depth, 1)

    def tasks(self, longest: int | None = None) -> list[Task]:
        """Return a task for each measure; *longest* is the length of the longest ranking, once it is known."""
        every = [self._task(each) for each in self.measures]
        if longest is not None:
            every = [self._task(of_one_length(task.measure, longest)) for task in every]
        return list({task.measure: task for task in every}.values())  # AP and AP@10 may have become the same

    def _task(self, measure: Measure) -> Task:
        return Task.of(measure, self.depth, self.method, residual=self.residual, seed=self.seed)

    @property
    def reach(self) -> int | None:
        """The deepest rank that any of the measures looks at; None if one looks at whole rankings."""
        depths = [task.reach for task in self.tasks()]
        return None if None in depths else max(depth for depth in depths if depth is not None)
