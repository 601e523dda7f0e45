"""Notes on distances that are bounds, and on distances that are aggregated differently from values."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.distance._med.dispatch import Task
from assay.distance._med.interface import subtract_values
from assay.model.arrays import ROUNDING, Floats
from assay.model.notes import pluralize


def build_notes(method: str, tasks: list[Task], extremes: Mapping[str, Floats]) -> tuple[str, ...]:
    """Return the notes on a report.

    *extremes* maps field names of ``MedReport`` to arrays (measures x pairs x topics).
    """
    return (
        *_lower_bound_notes(method, tasks),
        *_aggregation_notes(tasks),
        *_interval_notes(tasks, extremes),
        *_excess_notes(tasks, extremes),
    )


def _lower_bound_notes(method: str, tasks: list[Task]) -> list[str]:
    if method not in ("greedy", "greedy-on", "tabu"):
        return []
    names = ", ".join(str(task.measure) for task in tasks)
    return [f"{names}: {method} finds a lower bound of the distance, which may be less than the distance"]


def _interval_notes(tasks: list[Task], extremes: Mapping[str, Floats]) -> list[str]:
    """Note distances that are known only as intervals."""
    low, high = (np.maximum(extremes[f"up{end}"], extremes[f"down{end}"]) for end in ("", "_bound"))
    inexact = (subtract_values(high, low) > ROUNDING) & np.isfinite(high)
    return [
        f"{task.measure}: the exact distance is not known in {int(mask.sum())} of {pluralize(mask.size, 'case')}; it "
        "lies between low and high, and med is low"
        for task, mask in zip(tasks, inexact, strict=True)
        if mask.any()
    ]


def _aggregation_notes(tasks: list[Task]) -> list[str]:
    """Note measures whose values are not aggregated by their mean over topics, because distances always are."""
    aggregate_names = {"geometric": "geometric mean", "sum": "sum"}
    return [
        f"{task.measure}: distances are aggregated by their mean over topics, not by the {aggregate_names[aggregate]}"
        for task in tasks
        if (aggregate := task.measure.aggregate) in aggregate_names
    ]


def _excess_notes(tasks: list[Task], extremes: Mapping[str, Floats]) -> list[str]:
    """Note differences larger than the distance: some measures distinguish unjudged documents from grade 0."""
    distance = np.maximum(extremes["up_bound"], extremes["down_bound"])
    return [
        f"{task.measure}: distinguishes unjudged documents from documents of grade 0, so the difference with the "
        f"current judgments may exceed the distance; this occurs {pluralize(int(exceeds.sum()), 'time')}"
        for task, exceeds in zip(tasks, np.abs(extremes["difference"]) > distance + ROUNDING, strict=True)
        if exceeds.any()
    ]
