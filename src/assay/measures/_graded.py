"""Base classes of measures with graded gains."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import Additive, Measure
from assay.model.arrays import Bools, Floats, Numbers

if TYPE_CHECKING:
    from assay.model.gains import Gains
    from assay.model.judged import Judged


class Graded(Measure):
    """A measure with the parameters ``gains``, ``rel`` and ``max_rel``."""

    unit_gains: ClassVar[bool] = False
    """True if the gains must be between 0 and 1."""

    if TYPE_CHECKING:
        gains: Gains
        rel: float | None
        max_rel: float | None

    def check(self) -> None:
        if self.unit_gains and not self.gains.unit:
            raise MeasureError(
                f"measure '{self.name}': gains={self.gains} are not all between 0 and 1; "
                "use unit, exp12, exp-unit or binary"
            )

    def gain(self, judged: Judged) -> Floats:
        """Return gains by grade code: of unjudged documents (code 0), then of each grade of ``judged.levels``."""
        return self.gains.table(judged.levels, self.rel, self.max_rel, unit=self.unit_gains)


class GradedSum(Graded, Additive):
    """A graded measure that is a sum over ranks, with weights that never increase with the rank."""

    swap = True
    replacement = True


class Normalised(GradedSum):
    """A graded sum divided by its value for the ideal ranking."""

    uses_recall_base = True
    dilutes = True

    def check(self) -> None:
        if self.gains.negative:
            raise MeasureError(
                f"measure '{self.name}': gains={self.gains} can be negative, so the ideal value may not be positive; "
                f"use {self.name.removeprefix('n')}, which does not divide by the ideal value"
            )

    @property
    def med_strategy(self) -> str | None:
        return "normalised" if self.is_plain_sum else None

    def saturation(self, longest: int, gain: float) -> float:
        return getattr(self, "cutoff", None) or math.inf

    def scale(self, judged: Judged) -> float | Numbers:
        return judged.get_or_compute((self, "scale"), lambda: self._ideal_total(judged))

    def _ideal_total(self, judged: Judged) -> Floats:
        ideal = judged.ideal(self.gain(judged))
        ideal = ideal.filter(ideal.rank <= self.depth(judged))
        # The rows of an ideal ranking are numbered by topic; ideal_total spreads the sums over the rankings.
        return judged.ideal_total(ideal.ranking, self.weighted_gain(ideal.gain, ideal.rank))

    def is_defined(self, judged: Judged) -> Bools:
        return np.asarray(self.scale(judged)) > 0
