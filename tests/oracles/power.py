"""Discriminative power by the paired bootstrap (spec 12.4, A-000-17) in loops over fractions, without rounding."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, inf


def squared_t(z: Sequence[Fraction]) -> Fraction | float:
    """The square of mean / (sd / sqrt(n)), n - 1 below sd; infinite without spread, 0 if all are 0."""
    n = len(z)
    mean = sum(z, Fraction(0)) / n
    squares = sum(((value - mean) ** 2 for value in z), Fraction(0))
    if squares == 0:
        return Fraction(0) if mean == 0 else inf
    return mean**2 * n * (n - 1) / squares


def paired_bootstrap(
    x: Sequence[float], y: Sequence[float], resamples: Sequence[Sequence[int]], alpha: float
) -> tuple[float, list[float]]:
    """ASL, and what Delta may be: several resamples may have the |t| that is the ceil(alpha B)-th largest."""
    z = [Fraction(str(a)) - Fraction(str(b)) for a, b in zip(x, y, strict=True)]
    if all(value == 0 for value in z):
        return 1.0, []
    mean = sum(z, Fraction(0)) / len(z)
    drawn = [[z[topic] - mean for topic in topics] for topics in resamples]
    found = [squared_t(sample) for sample in drawn]
    asl = sum(value >= squared_t(z) for value in found) / len(found)
    critical = sorted(found, reverse=True)[ceil(Fraction(str(alpha)) * len(found)) - 1]
    means = [float(abs(sum(sample, Fraction(0))) / len(sample)) for sample in drawn]
    return asl, [mean for mean, value in zip(means, found, strict=True) if value == critical]
