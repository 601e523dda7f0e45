"""The runs that cannot be told from the best one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.analyses.compare.comparing import Comparison
from assay.views.report.material import Material


class Rivals(NamedTuple):
    """Of the best run: those that differ from it significantly, that do not, and that could not be compared."""

    comparison: Comparison
    best: int
    apart: tuple[int, ...]
    tied: tuple[int, ...]
    untested: tuple[int, ...]

    @property
    def none_tested(self) -> bool:
        """Whether no comparison could be made."""
        return not (self.apart or self.tied)

    @classmethod
    def of(cls, material: Material, measure: int = 0) -> Rivals | None:
        """By one of the measures; None of a single run. Runs stand in the order of the leaderboard."""
        comparison = material.comparison
        if comparison is None:
            return None
        order = [material.runs.index(run) for run in material.results.best(material.measures[measure])]
        best, others = order[0], np.array(order[1:])
        p = comparison.matrix(material.measures[measure])[best, others]
        kinds = (p < comparison.alpha, p >= comparison.alpha, np.isnan(p))
        return cls(comparison, best, *(tuple(others[kind].tolist()) for kind in kinds))
