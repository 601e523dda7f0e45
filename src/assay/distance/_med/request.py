"""Parameters of a MED request."""

from __future__ import annotations

from dataclasses import dataclass

from assay.distance._med.dispatch import Task, with_common_cutoff
from assay.measures import Measure
from assay.model.checks import check_integer


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
            check_integer("depth", self.depth, 1)

    def tasks(self, longest: int | None = None) -> list[Task]:
        """Return a task for each measure; *longest* is the length of the longest ranking, if known."""
        tasks = [self._prepare(measure) for measure in self.measures]
        if longest is not None:
            tasks = [self._prepare(with_common_cutoff(task.measure, longest)) for task in tasks]
        # The depth may turn AP into AP@10, which may also have been requested: report each measure once.
        return list({task.measure: task for task in tasks}.values())

    def _prepare(self, measure: Measure) -> Task:
        return Task.prepare(measure, self.depth, self.method, residual=self.residual, seed=self.seed)

    @property
    def max_depth(self) -> int | None:
        """Deepest rank that any of the measures uses; None if some measure uses whole rankings."""
        depths = [task.judged_depth for task in self.tasks()]
        return None if None in depths else max(depth for depth in depths if depth is not None)
