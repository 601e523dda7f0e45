"""Equivalence: that two runs are as good as each other, which "not significant" does not say."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import InputError
from assay.model.arrays import Floats, Ints
from assay.significance.differences import check_arrays, iterate_differences, safe_ratio


def tost(values: Floats, pairs: Ints, margin: ArrayLike, *, relative: bool = False) -> Floats:
    r"""Two one-sided tests (TOST) by the paired t: a small p says that the means differ by less than the margin.

    The hypothesis is that the difference of means is at least the margin m in one direction or the other; it is
    rejected if both

    .. math:: t_1 = \frac{\bar z + m}{s_z / \sqrt n} \quad\text{and}\quad t_2 = \frac{\bar z - m}{s_z / \sqrt n}

    reject their side, so that p is the larger of P(T >= t1) and P(T <= t2) with n - 1 degrees of freedom. p < alpha is
    the same as an interval of the confidence 1 - 2 alpha that lies within the margin. Without spread p is 0 within the
    margin, and 1 beyond it. It is NaN for fewer than two topics.

    Parameters
    ----------
    values
        Runs x topics; NaN where a topic does not count.
    pairs
        Pairs x 2: rows of *values*.
    margin
        The difference from which on runs are not as good as each other, at least 0: one number, or one for each pair.
        With NaN there is no p.
    relative
        Whether *margin* is a share of the mean of b, the baseline, over the topics of the pair, taken as known.

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
    for some in iterate_differences(values, pairs):
        limit = limits[some.pairs] * (np.abs(some.base.mean(axis=1)) if relative else 1.0)
        with np.errstate(over="ignore"):
            limit = limit / some.unit
        p[some.pairs] = _larger_side(some.mean, some.error, limit, some.topics - 1)
    return p


def _larger_side(mean: Floats, error: Floats, margin: Floats, freedom: int) -> Floats:
    from scipy.special import stdtr

    return np.maximum(
        stdtr(freedom, -safe_ratio(mean + margin, error)), stdtr(freedom, safe_ratio(mean - margin, error))
    )
