"""Binary labels for unjudged documents: grade 0, or the grade with the largest gain.

The lattice algorithms (``average_precision``, ``cascade``, ``q_measure``) choose between these two labels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.distance._med.rank_table import known_grades
from assay.errors import MeasureError
from assay.measures import Measure
from assay.measures._possible_grades import possible_grades, tabulate_gains
from assay.model.arrays import Floats, Ints
from assay.model.rankings import TopicRankings


class BinaryGains(NamedTuple):
    """Gains of judged documents, and of free documents that are labelled relevant.

    Attributes
    ----------
    by_code
        The gain of each code of ``TopicRankings``.
    gain, grade
        The largest gain of any possible grade, and the grade that has it. A labelled free document gets this grade.
    smallest_gain
        The smallest positive gain of any possible grade or judged document. It equals *gain* if relevance is binary.
    """

    by_code: Floats
    gain: float
    grade: float
    smallest_gain: float


def binary_gains(measure: Measure, levels: Floats) -> BinaryGains:
    """Return the gains of the grades under a measure with gains; refuse a grade 0 with a gain other than 0.

    >>> from assay.measures import measure
    >>> binary_gains(measure("ERR"), np.array([0.0, 1.0]))
    BinaryGains(by_code=array([0. , 0. , 0.5]), gain=0.5, grade=1.0, smallest_gain=0.5)
    """
    grades = possible_grades(measure, levels)
    by_code, gains = tabulate_gains(measure, levels, grades)
    if gains[0] != 0:
        raise MeasureError(
            f"measure '{measure}': grade 0 has gain {gains[0]:g}, but MED needs a grade without gain; "
            "omit 0 from the gains"
        )
    best = int(np.argmax(gains))
    positive = np.concatenate([gains[gains > 0], by_code[by_code > 0]])
    return BinaryGains(by_code, float(gains[best]), float(grades[best]), float(positive.min(initial=gains[best])))


def label_documents(rankings: TopicRankings, documents: Ints, grade: float) -> Floats:
    """Return a grade for each document: *grade* for *documents*, 0 for other free documents.

    Judged documents keep their grades.
    """
    grades = known_grades(rankings)
    grades[documents] = grade
    return grades
