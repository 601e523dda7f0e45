"""Corrections of p-values for multiple comparisons."""

from __future__ import annotations

import numpy as np

from assay.errors import InputError, suggestion
from assay.model.arrays import Floats

CORRECTIONS = ("holm", "bonferroni", "bh", "none")
"""Names of the corrections."""


def adjust_p_values(p: Floats, correction: str) -> Floats:
    """Adjust the p-values of a family of m tests, so that each adjusted p-value can be compared with alpha.

    * ``bonferroni``: m p. The probability of any false positive in the family is at most alpha.
    * ``holm``: the i-th smallest p-value times m - i + 1, and at least its predecessor. It gives the same guarantee as
      Bonferroni's correction, and its adjusted p-values are never larger.
    * ``bh``: the i-th smallest p-value times m / i, and at most its successor (Benjamini & Hochberg). The expected
      fraction of false positives among the significant differences is at most alpha. Comparisons that share runs are
      dependent; the guarantee is not proven for every dependence, but holds well in practice.
    * ``none``: p.

    NaN marks comparisons that were not tested: these stay NaN and do not count in m. Adjusted p-values are at most 1.

    References
    ----------
    Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian Journal of Statistics 6, 1979.
    Benjamini & Hochberg, *Controlling the false discovery rate*, Journal of the Royal Statistical Society B 57, 1995.

    Examples
    --------
    >>> adjust_p_values(np.array([0.01, 0.04, np.nan, 0.03]), "holm").round(4).tolist()
    [0.03, 0.06, nan, 0.06]
    >>> adjust_p_values(np.array([0.01, 0.04, np.nan, 0.03]), "bh").round(4).tolist()
    [0.03, 0.04, nan, 0.04]
    """
    if correction not in CORRECTIONS:
        hint = suggestion(correction, CORRECTIONS)
        raise InputError(f"correction {correction!r}: choose one of {', '.join(CORRECTIONS)}{hint}")
    adjusted = np.array(p, dtype=np.float64)
    tested = ~np.isnan(adjusted)
    adjusted[tested] = _adjust_valid(adjusted[tested], correction)
    return adjusted


def _adjust_valid(p: Floats, correction: str) -> Floats:
    """Adjust p-values without NaN."""
    m = len(p)
    if correction == "none":
        return p
    if correction == "bonferroni":
        return np.minimum(m * p, 1.0)
    order = np.argsort(p, kind="stable")
    index = np.arange(m)
    if correction == "holm":
        ascending = np.maximum.accumulate((m - index) * p[order])
    else:
        ascending = np.minimum.accumulate((m / (index + 1) * p[order])[::-1])[::-1]
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(ascending, 1.0)
    return adjusted
