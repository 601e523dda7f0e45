"""Users: the effort that rankings demand, and the shapes of their curves, in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.effort._against_gain import MIN_POINTS
from assay.effort.archetypes import NAMES
from assay.views.report.context import ReportContext
from assay.views.report.figures import Figures
from assay.views.report.section import Content
from assay.views.report.sections.effort import find_least_effort

RECOVERIES = {
    "ideal": ("ideal",),
    "early": ("ups-and-downs", "excellent A", "excellent B"),
    "late": ("typical A", "full-scale"),
    "never": ("typical B",),
    "empty": ("worst",),
}
"""Archetypes by the rank at which the ranking makes up for misplaced documents: by rank R, later, or never."""


def compute(context: ReportContext, _: Figures) -> Content:
    """Describe the effort of the winner, and of the baseline."""
    if not (context.effort.relevant > 0).any():
        return "No topic has relevant documents, so there is no effort to measure."
    shown = [context.candidate] if context.baseline is None else [context.candidate, context.baseline]
    return {
        "described": [describe_run(context, run) for run in shown],
        "least_effort": find_least_effort(context),
        "has_details": "effort" in context.settings.sections,
    }


def describe_run(context: ReportContext, run: int) -> dict[str, Any]:
    """Return the mean Twist of a run, the number of rankings by recovery, and its shares of gain and effort."""
    kinds = context.effort.archetypes[run]
    twist = context.effort.means()["twist"].to_numpy()[run]
    counts = {
        group: int(np.isin(kinds, [NAMES.index(name) for name in names]).sum()) for group, names in RECOVERIES.items()
    }
    return {
        "run": context.run_name(run),
        "twist": None if np.isnan(twist) else float(twist),
        "rankings": sum(counts.values()),
        **counts,
        "gain": describe_gain(context, run),
    }


def describe_gain(context: ReportContext, run: int) -> dict[str, Any] | None:
    """Return the shares of the topics with much gain at little effort, and at much effort; None with few points."""
    against_gain = context.against_gain
    if against_gain is None or (against_gain.row >= 0).any(axis=0).sum() < MIN_POINTS:
        return None
    measure = against_gain.measures[0]
    classes = against_gain.classes(per_run=True).filter(pl.col("measure") == str(measure))
    row = classes.row(run, named=True)
    if not row["points"]:
        return None
    return {"measure": measure, **{name: row[name] for name in ("points", "upper_right", "high_high")}}
