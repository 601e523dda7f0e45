"""Pairs of runs, for tests that compare every two of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.model.arrays import Floats, Ints
from assay.results.results import Results
from assay.significance.base import SignificanceTest


def every_pair(results: Results) -> Ints:
    """Return pairs x 2: every two runs."""
    if len(results.runs) < 2:
        raise InputError("runs: name at least two runs to compare")
    return np.array(list(combinations(range(len(results.runs)), 2)), dtype=np.int64)


def mean_differences(values: Floats, pairs: Ints) -> Floats:
    """Return the difference of the means of each pair over the topics that both have; NaN without such topics."""
    counts = ~np.isnan(values)
    both = counts[pairs[:, 0]] & counts[pairs[:, 1]]
    difference = np.where(both, values[pairs[:, 0]] - values[pairs[:, 1]], 0.0).sum(axis=1)
    topics = both.sum(axis=1)
    return np.where(topics > 0, difference / np.maximum(topics, 1), np.nan)


def check_level(name: str, level: Any) -> float:
    """Return a level of significance; one that is not between 0 and 1 is refused."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0 < level < 1:
        raise InputError(f"{name} must lie between 0 and 1, such as 0.05, got {level!r}")
    return float(level)


def describe_correction(tests: Sequence[SignificanceTest]) -> str:
    """Say which pairs a p refers to, in tables that compare measures rather than runs."""
    together = [test.name for test in tests if test.corrected]
    alone = len(together) < len(tests)
    sentences = [
        "Each pair is tested alone, without correction for many comparisons" if alone else "",
        f"{', '.join(together)} corrects for all pairs" if together else "",
        "assay compare tests which runs differ",
    ]
    return "; ".join(filter(None, sentences)) + "."
