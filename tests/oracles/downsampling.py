"""Stratified downsampling of judgments (docs/guide/robustness.md) in plain loops."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import floor


def sample_size(grade: float, judged: int, percent: int) -> int:
    """Return the number of documents sampled from the *judged* documents of one topic and grade."""
    half_up = floor(Fraction(percent, 100) * judged + Fraction(1, 2))
    if grade < 0:
        return judged
    if grade > 0:
        return 0 if judged == 0 else max(1, half_up)
    return min(judged, max(10, half_up))


def expected_sample_sizes(judgments: Mapping[str, Mapping[str, float]], percent: int) -> dict[tuple[str, float], int]:
    """Return the number of sampled documents for each topic and grade."""
    sizes = {}
    for topic, documents in judgments.items():
        for grade in set(documents.values()):
            judged = sum(other == grade for other in documents.values())
            sizes[topic, float(grade)] = sample_size(grade, judged, percent)
    return sizes
