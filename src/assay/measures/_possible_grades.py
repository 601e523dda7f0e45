"""The grades that a document which nobody has judged may turn out to have."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.measures import Measure
from assay.model.arrays import Bools, Codes, Floats
from assay.model.judged import Judged
from assay.model.policies import Policies


def unsettled(code: Codes, levels: Floats) -> Bools:
    """Which documents have no grade yet: nobody judged them, or they have a negative one, as ``Judged@k`` counts.

    >>> unsettled(np.array([0, 1, 2]), np.array([-1.0, 0.0])).tolist()
    [True, True, False]
    """
    return np.asarray(np.concatenate([[True], levels < 0])[code])


def possible_grades(measure: Measure, levels: Floats) -> Floats:
    """0 and every grade above it that the qrels use, ascending.

    The scale of the measure may reach higher than what was judged: its ``max_rel``, or ``rel`` where no grade of the
    qrels is relevant (1 if there is nothing to go by).

    >>> from assay.measures import measure
    >>> possible_grades(measure("AP(rel=2)"), np.array([-1.0, 1.0])).tolist()
    [0.0, 1.0, 2.0]
    """
    top = max(float(levels.max(initial=0)), float(getattr(measure, "max_rel", None) or 0))
    counted = 1.0 if str(getattr(measure, "gains", "")) == "binary" else min(1.0, top or 1.0)
    least = float(getattr(measure, "rel", None) or counted)
    return np.unique(np.concatenate([[0.0], levels[levels > 0], [top, max(top, least)]]))


def gains_of(measure: Measure, levels: Floats, grades: Floats) -> tuple[Floats, Floats]:
    """What documents count: by code (of unjudged ones, then of each of *levels*), and of each of *grades*.

    The largest of *levels* and *grades* is the top of the scale. A measure without gains counts relevant documents, and
    one that knows no lowest relevant grade either goes by the grades themselves.
    """
    scale = np.unique(np.concatenate([levels, grades]))
    stub = Judged(
        levels=scale,
        counts=np.zeros((0, len(scale)), dtype=np.int64),
        topic=np.zeros(0, dtype=np.int64),
        start=np.zeros(1, dtype=np.int64),
        code=np.zeros(0, dtype=np.uint8),
        answered=np.zeros(0, dtype=bool),
        policies=Policies(),
    )
    gain: Callable[[Judged], Floats] | None = getattr(measure, "gain", None)
    if gain is not None:
        table = gain(stub)
    elif hasattr(measure, "rel"):
        table = stub.relevance(measure.rel)
    else:
        table = np.concatenate([[0.0], np.maximum(scale, 0.0)])
    return np.concatenate([table[:1], table[1 + np.searchsorted(scale, levels)]]), table[
        1 + np.searchsorted(scale, grades)
    ]
