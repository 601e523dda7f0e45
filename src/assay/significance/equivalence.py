"""Equivalence tests: evidence that the means of two runs differ by less than a margin.

A difference that is not significant is not evidence of equivalence.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import InputError
from assay.model.arrays import Floats, Ints
from assay.significance.differences import check_arrays, iterate_differences, safe_ratio


def tost(values: Floats, pairs: Ints, margin: ArrayLike, *, relative: bool = False) -> Floats:
    r"""Return p of two one-sided paired t tests (TOST): a small p shows that the means differ by less than the margin.

    The null hypothesis is that the absolute difference of means is at least the margin m. It is tested by two one-sided
    t tests with the statistics

    .. math:: t_1 = \frac{\bar z + m}{s_z / \sqrt n} \quad\text{and}\quad t_2 = \frac{\bar z - m}{s_z / \sqrt n}

    where z are the differences over n topics and s is their standard deviation. The first test is significant if the
    difference is clearly above -m, the second if it is clearly below m. Both must be significant, so p is the larger of
    their p-values, P(T >= t1) and P(T <= t2), with n - 1 degrees of freedom. p is below alpha if and only if the 1 - 2
    alpha confidence interval of the mean difference lies between -m and m. If all differences are the same, p is 0
    within the margin and 1 outside it. p is NaN for fewer than two topics.

    Parameters
    ----------
    values
        Runs x topics; NaN where a run has no value.
    pairs
        Pairs x 2: row indices of *values*.
    margin
        The smallest difference that matters, at least 0: one number, or one for each pair. NaN gives p = NaN.
    relative
        Interpret *margin* as a fraction of the mean of b, the baseline, over the topics of the pair. The mean is
        treated as known.

    References
    ----------
    Schuirmann, *A comparison of the two one-sided tests procedure and the power approach for assessing the equivalence
    of average bioavailability*, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987.

    Examples
    --------
    >>> values = np.array([[0.50, 0.70, 0.21, 0.90], [0.51, 0.68, 0.20, 0.91]])
    >>> pair = np.array([[0, 1]])
    >>> tost(values, pair, 0.05).round(4).tolist(), tost(values, pair, 0.01).round(4).tolist()
    ([0.004], [0.1955])
    """
    values, pairs = check_arrays(values, pairs)
    limits = np.broadcast_to(np.asarray(margin, dtype=np.float64), len(pairs))
    if (limits < 0).any():
        raise InputError(f"margin must be at least 0, got {np.nanmin(limits):g}")
    p = np.full(len(pairs), np.nan)
    for block in iterate_differences(values, pairs):
        limit = limits[block.pairs] * (np.abs(block.values_b.mean(axis=1)) if relative else 1.0)
        with np.errstate(over="ignore"):
            limit = limit / block.scale
        p[block.pairs] = _larger_p(block.mean, block.error, limit, block.topics - 1)
    return p


def _larger_p(mean: Floats, error: Floats, margin: Floats, freedom: int) -> Floats:
    """Return the larger p of the two one-sided tests."""
    from scipy.special import stdtr

    return np.maximum(
        stdtr(freedom, -safe_ratio(mean + margin, error)), stdtr(freedom, safe_ratio(mean - margin, error))
    )
