"""Helpers for comparisons of run pairs: mean differences, significance levels, and a caption on correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.model.arrays import Floats, Ints
from assay.results.sentences import list_names
from assay.significance.base import SignificanceTest


def mean_differences(values: Floats, pairs: Ints) -> Floats:
    """Return the mean difference of each pair of runs over the topics on which both have a value.

    It is NaN if there is no such topic. *values* is runs x topics, *pairs* is pairs x 2.
    """
    known = ~np.isnan(values)
    both = known[pairs[:, 0]] & known[pairs[:, 1]]
    difference = np.where(both, values[pairs[:, 0]] - values[pairs[:, 1]], 0.0).sum(axis=1)
    topic_count = both.sum(axis=1)
    return np.where(topic_count > 0, difference / np.maximum(topic_count, 1), np.nan)


def check_level(name: str, level: Any) -> float:
    """Return a significance level as a float; raise an error if it is not between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0 < level < 1:
        raise InputError(f"{name} must lie between 0 and 1, such as 0.05, got {level!r}")
    return float(level)


def describe_correction(tests: Sequence[SignificanceTest]) -> str:
    """Return a caption that states whether p-values are corrected for multiple comparisons."""
    corrected = [test.name for test in tests if test.corrected]
    uncorrected = [test.name for test in tests if not test.corrected]
    subject = f"p-values of {list_names(uncorrected)}" if corrected and uncorrected else "p-values"
    sentences = [
        f"{subject} are not corrected for multiple comparisons" if uncorrected else "",
        f"{list_names(corrected)} correct{'s' * (len(corrected) == 1)} for all pairs" if corrected else "",
        "assay compare tests which runs differ",
    ]
    return "; ".join(filter(None, sentences)) + "."
