"""Corrections for many comparisons: what p becomes when several hypotheses are tested together."""

from __future__ import annotations

import numpy as np

from assay.errors import InputError, suggestion
from assay.model.arrays import Floats

CORRECTIONS = ("holm", "bonferroni", "bh", "none")
"""The ways to correct."""


def adjust_p_values(p: Floats, how: str) -> Floats:
    """The p-values of a family of tests, each as large as it takes to be compared with alpha by itself.

    * ``bonferroni``: m p. The chance of any false alarm in the family is at most alpha.
    * ``holm``: of the p-values in ascending order the i-th times m - i + 1, and at least its predecessor. It promises
      the same as Bonferroni's and is never larger.
    * ``bh``: of the p-values in ascending order the i-th times m / i, and at most its successor (Benjamini & Hochberg).
      Of the differences found, a share alpha is false alarms in expectation. Pairs of the same runs depend on each
      other, for which this is not proven in general, though known to hold well.
    * ``none``: p.

    Where p is NaN no test took place: it stays NaN, and does not count for m. Nothing becomes larger than 1.

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
    if how not in CORRECTIONS:
        raise InputError(f"correction {how!r}: choose one of {', '.join(CORRECTIONS)}{suggestion(how, CORRECTIONS)}")
    result = np.array(p, dtype=np.float64)
    tested = ~np.isnan(result)
    result[tested] = _adjusted(result[tested], how)
    return result


def _adjusted(p: Floats, how: str) -> Floats:
    m = len(p)
    if how == "none":
        return p
    if how == "bonferroni":
        return np.minimum(m * p, 1.0)
    order = np.argsort(p, kind="stable")
    place = np.arange(m)
    if how == "holm":
        in_order = np.maximum.accumulate((m - place) * p[order])
    else:
        in_order = np.minimum.accumulate((m / (place + 1) * p[order])[::-1])[::-1]
    result = np.empty(m)
    result[order] = np.minimum(in_order, 1.0)
    return result
