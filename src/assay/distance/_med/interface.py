"""Interface of the families of measures: the largest difference that labels of unjudged documents can make."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.model.rankings import TopicRankings


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

    def largest(self, rankings: TopicRankings, a: Ints, b: Ints) -> Extreme:
        """The extremes of M(a) - M(b), for pairs of rows of *rankings*, which are cut at the depth of the measure."""

    def labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """A grade for each document that reaches ``largest(...).low``; of a judged document its own grade.

        Documents that neither a nor b has, and those that need no label, have grade 0.
        """


def apart(value: Floats, other: Floats) -> Floats:
    """Subtract values; two equal infinite ones differ by 0.

    >>> apart(np.array([1.0, np.inf, np.inf]), np.array([0.5, np.inf, 1.0])).tolist()
    [0.5, 0.0, inf]
    """
    with np.errstate(invalid="ignore"):
        return np.where(value == other, 0.0, value - other)
