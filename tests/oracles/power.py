"""Discriminative power by the paired bootstrap (docs/reference/tests.md), with exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, inf


def squared_t(z: Sequence[Fraction]) -> Fraction | float:
    """Return the square of mean / (sd / sqrt(n)), with n - 1 in sd; infinite if sd = 0, but 0 if all values are 0."""
    n = len(z)
    mean = sum(z, Fraction(0)) / n
    squares = sum(((value - mean) ** 2 for value in z), Fraction(0))
    if squares == 0:
        return Fraction(0) if mean == 0 else inf
    return mean**2 * n * (n - 1) / squares


def paired_bootstrap(
    x: Sequence[float], y: Sequence[float], resamples: Sequence[Sequence[int]], alpha: float
) -> tuple[float, list[float]]:
    """Return the ASL and all possible values of Delta.

    There are several if more than one resample has the ceil(alpha B)-th largest |t|.
    """
    z = [Fraction(str(a)) - Fraction(str(b)) for a, b in zip(x, y, strict=True)]
    if all(value == 0 for value in z):
        return 1.0, []
    mean = sum(z, Fraction(0)) / len(z)
    samples = [[z[topic] - mean for topic in topics] for topics in resamples]
    statistics = [squared_t(sample) for sample in samples]
    asl = sum(value >= squared_t(z) for value in statistics) / len(statistics)
    critical = sorted(statistics, reverse=True)[ceil(Fraction(str(alpha)) * len(statistics)) - 1]
    means = [float(abs(sum(sample, Fraction(0))) / len(sample)) for sample in samples]
    return asl, [mean for mean, value in zip(means, statistics, strict=True) if value == critical]
