"""Grades that an unjudged document could have."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.measures import Measure
from assay.model.arrays import Floats
from assay.model.judged import Judged


def possible_grades(measure: Measure, levels: Floats) -> Floats:
    """Return the grades that an unjudged document could have, ascending: 0 and every positive grade of the qrels.

    The list also contains the top of the scale if no document was judged with it: ``max_rel`` of the measure, or its
    lowest relevant grade (1 by default) if no grade of the qrels is relevant.

    >>> from assay.measures import measure
    >>> possible_grades(measure("AP(rel=2)"), np.array([-1.0, 1.0])).tolist()
    [0.0, 1.0, 2.0]
    """
    top = max(float(levels.max(initial=0)), float(getattr(measure, "max_rel", None) or 0))
    # A measure with binary gains needs grade 1. Others give any positive grade a gain, so a top below 1 is enough.
    lowest = 1.0 if str(getattr(measure, "gains", "")) == "binary" else min(1.0, top or 1.0)
    threshold = float(getattr(measure, "rel", None) or lowest)
    return np.unique(np.concatenate([[0.0], levels[levels > 0], [top, max(top, threshold)]]))


def tabulate_gains(measure: Measure, levels: Floats, grades: Floats) -> tuple[Floats, Floats]:
    """Return two arrays of gains: by grade code, and for each of *grades*.

    The first array starts with the gain of unjudged documents (code 0), followed by the gain of each of *levels*. The
    largest of *levels* and *grades* is the top of the scale. For a measure without gains, relevant documents have gain
    1. For a measure with neither gains nor ``rel``, the gain is the grade.
    """
    # Gains depend on the scale of grades only, so rankings without documents are enough to compute them.
    scale = np.unique(np.concatenate([levels, grades]))
    empty_judged = Judged.from_grades([], dict.fromkeys(scale.tolist(), 0))
    gain: Callable[[Judged], Floats] | None = getattr(measure, "gain", None)
    if gain is not None:
        table = gain(empty_judged)
    elif hasattr(measure, "rel"):
        table = empty_judged.relevance(measure.rel)
    else:
        table = np.concatenate([[0.0], np.maximum(scale, 0.0)])
    by_code = np.concatenate([table[:1], table[1 + np.searchsorted(scale, levels)]])
    return by_code, table[1 + np.searchsorted(scale, grades)]
