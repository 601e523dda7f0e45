"""Notes on distances: where they are bounds, and where they are aggregated differently from values."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.distance._med.choice import Task
from assay.distance._med.interface import apart
from assay.model.arrays import ROUNDING, Floats
from assay.model.notes import count


def notes_on(method: str, tasks: list[Task], found: Mapping[str, Floats]) -> tuple[str, ...]:
    """One line each; *found* are the numbers of ``MedReport``, measures x pairs x topics each."""
    return (
        *_lower_bounds(method, tasks),
        *_put_together(tasks),
        *_intervals(tasks, found),
        *_beyond(tasks, found),
    )


def _lower_bounds(method: str, tasks: list[Task]) -> list[str]:
    if method not in ("greedy", "greedy-on", "tabu"):
        return []
    names = ", ".join(str(task.measure) for task in tasks)
    return [f"{names}: {method} finds a lower bound of the distance, not always the distance"]


def _intervals(tasks: list[Task], found: Mapping[str, Floats]) -> list[str]:
    """Note distances that are known only as intervals."""
    low, high = np.maximum(found["up"], found["down"]), np.maximum(found["up_bound"], found["down_bound"])
    return [
        f"{task.measure}: {int(open_.sum())} of {count(open_.size, 'distance')} are known to lie within low and high "
        "only; med is low"
        for task, open_ in zip(tasks, (apart(high, low) > ROUNDING) & np.isfinite(high), strict=True)
        if open_.any()
    ]


def _put_together(tasks: list[Task]) -> list[str]:
    """Note measures that are not means over topics, as distances are."""
    others = {"geometric": "geometric mean", "sum": "sum"}
    return [
        f"{task.measure}: distances are put together by their mean over topics, not by the {others[aggregate]}"
        for task in tasks
        if (aggregate := task.measure.aggregate) in others
    ]


def _beyond(tasks: list[Task], found: Mapping[str, Floats]) -> list[str]:
    """Note differences beyond the distance: some measures tell unjudged documents from those of grade 0."""
    furthest = np.maximum(found["up_bound"], found["down_bound"])
    return [
        f"{task.measure}: tells unjudged documents from those of grade 0, so that the difference as judged so far may "
        f"lie beyond the distance, here {count(int(beyond.sum()), 'time')}"
        for task, beyond in zip(tasks, np.abs(found["difference"]) > furthest + ROUNDING, strict=True)
        if beyond.any()
    ]
