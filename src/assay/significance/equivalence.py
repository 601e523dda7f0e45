"""Equivalence tests: evidence that the means of two runs differ by less than a margin.

A difference that is not significant is not evidence of equivalence.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import InputError
from assay.model.arrays import Floats, Ints
from assay.significance.differences import check_arrays, iterate_differences, safe_ratio, scale_differences


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

    A relative margin r is tested as a contrast, because the mean of the baseline b is uncertain as well. The two tests
    compare the means of a - (1 - r) b and of (1 + r) b - a with 0 (for a baseline with a negative mean, -r replaces r).

    Parameters
    ----------
    values
        Runs x topics; NaN where a run has no value.
    pairs
        Pairs x 2: row indices of *values*.
    margin
        The smallest difference that matters, at least 0: one number, or one for each pair. NaN gives p = NaN.
    relative
        Interpret *margin* as a fraction of the mean of b, the baseline, over the topics of the pair.

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
        limit = limits[block.pairs, None]
        with np.errstate(over="ignore", invalid="ignore"):
            if relative:
                limit = limit * block.values_b * np.sign(block.values_b.mean(axis=1))[:, None]
            limit = np.broadcast_to(limit / block.scale[:, None], block.value.shape)
        p[block.pairs] = np.maximum(_compute_upper_p(limit + block.value), _compute_upper_p(limit - block.value))
    return p


def _compute_upper_p(contrast: Floats) -> Floats:
    """Return p of one-sided t tests of a mean above 0: 0 for an infinite mean, NaN for contrasts with NaN."""
    from scipy.special import stdtr

    p = np.where(np.isnan(contrast).any(axis=1), np.nan, 0.0)
    finite = np.isfinite(contrast).all(axis=1)
    if finite.any():
        differences = scale_differences(contrast[finite])
        p[finite] = stdtr(differences.topics - 1, -safe_ratio(differences.mean, differences.error))
    return p
