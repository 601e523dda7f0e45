"""Standardised values in plain loops; None is a missing value."""

from __future__ import annotations

from collections.abc import Sequence
from math import erf, sqrt
from statistics import mean, stdev


def standardize(value: float | None, reference: Sequence[float | None], how: str) -> float | None:
    """Standardise one value by the values of the reference runs on the same topic."""
    present = [one for one in reference if one is not None]
    if value is None or len(present) < 2:
        return None
    if how == "U":
        return sum(one <= value for one in present) / len(present)
    z = (value - mean(present)) / stdev(present) if len(set(present)) > 1 else 0.0
    if how == "z":
        return z
    return min(1.0, max(0.0, 0.15 * z + 0.5)) if how == "AB" else (1 + erf(z / sqrt(2))) / 2
