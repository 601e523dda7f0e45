"""Differences between pairs of runs, levels of significance, and a caption on correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.model.arrays import Floats, Ints
from assay.results.sentences import list_names
from assay.significance.base import SignificanceTest


def mean_differences(values: Floats, pairs: Ints) -> Floats:
    """Return the difference of the means of each pair over the topics of both runs; NaN if they share no topic.

    *values* is runs x topics, *pairs* pairs x 2.
    """
    known = ~np.isnan(values)
    both = known[pairs[:, 0]] & known[pairs[:, 1]]
    difference = np.where(both, values[pairs[:, 0]] - values[pairs[:, 1]], 0.0).sum(axis=1)
    topics = both.sum(axis=1)
    return np.where(topics > 0, difference / np.maximum(topics, 1), np.nan)


def check_level(name: str, level: Any) -> float:
    """Return a level of significance as a float; raise an error if it is not between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0 < level < 1:
        raise InputError(f"{name} must lie between 0 and 1, such as 0.05, got {level!r}")
    return float(level)


def describe_correction(tests: Sequence[SignificanceTest]) -> str:
    """Return a caption that says if p is corrected for multiple comparisons."""
    corrected = [test.name for test in tests if test.corrected]
    sentences = [
        "Each pair is tested alone, without correction for multiple comparisons" if len(corrected) < len(tests) else "",
        f"{list_names(corrected)} correct{'s' * (len(corrected) == 1)} for all pairs" if corrected else "",
        "assay compare tests which runs differ",
    ]
    return "; ".join(filter(None, sentences)) + "."
