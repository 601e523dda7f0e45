"""The lowest relevant grade of a measure, and qrels in which no grade reaches it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import Measure
from assay.model.arrays import Bools, Floats


def threshold(measure: Measure) -> float | None:
    """Return the lowest grade that counts as relevant; None for measures that give every positive grade a gain."""
    core = measure.core
    rel = getattr(core, "rel", None)
    if rel is not None:
        return float(rel)
    gains = getattr(core, "gains", None)
    return 1.0 if gains is not None and gains.spec == "binary" else None


def relevant_levels(measure: Measure, levels: Floats) -> Bools:
    """Return which grades make a document relevant: those from the threshold on, or without one all above 0."""
    rel = threshold(measure)
    return np.asarray(levels > 0 if rel is None else levels >= rel)


def lowest_relevant(measures: Iterable[Measure]) -> float:
    """Return the threshold of the first measure that has one, by default 1."""
    return next((rel for rel in map(threshold, measures) if rel is not None), 1.0)


def refuse_unreached(measures: Iterable[Measure], levels: Floats) -> None:
    """Refuse measures whose threshold no grade of the qrels reaches: every value would be 0.

    *levels* are the grades of the qrels as the user gave them. Qrels without any positive grade are accepted, since
    other thresholds would not change anything.
    """
    for problem in unreached(measures, levels):
        raise MeasureError(problem)


def unreached(measures: Iterable[Measure], levels: Floats) -> list[str]:
    """Name the measures whose threshold no grade of the qrels reaches, with what to write instead."""
    highest = float(levels.max(initial=0))
    return [
        f"measure '{measure}': no grade in the qrels reaches rel={rel:g} (the highest is {highest:g}); "
        f"write {with_rel(measure, reachable(highest))}"
        for measure in measures
        if (rel := threshold(measure)) is not None and 0 < highest < rel
    ]


def refuse_nothing_relevant(rel: float, levels: Floats) -> None:
    """Refuse a threshold of curves of relative position that no grade of the qrels reaches."""
    highest = float(levels.max(initial=0))
    if 0 < highest < rel:
        raise MeasureError(
            f"no grade in the qrels reaches rel={rel:g} (the highest is {highest:g}), so that no document is relevant; "
            f"choose a lower rel, such as {reachable(highest):g}, or write other grades"
        )


def reachable(highest: float) -> float:
    """Return a threshold to suggest for qrels with this highest grade."""
    return 0.5 if 0.5 <= highest < 1 else highest


def with_rel(measure: Measure, rel: float) -> Measure:
    """Return the measure with another threshold."""
    if measure.inner is None:
        return measure.replace(rel=rel)
    return measure.replace(of_measure=with_rel(measure.inner, rel))
