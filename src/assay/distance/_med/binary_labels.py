"""The labels that the lattice gives to unjudged documents: grade 0, or the grade that is worth most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.distance._med.rank_table import settled_grades
from assay.errors import MeasureError
from assay.measures import Measure
from assay.measures._possible_grades import gains_of, possible_grades
from assay.model.arrays import Floats, Ints
from assay.model.rankings import TopicRankings


class Worth(NamedTuple):
    """Gains of documents: by code, and those without a grade if they turn out to have the grade worth most.

    *least* is the smallest gain above 0 that a document may have or has: equal to *gain* where relevance is binary.
    """

    by_code: Floats
    gain: float
    grade: float
    least: float


def worth(measure: Measure, levels: Floats) -> Worth:
    """Return the gains of the grades for a measure with gains; a grade 0 that is worth something is refused.

    >>> from assay.measures import measure
    >>> worth(measure("ERR"), np.array([0.0, 1.0]))
    Worth(by_code=array([0. , 0. , 0.5]), gain=0.5, grade=1.0, least=0.5)
    """
    grades = possible_grades(measure, levels)
    by_code, gains = gains_of(measure, levels, grades)
    if gains[0] != 0:
        raise MeasureError(
            f"measure '{measure}': grade 0 is worth {gains[0]:g}, but labels need a grade that is worth nothing; "
            "leave 0 out of the gains"
        )
    best = int(np.argmax(gains))
    positive = np.concatenate([gains[gains > 0], by_code[by_code > 0]])
    return Worth(by_code, float(gains[best]), float(grades[best]), float(positive.min(initial=gains[best])))


def labelled(rankings: TopicRankings, documents: Ints, grade: float) -> Floats:
    """A grade for each document: *grade* for some documents, for judged ones their own, else 0."""
    grades = settled_grades(rankings)
    grades[documents] = grade
    return grades
