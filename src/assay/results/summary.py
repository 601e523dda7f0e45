"""From the values of topics to one number for a run, with an interval."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Floats

GEOMETRIC_FLOOR = 1e-5  # trec_eval's: a topic with 0 would make every geometric mean 0


class Summary(NamedTuple):
    """One number for a run: the value, the ends of its interval (NaN if it has none), the number of topics."""

    value: float
    low: float
    high: float
    topics: int


def aggregated(values: Floats, aggregate: str) -> float:
    """The mean, sum or geometric mean over topics; NaN topics do not count, and without topics there is no mean.

    Values are added in the order of the topics, as trec_eval does, so that means agree to the last digit.

    >>> aggregated(np.array([0.2, np.nan, 0.4]), "mean")
    0.30000000000000004
    """
    counted = values[~np.isnan(values)]
    if aggregate == "sum":
        return _sum(counted)
    if aggregate == "geometric":
        return math.exp(_mean(_logs(counted)))
    return _mean(counted)


def summary(values: Floats, aggregate: str, confidence: float) -> Summary:
    """The value over topics with the interval that holds it with the given confidence (Student's t)."""
    counted = values[~np.isnan(values)]
    value = aggregated(values, aggregate)
    if aggregate == "sum" or len(counted) < 2 or not np.isfinite(counted).all():
        return Summary(value, math.nan, math.nan, len(counted))
    if aggregate == "geometric":
        logs = _logs(counted)
        margin = _margin(logs, confidence)
        return Summary(value, math.exp(_mean(logs) - margin), math.exp(_mean(logs) + margin), len(counted))
    margin = _margin(counted, confidence)
    return Summary(value, value - margin, value + margin, len(counted))


def _logs(values: Floats) -> Floats:
    return np.log(np.maximum(values, GEOMETRIC_FLOOR))


def _sum(values: Floats) -> float:
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def _mean(values: Floats) -> float:
    return _sum(values) / len(values) if len(values) else math.nan


def _margin(values: Floats, confidence: float) -> float:
    from scipy.special import stdtrit

    quantile = float(stdtrit(len(values) - 1, (1 + confidence) / 2))
    return quantile * float(np.std(values, ddof=1)) / math.sqrt(len(values))
