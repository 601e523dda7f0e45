"""Statistics of all measures and pairs: values prepared for tests, and the correction of p."""

from __future__ import annotations

import math

import numpy as np

from assay.engine.workers import Progress, track
from assay.errors import MeasureError
from assay.model.arrays import Floats, Ints
from assay.results.aggregation import GEOMETRIC_FLOOR
from assay.results.results import Results
from assay.significance.base import SignificanceTest
from assay.significance.corrections import adjust_p_values
from assay.significance.statistics import ComparisonSettings, compute_statistics


def prepare_values(results: Results, index: int, complete_topics: bool = False) -> Floats:
    """Return the values of the measure at *index*: runs x topics; logarithms if its mean is geometric.

    With *complete_topics*, a topic counts only if all runs have a value. Tests of all runs together require this.
    """
    measure, values = results.measures[index], results.values[index]
    if np.isinf(values).any():
        run, topic = np.argwhere(np.isinf(values))[0]
        ranking = f"{results.runs[run]} on topic {results.topics[topic]}"
        raise MeasureError(f"measure '{measure}': is infinite for {ranking}, so the means of runs cannot be compared")
    if measure.aggregate == "geometric":
        values = np.log(np.maximum(values, GEOMETRIC_FLOOR))
    return np.where(np.isnan(values).any(axis=0), np.nan, values) if complete_topics else values


def compute_numbers(
    results: Results, pairs: Ints, settings: ComparisonSettings, progress: Progress | None = None
) -> dict[str, Floats]:
    """Return each statistic by name, as measures x pairs."""
    by_measure = []
    for index in track(range(len(results.measures)), progress):
        values = prepare_values(results, index, complete_topics=settings.test.corrected)
        by_measure.append(compute_statistics(values, pairs, results.measures[index], settings))
    return {name: np.array([columns[name] for columns in by_measure]) for name in by_measure[0]}


def adjust(p: Floats, test: SignificanceTest, correction: str, family: str) -> Floats:
    """Adjust p over all rows (measures) and columns together, or row by row."""
    # With B resamples, p = 0 only means p < 1 / B. A multiple of 0 would stay 0, so the bound 1 / B is adjusted
    # instead.
    bounded = np.where(p == 0, 1 / getattr(test, "resamples", math.inf), p)
    if family == "all":
        return adjust_p_values(bounded.ravel(), correction).reshape(bounded.shape)
    return np.stack([adjust_p_values(row, correction) for row in bounded])
