"""Tests whether a difference depends on the slice, and weighted means (docs/guide/slices.md): slow and obvious."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import fmean, variance

from scipy import stats


def welch(slices: Sequence[Sequence[float]]) -> tuple[float, float, float, float]:
    """Return F, both degrees of freedom and p of Welch's test."""
    k = len(slices)
    weights = [len(d) / variance(d) for d in slices]
    centre = sum(w * fmean(d) for w, d in zip(weights, slices, strict=True)) / sum(weights)
    rest = sum((1 - w / sum(weights)) ** 2 / (len(d) - 1) for w, d in zip(weights, slices, strict=True))
    between = sum(w * (fmean(d) - centre) ** 2 for w, d in zip(weights, slices, strict=True)) / (k - 1)
    f = between / (1 + 2 * (k - 2) * rest / (k**2 - 1))
    df1, df2 = k - 1, (k**2 - 1) / (3 * rest)
    return f, df1, df2, float(stats.f.sf(f, df1, df2))


def brown_forsythe(slices: Sequence[Sequence[float]]) -> tuple[float, float, float, float]:
    """Return F, both degrees of freedom and p of the test of Brown and Forsythe as modified by Mehrotra."""
    n = sum(map(len, slices))
    centre = fmean([d for one in slices for d in one])
    parts = [(1 - len(d) / n) * variance(d) for d in slices]
    f = sum(len(d) * (fmean(d) - centre) ** 2 for d in slices) / sum(parts)
    squares = sum(variance(d) ** 2 for d in slices)
    mean_variance = sum(len(d) / n * variance(d) for d in slices)
    mean_square = sum(len(d) / n * variance(d) ** 2 for d in slices)
    df1 = sum(parts) ** 2 / (squares + mean_variance**2 - 2 * mean_square)
    df2 = sum(parts) ** 2 / sum(c**2 / (len(d) - 1) for c, d in zip(parts, slices, strict=True))
    return f, df1, df2, float(stats.f.sf(f, df1, df2))


def weighted_interval(
    values: Sequence[float], weights: Sequence[float], confidence: float
) -> tuple[float, float, float]:
    """Return the weighted mean with its interval; sums are exact."""
    x, w = [Fraction(v) for v in values], [Fraction(v) for v in weights]
    total, squares, cubes = (sum(v**power for v in w) for power in (1, 2, 3))
    mean = sum(a * b for a, b in zip(x, w, strict=True)) / total
    ratio = sum(b**2 * (a - mean) ** 2 for a, b in zip(x, w, strict=True)) / total**2
    error = ratio * squares / (squares - 2 * cubes / total + squares**2 / total**2)
    margin = stats.t.ppf((1 + confidence) / 2, float(total**2 / squares - 1)) * math.sqrt(error)
    return float(mean), float(mean) - margin, float(mean) + margin
