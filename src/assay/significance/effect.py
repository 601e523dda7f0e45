"""Effect sizes: differences measured in standard deviations, which do not depend on the number of topics."""

from __future__ import annotations

import numpy as np

from assay.model.arrays import Floats, Ints
from assay.significance.differences import check_arrays, iterate_differences, safe_ratio


def hedges_g(values: Floats, pairs: Ints) -> Floats:
    r"""Return Hedges' g for paired data: the mean difference divided by the standard deviation of the differences.

    .. math:: g = J(n - 1) \, \bar z / s_z, \quad
              J(v) = \frac{\Gamma(v / 2)}{\sqrt{v / 2}\, \Gamma((v - 1) / 2)} \approx 1 - \frac{3}{4 v - 1}

    where z are the differences over n topics and s is their standard deviation (divisor n - 1). g is the effect size of
    the paired t test (mean / s = t / √n) and determines the number of topics needed. J removes the bias of small
    samples, which overestimate effects on average. g is not comparable with effect sizes of independent groups. Those
    are measured in standard deviations of values, and values vary much more between topics than between runs.

    g is 0 for identical runs, infinite if all differences are the same but not 0, and NaN for fewer than three topics,
    for which J is not defined.

    Parameters
    ----------
    values
        Runs x topics; NaN where a run has no value.
    pairs
        Pairs x 2: row indices of *values*.

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
    for block in iterate_differences(values, pairs):
        if block.topics > 2:
            g[block.pairs] = _correct_bias(block.topics - 1) * safe_ratio(block.mean, block.deviation)
    return g


def _correct_bias(freedom: int) -> float:
    """Return J, the factor that makes g an unbiased estimate of the effect in the population."""
    from scipy.special import gammaln

    return float(np.exp(gammaln(freedom / 2) - gammaln((freedom - 1) / 2)) / np.sqrt(freedom / 2))
