"""The values of a campaign as tests over all pairs of runs want them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from assay.engine.workers import Progress
from assay.errors import InputError
from assay.measures import Measure
from assay.meta.selection import best_runs
from assay.model.arrays import Floats, Ints
from assay.model.policies import Policies
from assay.results._evaluate import evaluated, prepared
from assay.results.table import Results


def matched(
    qrels: Any,
    runs: Any,
    measures: tuple[Measure, ...],
    policies: Policies,
    *,
    best: float | None,
    lenient: bool,
    progress: Progress | None,
) -> Results:
    """The values of all runs, or of the best share of them by MAP."""
    ready = prepared(qrels, runs, policies, lenient=lenient, progress=progress)
    results = evaluated(ready, measures)
    return results if best is None else results.only(best_runs(ready, best))


def every_pair(results: Results) -> Ints:
    """Pairs x 2: every two runs."""
    if len(results.runs) < 2:
        raise InputError("runs: name at least two runs to compare")
    return np.array(list(combinations(range(len(results.runs)), 2)), dtype=np.int64)


def mean_differences(values: Floats, pairs: Ints) -> Floats:
    """The difference of the means of each pair over the topics that count for both; NaN without such topics."""
    counts = ~np.isnan(values)
    both = counts[pairs[:, 0]] & counts[pairs[:, 1]]
    difference = np.where(both, values[pairs[:, 0]] - values[pairs[:, 1]], 0.0).sum(axis=1)
    topics = both.sum(axis=1)
    return np.where(topics > 0, difference / np.maximum(topics, 1), np.nan)


def checked_level(name: str, level: Any) -> float:
    """A level of significance."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0 < level < 1:
        raise InputError(f"{name} must lie between 0 and 1, such as 0.05, got {level!r}")
    return float(level)
