r"""Slices that are made from the values of the runs that are compared.

Such slices produce differences by regression to the mean. Suppose that two runs are equally good. On the topics with
low values of the first run, the second run then seems to be better, and on the topics with high values it seems to be
worse: the slices contain the noise of the first run, but not that of the second run. The difficulty of a topic must
therefore come from other runs.

* A numeric attribute with at least ``MIN_DISTINCT`` values is refused if it orders the topics like the values of a run,
  or like the differences of two runs (rank correlation of at least ``SAME_ORDER``).
* Other attributes are refused if the values of a run separate their slices: the slices can be ordered such that each
  value in a slice is below each value in the next slice, and the values in each slice differ. Small slices are
  accepted, because chance can separate them: random slices of these sizes are separated with the probability
  :math:`k! \prod n_s! / n!` for each run, pair of runs and measure, which must be at most ``LIKELIHOOD``.
* Slices that are separated by the differences of two runs are not refused, because a strong effect can separate them;
  a note warns of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from assay.errors import InputError
from assay.model.arrays import Floats, Ints
from assay.results.results import Results
from assay.results.run_pairs import pair_runs
from assay.results.slices import NONE, Slices
from assay.significance.values import prepare_values

LIKELIHOOD = 1e-4
MIN_DISTINCT = 10
SAME_ORDER = 0.999


def refuse_own_values(results: Results, slices: Slices) -> list[str]:
    """Raise an error for an attribute made from the values of a run; return notes on suspicious attributes."""
    notes = []
    position = {topic: index for index, topic in enumerate(results.topics)}
    for attribute in slices.attributes:
        if attribute in slices.overlapping:
            continue
        numbers = slices.numbers.get(attribute, {})
        known = np.array([position[topic] for topic in numbers], dtype=np.int64)
        ranks = _rank(np.array(list(numbers.values()))) if len(set(numbers.values())) >= MIN_DISTINCT else None
        groups = [np.array([position[t] for t in one.topics]) for one in slices.of(attribute) if one.name != NONE]
        can_separate = len(groups) > 1 and _log_probability(results, groups) <= math.log(LIKELIHOOD)
        if ranks is None and not can_separate:
            continue
        for name, values, is_difference in _list_values(results):
            has_same_order = ranks is not None and abs(_correlate(ranks, values[known])) >= SAME_ORDER
            is_separated = can_separate and _has_disjoint_ranges(values, groups)
            if has_same_order or (is_separated and not is_difference):
                raise InputError(
                    f"by {attribute!r}: the slices follow from {name}, so differences between slices would be "
                    "regression to the mean; choose an attribute that does not depend on the runs that are compared"
                )
            if is_separated:
                remark = "if the slices were made from it, the tests are not valid"
                notes.append(f"{attribute}: {name} separates the slices; {remark}")
    return notes


def _log_probability(results: Results, groups: list[Ints]) -> float:
    """Return the logarithm of the probability that any values separate random slices of these sizes."""
    sizes = [len(group) for group in groups]
    count = len(results.measures) * len(results.runs) * (len(results.runs) + 1) // 2
    arrangements = sum(math.lgamma(size + 1) for size in sizes) + math.lgamma(len(sizes) + 1)
    return arrangements - math.lgamma(sum(sizes) + 1) + math.log(count)


def _list_values(results: Results) -> Iterator[tuple[str, Floats, bool]]:
    """Yield the values of each run, and the differences of each pair of runs (True), with a name."""
    for index, measure in enumerate(results.measures):
        if measure.aggregate == "sum":  # Counts of relevant documents legitimately follow from their number.
            continue
        values = prepare_values(results, index)
        yield from ((f"{measure} of {run}", row, False) for run, row in zip(results.runs, values, strict=True))
        for a, b in pair_runs(results.runs).tolist():
            name = f"the difference in {measure} of {results.runs[a]} and {results.runs[b]}"
            yield name, values[a] - values[b], True


def _has_disjoint_ranges(values: Floats, groups: list[Ints]) -> bool:
    """Return True if the ranges of the values in the groups do not overlap and no group has only one value."""
    known = [column[~np.isnan(column)] for column in (values[group] for group in groups)]
    ranges = sorted((column.min(), column.max()) for column in known if len(column))
    is_disjoint = all(high < low for (_, high), (low, _) in pairwise(ranges))
    return len(ranges) > 1 and is_disjoint and all(low < high for low, high in ranges)


def _rank(values: Floats) -> Floats:
    """Return ranks; equal values share the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


def _correlate(ranks: Floats, values: Floats) -> float:
    """Return the rank correlation of an attribute and values; 0 if values are missing or equal."""
    if np.isnan(values).any():
        return 0.0
    x, y = ranks - ranks.mean(), _rank(values)
    y = y - y.mean()
    scale = math.sqrt(float((x**2).sum() * (y**2).sum()))
    return float((x * y).sum()) / scale if scale else 0.0
