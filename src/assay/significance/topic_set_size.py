r"""Topic set size design: the number of topics that the paired t test needs to detect a difference.

Assume that the differences of two runs are normal with mean d and variance s². Then t over n topics has the noncentral
t distribution with n - 1 degrees of freedom and noncentrality √n d / s. This distribution determines the power, that
is, the probability that the test is significant. The power determines the number of topics needed.

References
----------
Sakai, *Topic set size design*, Information Retrieval Journal 19, 2016 (after Nagata), derives the number of topics of a
new collection from the variances of an existing collection. Webber, Moffat & Zobel, *Statistical power in retrieval
experimentation*, CIKM 2008.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import InputError
from assay.model.arrays import Floats, Ints
from assay.model.checks import check_fraction
from assay.significance.differences import check_arrays, iterate_differences, safe_ratio

_MAX_EXACT_TOPICS = 1e6  # with more topics the normal approximation is accurate enough
_MAX_NONCENTRALITY = 1e4  # above this, only the variation of the estimated standard deviation matters


def estimate_variances(values: Floats, pairs: Ints) -> Floats:
    """Return the variance of the differences of each pair of runs; NaN for fewer than two topics."""
    values, pairs = check_arrays(values, pairs)
    variance = np.full(len(pairs), np.nan)
    for block in iterate_differences(values, pairs):
        with np.errstate(over="ignore"):
            variance[block.pairs] = np.square(block.deviation * block.scale)
    return variance


def compute_power(topics: ArrayLike, difference: ArrayLike, variance: ArrayLike, alpha: float = 0.05) -> Floats:
    """Return the power of the two-sided paired t test over *topics* for a true mean difference, at level *alpha*.

    Arguments may be arrays. For a difference of 0 the power is alpha.

    >>> compute_power(50, 0.05, 0.015).round(4).item()
    0.8078
    """
    n, d, s2 = _broadcast(topics=topics, difference=difference, variance=variance)
    if (n < 2).any():
        raise InputError(f"topics must be at least 2, got {n.min():g}")
    return _power_of_effect(n, _standardize(d, s2), check_fraction("alpha", alpha))


def compute_topics_needed(values: Floats, pairs: Ints, alpha: float = 0.05, power: float = 0.8) -> Floats:
    """Return the number of topics needed to detect the observed difference of each pair, given its variance.

    See :func:`plan_topics`. The number is infinite for runs with the same mean, and NaN for fewer than two topics.

    >>> values = np.array([[0.5, 0.7, 0.2, 0.9], [0.4, 0.5, 0.3, 0.5], [0.4, 0.5, 0.3, 0.5]])
    >>> compute_topics_needed(values, np.array([[0, 1], [1, 2]])).tolist()
    [18.0, inf]
    """
    values, pairs = check_arrays(values, pairs)
    effect = np.full(len(pairs), np.nan)
    for block in iterate_differences(values, pairs):
        effect[block.pairs] = safe_ratio(np.abs(block.mean), block.deviation)
    _check_power(alpha, power)
    return _topics_for_effect(effect, alpha, power)


def plan_topics(difference: ArrayLike, variance: ArrayLike, alpha: float = 0.05, power: float = 0.8) -> Floats:
    """Return the smallest number of topics with which the paired t test detects a difference with at least *power*.

    Arguments may be arrays. The result is at least 2, infinite for a difference of 0, and NaN where an argument is NaN.
    Above a million topics, the result is the normal approximation, with a relative error of 1e-5.

    Parameters
    ----------
    difference
        The smallest mean difference to detect.
    variance
        The variance of the differences; :func:`estimate_variances` computes it for observed pairs.
    alpha, power
        The level of the two-sided test, and the probability of detecting the difference, which must exceed alpha.

    Examples
    --------
    >>> plan_topics([0.1, 0.05, 0.02], 0.04).tolist()
    [34.0, 128.0, 787.0]
    """
    d, s2 = _broadcast(difference=difference, variance=variance)
    _check_power(alpha, power)
    return _topics_for_effect(_standardize(d, s2), alpha, power)


def compute_detectable_difference(
    topics: ArrayLike, variance: ArrayLike, alpha: float = 0.05, power: float = 0.8, *, sides: int = 2
) -> Floats:
    """Return the smallest true mean difference that the paired t test over *topics* detects with the given power.

    Arguments may be arrays. The result is NaN for fewer than two topics. It counts only significance in the direction
    of the difference, so with very few topics the true power is slightly higher.

    Parameters
    ----------
    topics
        Number of topics.
    variance
        The variance of the differences; :func:`estimate_variances` computes it for observed pairs.
    alpha, power
        The level of the test, and the probability of detecting the difference, which must exceed alpha.
    sides
        2 for a two-sided test, 1 for a one-sided test.

    Examples
    --------
    >>> compute_detectable_difference([34, 128], 0.04).round(4).tolist()
    [0.099, 0.0499]
    """
    from scipy.special import nctdtrinc, stdtrit

    n, s2 = _broadcast(topics=topics, variance=variance)
    _check_power(alpha, power)
    n = np.where(n < 2, np.nan, n)
    return np.asarray(nctdtrinc(n - 1, 1 - power, stdtrit(n - 1, 1 - alpha / sides)) * np.sqrt(s2 / n))


def plan_one_sided_topics(effect: ArrayLike, alpha: float = 0.05, power: float = 0.8) -> Floats:
    r"""Return the smallest number of topics with which a one-sided t test shows an effect with at least *power*.

    That is the least n >= 2 with P(T' > t) >= power. T' has the noncentral t distribution with n - 1 degrees of freedom
    and noncentrality √n times *effect*, and t is the 1 - alpha quantile of Student's t. The result is infinite for an
    effect that is not positive, and NaN for NaN.

    Parameters
    ----------
    effect
        The mean divided by the standard deviation, such as a margin divided by the standard deviation of differences.
    alpha, power
        The level of the test, and the probability of showing the effect, which must exceed alpha.

    Examples
    --------
    >>> plan_one_sided_topics([0.1, 0.5]).tolist()
    [620.0, 27.0]
    """
    _check_power(alpha, power)
    return _topics_for_effect(np.maximum(np.array(effect, dtype=np.float64), 0.0), alpha, power, sides=1)


def _topics_for_effect(effect: Floats, alpha: float, power: float, sides: int = 2) -> Floats:
    """Return the number of topics needed for differences that are measured in standard deviations."""
    from scipy.special import ndtri

    critical = ndtri(1 - alpha / sides)
    with np.errstate(divide="ignore", over="ignore"):
        estimate = np.square((critical + ndtri(power)) / effect) + critical**2 / 2
    n = np.where(estimate > _MAX_EXACT_TOPICS, np.ceil(estimate), np.maximum(np.floor(estimate), 2.0))
    # The error of the normal approximation is at most a few topics. Add topics until the power suffices, then remove
    # topics that are not needed.
    is_exact = n <= _MAX_EXACT_TOPICS
    while (too_few := is_exact & (_power_of_effect(np.where(is_exact, n, 2.0), effect, alpha, sides) < power)).any():
        n[too_few] += 1
    while True:
        can_decrease = is_exact & (n > 2)
        too_many = can_decrease & (_power_of_effect(np.where(can_decrease, n - 1, 2.0), effect, alpha, sides) >= power)
        if not too_many.any():
            return n
        n[too_many] -= 1


def _power_of_effect(topics: Floats, effect: Floats, alpha: float, sides: int = 2) -> Floats:
    """Return the power of a test with one or two sides, for differences that are measured in standard deviations."""
    from scipy.special import chdtr, nctdtr, stdtrit

    freedom = topics - 1
    critical, noncentrality = stdtrit(freedom, 1 - alpha / sides), np.sqrt(topics) * effect
    bounded = np.minimum(noncentrality, _MAX_NONCENTRALITY)
    # Probabilities of significance in the direction of the effect and in the opposite direction. The second probability
    # is NaN if it underflows; it then counts as 0.
    upper = nctdtr(freedom, -bounded, -critical)
    lower = np.nan_to_num(nctdtr(freedom, bounded, -critical)) if sides == 2 else 0.0
    with np.errstate(over="ignore"):
        limit = chdtr(freedom, freedom * np.square(noncentrality / critical))
    power = np.where(noncentrality > _MAX_NONCENTRALITY, limit, np.minimum(upper + lower, 1.0))
    return np.where(np.isnan(noncentrality), np.nan, power)


def _standardize(difference: Floats, variance: Floats) -> Floats:
    """Return absolute differences divided by their standard deviation."""
    return safe_ratio(np.abs(difference), np.sqrt(variance))


def _broadcast(**arguments: Any) -> list[Floats]:
    """Return the arguments as arrays of the same shape; raise an error for a negative variance."""
    if (np.asarray(arguments["variance"], dtype=np.float64) < 0).any():
        raise InputError(f"variance must be at least 0, got {np.min(arguments['variance']):g}")
    arrays = np.broadcast_arrays(*(np.asarray(argument, dtype=np.float64) for argument in arguments.values()))
    return [np.array(array) for array in arrays]


def _check_power(alpha: float, power: float) -> None:
    if not check_fraction("alpha", alpha) < check_fraction("power", power, example=0.8):
        raise InputError(f"power must be above alpha={alpha:g}, got {power:g}")
