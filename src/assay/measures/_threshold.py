"""The relevance threshold of a measure (its lowest relevant grade), and qrels in which no grade reaches it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import Measure
from assay.model.arrays import Bools, Floats


def threshold(measure: Measure) -> float | None:
    """Return the lowest relevant grade, or None for measures in which every positive grade has a gain."""
    core = measure.core
    rel = getattr(core, "rel", None)
    if rel is not None:
        return float(rel)
    gains = getattr(core, "gains", None)
    return 1.0 if gains is not None and gains.spec == "binary" else None


def relevant_levels(measure: Measure, levels: Floats) -> Bools:
    """Return a mask of the relevant grades: all grades at or above the threshold.

    For a measure without a threshold, all positive grades are relevant.
    """
    rel = threshold(measure)
    return np.asarray(levels > 0 if rel is None else levels >= rel)


def lowest_relevant_grade(measures: Iterable[Measure]) -> float:
    """Return the threshold of the first measure that has one, by default 1."""
    return next((rel for rel in map(threshold, measures) if rel is not None), 1.0)


def check_thresholds(measures: Iterable[Measure], levels: Floats) -> None:
    """Raise ``MeasureError`` if no grade of the qrels reaches the threshold of a measure, since all values would be 0.

    *levels* are the original grades of the qrels. Qrels without any positive grade are accepted, because no other
    threshold would help.
    """
    for problem in find_threshold_problems(measures, levels):
        raise MeasureError(problem)


def find_threshold_problems(measures: Iterable[Measure], levels: Floats) -> list[str]:
    """Return an error message, with a suggestion, for each measure whose threshold is above all grades of the qrels."""
    highest = float(levels.max(initial=0))
    return [
        f"measure '{measure}': no grade in the qrels reaches rel={rel:g} (the highest is {highest:g}); "
        f"write {with_rel(measure, suggest_rel(highest))}"
        for measure in measures
        if (rel := threshold(measure)) is not None and 0 < highest < rel
    ]


def check_rel(rel: float, levels: Floats) -> None:
    """Raise ``MeasureError`` if no grade of the qrels reaches *rel*; for analyses without a measure."""
    highest = float(levels.max(initial=0))
    if 0 < highest < rel:
        raise MeasureError(
            f"no grade in the qrels reaches rel={rel:g} (the highest is {highest:g}), so no document is relevant; "
            f"choose a lower rel, such as {suggest_rel(highest):g}, or change the grades"
        )


def suggest_rel(highest: float) -> float:
    """Return a suitable threshold for qrels with this highest grade."""
    return 0.5 if 0.5 <= highest < 1 else highest


def with_rel(measure: Measure, rel: float) -> Measure:
    """Return the measure with another threshold."""
    if measure.inner is None:
        return measure.replace(rel=rel)
    return measure.replace(of_measure=with_rel(measure.inner, rel))
