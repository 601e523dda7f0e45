"""Interface of the MED algorithms: maximize M(a) - M(b) over the labels of unjudged documents.

The maximized effectiveness distance is the larger of two directed maxima,

    MED(a, b) = max over labels of |M(a) - M(b)| = max { max M(a) - M(b), max M(b) - M(a) }.

An algorithm computes one direction; the caller exchanges the runs for the other one.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.model.rankings import TopicRankings


class Maximum(NamedTuple):
    """The maximum of M(a) - M(b) over all labels of the unjudged documents, as an interval for each pair of runs.

    *low* is attained by some labels, and *high* is an upper bound. The maximum is exact where the two are equal.
    """

    low: Floats
    high: Floats


class MedAlgorithm(Protocol):
    """An algorithm for a family of measures, set up for one measure.

    *Free* documents are those without a grade: unjudged, or judged with a negative grade.
    """

    @property
    def cost(self) -> str:
        """Growth of the time for a pair of runs with the depth.

        ``linear``; ``quadratic``; ``search`` (quadratic, four times as slow); ``slow`` (minutes for whole rankings).
        """

    def maximize(self, rankings: TopicRankings, a: Ints, b: Ints) -> Maximum:
        """Maximize M(a) - M(b) for pairs of rows of *rankings*, which are cut at the depth of the measure."""

    def find_labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """Return a grade for each document such that M(a) - M(b) equals ``maximize(...).low``.

        Judged documents keep their grades. Documents in neither ranking, and those whose label does not matter, get
        grade 0.
        """


def subtract_values(value: Floats, other: Floats) -> Floats:
    """Subtract values of a measure; the difference of two equal infinities is 0.

    >>> subtract_values(np.array([1.0, np.inf, np.inf]), np.array([0.5, np.inf, 1.0])).tolist()
    [0.5, 0.0, inf]
    """
    with np.errstate(invalid="ignore"):
        return np.where(value == other, 0.0, value - other)
