"""Helpers for comparisons of run pairs: mean differences, and a caption on correction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.results.sentences import list_names
from assay.significance.base import SignificanceTest


def mean_differences(values: Floats, pairs: Ints) -> Floats:
    """Return the mean difference of each pair of runs over the topics on which both have a value.

    It is NaN if there is no such topic. *values* is runs x topics, *pairs* is pairs x 2.
    """
    difference = values[pairs[:, 0]] - values[pairs[:, 1]]
    topic_count = (~np.isnan(difference)).sum(axis=1)
    return np.where(topic_count > 0, np.nansum(difference, axis=1) / np.maximum(topic_count, 1), np.nan)


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
