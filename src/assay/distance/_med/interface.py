"""Interface of the MED algorithms: maximize M(a) - M(b) over the labels of unjudged documents.

The maximized effectiveness distance is the larger of two directed maxima,

    MED(a, b) = max over labels of |M(a) - M(b)| = max { max M(a) - M(b), max M(b) - M(a) }.

An algorithm computes one direction; for the other direction, the caller exchanges the runs.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.model.rankings import TopicRankings


class Maximum(NamedTuple):
    """The maximum of M(a) - M(b) over all labels of the unjudged documents, as an interval for each pair of runs.

    Some labels attain *low*, and *high* is an upper bound. The maximum is exact where *low* equals *high*.
    """

    low: Floats
    high: Floats


class MedAlgorithm(Protocol):
    """An algorithm for a family of measures, set up for one measure.

    A document is *free* if it has no grade: it is unjudged, or judged with a negative grade.
    """

    @property
    def cost(self) -> str:
        """Running time for one pair of runs as a function of the depth.

        ``linear``, ``quadratic``, ``search`` (quadratic, but four times slower) or ``slow`` (minutes for whole
        rankings).
        """

    def maximize(self, rankings: TopicRankings, a: Ints, b: Ints) -> Maximum:
        """Maximize M(a) - M(b) for pairs of rows of *rankings*, which are cut at the depth of the measure."""

    def find_labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """Return a grade for each document such that M(a) - M(b) equals ``maximize(...).low``.

        Judged documents keep their grades. Documents in neither ranking get grade 0, and so do documents whose label
        does not matter.
        """


def subtract_values(value: Floats, other: Floats) -> Floats:
    """Subtract values of a measure; the difference of two equal infinities is 0.

    >>> subtract_values(np.array([1.0, np.inf, np.inf]), np.array([0.5, np.inf, 1.0])).tolist()
    [0.5, 0.0, inf]
    """
    with np.errstate(invalid="ignore"):
        return np.where(value == other, 0.0, value - other)
