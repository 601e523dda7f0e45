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
    """Return a note if systems are compared instead of runs."""
    if results is compared:
        return []
    counts = f"{pluralize(len(results.runs), 'run')} of {pluralize(len(compared.runs), 'system')}"
    mean = "each system is represented by the mean of its runs on each topic"
    return [f"{counts}: {mean}; topics, not runs, are the sample"]


def note_comparison(comparison: Comparison) -> list[str]:
    """Return the notes on each measure, on missing topics and on the test."""
    results, test = comparison.results, comparison.test
    notes = []
    for index, measure in enumerate(results.measures):
        notes += _note_measure(measure, comparison.numbers["p"][index])
        missing = np.isnan(results.values[index]).any(axis=0)
        if missing.any():
            names = join_names([topic for topic, excluded in zip(results.topics, missing, strict=True) if excluded])
            comparisons = "all comparisons" if test.corrected else "comparisons of runs without a value"
            notes.append(f"{measure}: {pluralize(int(missing.sum()), 'topic')} excluded from {comparisons}: {names}")
    if test.corrected:
        all_measures = comparison.family == "all" and len(results.measures) > 1
        addition = ", not even for the number of measures" if all_measures else ""
        notes.append(f"{test.name}: p holds for all pairs of runs together and is not corrected further{addition}")
    return notes + _note_resamples(comparison)


def _note_resamples(comparison: Comparison) -> list[str]:
    """Return a note if there are too few resamples for any difference to be significant after the correction."""
    p, least = comparison.numbers["p"], comparison.least
    is_strict = comparison.correction in ("holm", "bonferroni") and not comparison.test.corrected
    if not is_strict or not (p <= least).any():
        return []
    tested_counts = (~np.isnan(p)).sum(axis=1)
    comparison_count = int(tested_counts.sum() if comparison.family == "all" else tested_counts.max())
    if not least or comparison_count * least < comparison.alpha:
        return []
    needed = math.ceil(comparison_count / comparison.alpha)
    problem = f"with {round(1 / least)} resamples, none of {comparison_count} comparisons can be significant"
    return [f"{comparison.test.name}: {problem}; draw more than {needed} resamples"]


def _note_measure(measure: Measure, p: Floats) -> list[str]:
    """Return the notes on the comparisons by one measure."""
    notes = []
    if measure.aggregate == "geometric":
        notes.append(
            f"{measure}: compared on log(max(value, {GEOMETRIC_FLOOR:g})); "
            "difference, low and high are differences of logarithms"
        )
    if measure.aggregate == "sum":
        notes.append(f"{measure}: a count, compared by its mean per topic")
    if measure.lower_is_better:
        notes.append(f"{measure}: lower values are better, so a win is a lower value")
    if np.isnan(p).any():
        notes.append(f"{measure}: {pluralize(int(np.isnan(p).sum()), 'comparison')} with too few topics for a test")
    return notes
