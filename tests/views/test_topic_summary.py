"""Tests of the median, minimum and maximum over the runs."""

from __future__ import annotations

import math
from statistics import median

import numpy as np
import pytest

from assay.views.topic_summary import summarize_topics


def summarize(column: list[float]) -> tuple[float, float, float]:
    """Return the definition: the summary of the values of one topic that are not missing."""
    values = [value for value in column if not math.isnan(value)]
    return (median(values), min(values), max(values)) if values else (math.nan,) * 3


@pytest.mark.parametrize("runs", [1, 2, 5])
def test_summary_matches_the_definition(runs: int) -> None:
    generator = np.random.default_rng(runs)
    values = generator.random((runs, 40))
    values[generator.random(values.shape) < 0.4] = np.nan
    values[:, 7] = np.nan
    expected = np.array([summarize(column) for column in values.T.tolist()])
    assert np.array_equal(np.array(summarize_topics(values)).T, expected, equal_nan=True)


def test_summary_of_no_topics() -> None:
    assert [len(part) for part in summarize_topics(np.empty((3, 0)))] == [0, 0, 0]
