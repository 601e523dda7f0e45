"""Effect sizes: how large a difference is, in standard deviations, whatever the number of topics."""

from __future__ import annotations

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.significance.differences import check_arrays, iterate_differences, safe_ratio


def hedges_g(values: Floats, pairs: Ints) -> Floats:
    r"""Hedges' g for paired data: the mean difference in standard deviations of the differences.

    .. math:: g = J(n - 1) \, \bar z / s_z, \quad
              J(v) = \frac{\Gamma(v / 2)}{\sqrt{v / 2}\, \Gamma((v - 1) / 2)} \approx 1 - \frac{3}{4 v - 1}

    with z the differences over n topics and s their standard deviation over n - 1. It is the effect size that the
    paired t test looks at (mean / s is t / √n), and decides how many topics are needed. J takes out the bias of few
    topics, which make effects look too large on average. It is not comparable with effect sizes of independent
    groups, which are in standard deviations of values: topics differ a lot more than runs do on a topic.

    It is 0 for identical runs, infinite where all differences are the same but not 0, and NaN for fewer than three
    topics, where no correction exists.

    Parameters
    ----------
    values
        Runs x topics; NaN where a topic does not count.
    pairs
        Pairs x 2: rows of *values*.

    References
    ----------
    Hedges & Olkin, *Statistical Methods for Meta-Analysis*, 1985, chapter 5 (J). Sakai, *Laboratory Experiments in
    Information Retrieval*, 2018, chapter 5 (the effect size of the paired t test).

    Examples
    --------
    >>> values = np.array([[0.5, 0.7, 0.2, 0.9], [0.4, 0.5, 0.3, 0.5]])
    >>> hedges_g(values, np.array([[0, 1], [1, 0]])).round(4).tolist()
    [0.5214, -0.5214]
    """
    values, pairs = check_arrays(values, pairs)
    g = np.full(len(pairs), np.nan)
    for some in iterate_differences(values, pairs):
        if some.topics > 2:
            g[some.pairs] = _without_bias(some.topics - 1) * safe_ratio(some.mean, some.deviation)
    return g


def _without_bias(freedom: int) -> float:
    """J: what makes the mean of g the effect in the population."""
    from scipy.special import gammaln

    return float(np.exp(gammaln(freedom / 2) - gammaln((freedom - 1) / 2)) / np.sqrt(freedom / 2))
