"""Aggregation over topics: mean, sum or geometric mean, with a confidence interval."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Floats

GEOMETRIC_FLOOR = 1e-5
"""Lower limit of values in a geometric mean, as in trec_eval; without it, a single 0 would make the mean 0."""


class Aggregate(NamedTuple):
    """Value over topics, its confidence interval (NaN if there is none) and the number of topics."""

    value: float
    low: float
    high: float
    topics: int


def aggregate_values(values: Floats, aggregate: str) -> float:
    """Return the mean, sum or geometric mean over topics.

    Topics with the value NaN are skipped; the mean of no topics is NaN. Values are added in the order of the topics, as
    in trec_eval, so that means agree to the last digit.

    >>> aggregate_values(np.array([0.2, np.nan, 0.4]), "mean")
    0.30000000000000004
    """
    counted = values[~np.isnan(values)]
    if aggregate == "sum":
        return _sum(counted)
    if aggregate == "geometric":
        return math.exp(_mean(_logs(counted)))
    return _mean(counted)


def aggregate_with_interval(values: Floats, aggregate: str, confidence: float) -> Aggregate:
    """Return the value over topics with its confidence interval by Student's t.

    The interval of a geometric mean is computed on logarithms. Sums and fewer than two topics have no interval.
    """
    counted = values[~np.isnan(values)]
    value = aggregate_values(values, aggregate)
    if aggregate == "sum" or len(counted) < 2 or not np.isfinite(counted).all():
        return Aggregate(value, math.nan, math.nan, len(counted))
    if aggregate == "geometric":
        logs = _logs(counted)
        margin = _margin(logs, confidence)
        return Aggregate(value, math.exp(_mean(logs) - margin), math.exp(_mean(logs) + margin), len(counted))
    margin = _margin(counted, confidence)
    return Aggregate(value, value - margin, value + margin, len(counted))


def _logs(values: Floats) -> Floats:
    return np.log(np.maximum(values, GEOMETRIC_FLOOR))


def _sum(values: Floats) -> float:
    # np.sum adds pairwise, which rounds differently from trec_eval; cumsum adds one value after the other.
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def _mean(values: Floats) -> float:
    return _sum(values) / len(values) if len(values) else math.nan


def _margin(values: Floats, confidence: float) -> float:
    """Return half the width of the confidence interval of a mean, by Student's t."""
    from scipy.special import stdtrit

    quantile = float(stdtrit(len(values) - 1, (1 + confidence) / 2))
    return quantile * float(np.std(values, ddof=1)) / math.sqrt(len(values))
