"""Notes on comparisons."""

from __future__ import annotations

import math

import numpy as np

from assay.measures import Measure
from assay.model.arrays import Floats
from assay.model.notes import join_names, pluralize
from assay.results.aggregation import GEOMETRIC_FLOOR
from assay.results.results import Results
from assay.significance.comparison import Comparison


def note_systems(results: Results, compared: Results) -> list[str]:
    """Note that systems are compared rather than runs, if they are."""
    if results is compared:
        return []
    sizes = f"{pluralize(len(compared.runs), 'system')} of {pluralize(len(results.runs), 'run')}"
    return [f"{sizes}: on each topic the mean over the runs of a system is compared; topics are the sample, not runs"]


def note_comparison(of: Comparison) -> list[str]:
    """Return the notes on each measure, on missing topics and on the test."""
    notes = []
    for number, measure in enumerate(of.results.measures):
        notes += _about(measure, of.numbers["p"][number])
        missing = np.isnan(of.results.values[number]).any(axis=0)
        if missing.any():
            which = join_names([topic for topic, gone in zip(of.results.topics, missing, strict=True) if gone])
            out = "all comparisons" if of.test.corrected else "the comparisons of runs that lack them"
            notes.append(f"{measure}: {pluralize(int(missing.sum()), 'topic')} left out of {out}: {which}")
    if of.test.corrected:
        several = of.family == "all" and len(of.results.measures) > 1
        but = ", though there are several measures" if several else ""
        notes.append(f"{of.test.name}: p is that of all pairs of runs together, and is not corrected again{but}")
    return notes + _too_few_resamples(of)


def _too_few_resamples(of: Comparison) -> list[str]:
    """Note that p cannot be small enough for so many comparisons, however much runs differ."""
    if of.test.corrected or of.correction not in ("holm", "bonferroni") or not (of.numbers["p"] <= of.least).any():
        return []
    tested = (~np.isnan(of.numbers["p"])).sum(axis=1)
    most = int(tested.sum() if of.family == "all" else tested.max())
    if not of.least or most * of.least < of.alpha:
        return []
    many = f"significant among {most} comparisons; draw more than {math.ceil(most / of.alpha)}"
    return [f"{of.test.name}: from {round(1 / of.least)} resamples no p is small enough to be {many}"]


def _about(measure: Measure, p: Floats) -> list[str]:
    """Return the notes on the comparisons of a measure."""
    notes = []
    if measure.aggregate == "geometric":
        notes.append(
            f"{measure}: logarithms of values, of at least {GEOMETRIC_FLOOR:g}, are compared; "
            "difference, low and high are differences of logarithms"
        )
    if measure.aggregate == "sum":
        notes.append(f"{measure}: a count, compared by its mean per topic")
    if measure.lower_is_better:
        notes.append(f"{measure}: lower values are better, so that a win is a lower value")
    if np.isnan(p).any():
        notes.append(f"{measure}: {pluralize(int(np.isnan(p).sum()), 'comparison')} with too few topics for a test")
    return notes
