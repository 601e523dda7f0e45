"""What measures on graded gains share."""

from __future__ import annotations

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import Additive
from assay.model.gains import Gains
from assay.model.judged import Judged


class Graded(Additive):
    """An additive measure with the parameters ``gains``, ``rel`` and ``max_rel``."""

    gains: Gains
    rel: float | None
    max_rel: float | None

    def gain(self, judged: Judged) -> np.ndarray:
        return self.gains.table(judged.levels, self.rel, self.max_rel)


class Normalised(Graded):
    """A graded measure divided by its value for the ideal ranking."""

    uses_recall_base = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gains.negative:
            raise MeasureError(
                f"measure '{self.name}': gains={self.gains} can be negative, and then the ideal value can be 0 or "
                f"less; use {self.name.removeprefix('n')}, which is not divided by it"
            )

    def scale(self, judged: Judged) -> float | np.ndarray:
        ideal = judged.ideal(self.gain(judged))
        keep = ideal.rank <= self.depth(judged)
        return judged.ideal_total(ideal.ranking[keep], self.weighed(ideal.gain[keep], ideal.rank[keep]))

    def defined(self, judged: Judged) -> np.ndarray:
        return np.asarray(self.scale(judged)) > 0
