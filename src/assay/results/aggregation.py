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


def compute_weighted_mean(values: Floats, weights: Floats, aggregate: str, confidence: float) -> Aggregate:
    r"""Return the weighted mean over topics with its confidence interval; sums are not weighted.

    .. math:: \bar x = \sum w_t x_t / W, \quad W = \sum w_t, \quad Q = \sum w_t^2, \quad
        s^2 = \frac{\sum w_t^2 (x_t - \bar x)^2}{W^2} \cdot \frac{Q}{Q - 2 \sum w_t^3 / W + Q^2 / W^2}

    The interval is :math:`\bar x \mp t(\nu) s`. The first factor of :math:`s^2` is the variance of a ratio estimator
    (Cochran 1977, chapter 6); the second makes it unbiased for topics with equal variances. The degrees of freedom are
    :math:`\nu = W^2 / Q - 1`, the effective number of topics (Kish 1965) minus 1. With equal weights, this is Student's
    interval. The weights are fixed: the interval does not contain their uncertainty. Topics with the value NaN or the
    weight 0 are skipped. There is no interval if the effective number of topics is 1.

    References
    ----------
    Cochran, *Sampling Techniques*, 3rd edition, 1977. Kish, *Survey Sampling*, 1965.

    >>> compute_weighted_mean(np.array([0.25, 0.5, 1.0]), np.array([1.0, 1.0, 2.0]), "mean", 0.95).value
    0.6875
    """
    counts = ~np.isnan(values) & (weights > 0)
    if aggregate == "sum" or not counts.any():
        return aggregate_with_interval(values[counts] if aggregate != "sum" else values, aggregate, confidence)
    # Scaled weights do not overflow when they are cubed.
    x, w = values[counts], weights[counts] / weights[counts].max()
    x = _logs(x) if aggregate == "geometric" else x
    mean = float((w * x).sum() / w.sum())
    margin = _weighted_margin(x, w, mean, confidence)
    value, low, high = mean, mean - margin, mean + margin
    if aggregate == "geometric":
        with np.errstate(over="ignore"):
            value, low, high = (float(np.exp(number)) for number in (value, low, high))
    return Aggregate(value, low, high, len(x))


def _weighted_margin(x: Floats, w: Floats, mean: float, confidence: float) -> float:
    """Return half the width of the confidence interval of a weighted mean; NaN if there is none."""
    total, squares, cubes = (float((w**power).sum()) for power in (1, 2, 3))
    effective = total**2 / squares
    if effective - 1 <= 1e-9 or not np.isfinite(x).all():
        return math.nan
    from scipy.special import stdtrit

    correction = squares / (squares - 2 * cubes / total + squares**2 / total**2)
    variance = float((w**2 * (x - mean) ** 2).sum()) / total**2 * correction
    return float(stdtrit(effective - 1, (1 + confidence) / 2)) * math.sqrt(variance)


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
