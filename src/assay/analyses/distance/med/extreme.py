"""The interface of MED algorithms: the largest difference between two rankings over labels of unjudged documents."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.model.rankings import Lists


class Extreme(NamedTuple):
    """The largest value of M(a) - M(b) over all labels of the unjudged documents, one for each pair of runs.

    Some labels reach *low* and none go beyond *high*; where they are equal the value is exact.
    """

    low: Floats
    high: Floats


class Family(Protocol):
    """An algorithm that finds the extremes for a family of measures, made for one measure."""

    @property
    def cost(self) -> str:
        """The growth of the time for a pair of runs with the depth.

        ``linear``; ``quadratic``; ``search`` (quadratic, four times as slow); ``slow`` (minutes for whole rankings).
        """

    def largest(self, lists: Lists, a: Ints, b: Ints) -> Extreme:
        """Return the extremes of M(a) - M(b) for pairs of rows of *lists*, cut at the depth of the measure."""

    def labels(self, lists: Lists, a: int, b: int) -> Floats:
        """Return a grade for each document that together reach ``largest(...).low``; judged ones keep their grade.

        Documents that neither a nor b has, and those that need no label, have grade 0.
        """


def apart(value: Floats, other: Floats) -> Floats:
    """Subtract values; two equal infinite ones differ by 0.

    >>> apart(np.array([1.0, np.inf, np.inf]), np.array([0.5, np.inf, 1.0])).tolist()
    [0.5, 0.0, inf]
    """
    with np.errstate(invalid="ignore"):
        return np.where(value == other, 0.0, value - other)
