r"""Topic set size design: how many topics it takes for the paired t test to find a difference.

If the differences of two runs are normal with mean d and variance s², t over n topics has the noncentral t distribution
with n - 1 degrees of freedom and noncentrality √n d / s. The power, how likely the test says so, follows from it, and
from the power the number of topics that it takes.

References
----------
Sakai, *Topic set size design*, Information Retrieval Journal 19, 2016 (after Nagata): from the variances that a
collection shows to the number of topics of the next one. Webber, Moffat & Zobel, *Statistical power in retrieval
experimentation*, CIKM 2008.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import InputError
from assay.model.arrays import Floats, Ints
from assay.significance.differences import check_arrays, check_fraction, iterate_differences, safe_ratio

_MANY = 1e6  # topics, from which on the normal distribution is as good
_FAR = 1e4  # noncentrality from which on only the estimated deviation matters


def estimate_variances(values: Floats, pairs: Ints) -> Floats:
    """The variance of the differences of each pair of runs; NaN for fewer than two topics."""
    values, pairs = check_arrays(values, pairs)
    found = np.full(len(pairs), np.nan)
    for some in iterate_differences(values, pairs):
        with np.errstate(over="ignore"):
            found[some.pairs] = np.square(some.deviation * some.unit)
    return found


def compute_power(topics: ArrayLike, difference: ArrayLike, variance: ArrayLike, alpha: float = 0.05) -> Floats:
    """Return the power of the two-sided paired t test over *topics* for a true mean difference, at level *alpha*.

    Arguments may be arrays. Without a difference it is alpha.

    >>> compute_power(50, 0.05, 0.015).round(4).item()
    0.8078
    """
    n, d, s2 = _arrays(topics=topics, difference=difference, variance=variance)
    if (n < 2).any():
        raise InputError(f"topics must be at least 2, got {n.min():g}")
    return _power(n, _effect(d, s2), check_fraction("alpha", alpha))


def compute_topics_needed(values: Floats, pairs: Ints, alpha: float = 0.05, power: float = 0.8) -> Floats:
    """Return the number of topics needed to detect the observed difference of each pair, given its variance.

    As :func:`plan_topics`; infinite for runs with the same mean, NaN for fewer than two topics.

    >>> values = np.array([[0.5, 0.7, 0.2, 0.9], [0.4, 0.5, 0.3, 0.5], [0.4, 0.5, 0.3, 0.5]])
    >>> compute_topics_needed(values, np.array([[0, 1], [1, 2]])).tolist()
    [18.0, inf]
    """
    values, pairs = check_arrays(values, pairs)
    effect = np.full(len(pairs), np.nan)
    for some in iterate_differences(values, pairs):
        effect[some.pairs] = safe_ratio(np.abs(some.mean), some.deviation)
    _check_levels(alpha, power)
    return _topics(effect, alpha, power)


def plan_topics(difference: ArrayLike, variance: ArrayLike, alpha: float = 0.05, power: float = 0.8) -> Floats:
    """The smallest number of topics over which the paired t test finds a difference with at least this power.

    Arguments may be arrays. It is at least 2, infinite without a difference, and NaN where an argument is NaN. Beyond a
    million topics it is the normal approximation, right to a relative 1e-5.

    Parameters
    ----------
    difference
        The smallest mean difference that is to be found.
    variance
        The variance of the differences; of observed pairs, see :func:`estimate_variances`.
    alpha, power
        The level of the test, two-sided, and how likely it is to find the difference; a power above alpha.

    Examples
    --------
    >>> plan_topics([0.1, 0.05, 0.02], 0.04).tolist()
    [34.0, 128.0, 787.0]
    """
    d, s2 = _arrays(difference=difference, variance=variance)
    _check_levels(alpha, power)
    return _topics(_effect(d, s2), alpha, power)


def _topics(effect: Floats, alpha: float, power: float) -> Floats:
    from scipy.special import ndtri

    critical = ndtri(1 - alpha / 2)
    with np.errstate(divide="ignore", over="ignore"):
        estimate = np.square((critical + ndtri(power)) / effect) + critical**2 / 2
    n = np.where(estimate > _MANY, np.ceil(estimate), np.maximum(np.floor(estimate), 2.0))
    # The estimate is off by a few topics at most, first from below, then from above.
    few = n <= _MANY
    while (short := few & (_power(np.where(few, n, 2.0), effect, alpha) < power)).any():
        n[short] += 1
    while (spare := few & (n > 2) & (_power(np.where(few & (n > 2), n - 1, 2.0), effect, alpha) >= power)).any():
        n[spare] -= 1
    return n


def _power(topics: Floats, effect: Floats, alpha: float) -> Floats:
    """Of differences in standard deviations."""
    from scipy.special import chdtr, nctdtr, stdtrit

    freedom = topics - 1
    critical, shift = stdtrit(freedom, 1 - alpha / 2), np.sqrt(topics) * effect
    near = np.minimum(shift, _FAR)
    # The side on which nobody expects it underflows to NaN where it is nothing.
    there, back = nctdtr(freedom, -near, -critical), np.nan_to_num(nctdtr(freedom, near, -critical))
    with np.errstate(over="ignore"):
        far = chdtr(freedom, freedom * np.square(shift / critical))
    found = np.where(shift > _FAR, far, np.minimum(there + back, 1.0))
    return np.where(np.isnan(shift), np.nan, found)


def _effect(difference: Floats, variance: Floats) -> Floats:
    return safe_ratio(np.abs(difference), np.sqrt(variance))


def _arrays(**arguments: Any) -> list[Floats]:
    """The arguments as arrays of one shape; no variance is below 0."""
    if (np.asarray(arguments["variance"], dtype=np.float64) < 0).any():
        raise InputError(f"variance must be at least 0, got {np.min(arguments['variance']):g}")
    wide = np.broadcast_arrays(*(np.asarray(each, dtype=np.float64) for each in arguments.values()))
    return [np.array(each) for each in wide]


def _check_levels(alpha: float, power: float) -> None:
    if not check_fraction("alpha", alpha) < check_fraction("power", power):
        raise InputError(f"power must be above alpha={alpha:g}, got {power:g}")
