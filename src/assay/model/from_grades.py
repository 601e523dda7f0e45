"""Judged rankings of one topic from literal lists of grades, for examples and tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assay.errors import InputError
from assay.model.arrays import Codes, Floats, Ints


class EncodedGrades(NamedTuple):
    """Distinct grades, ascending; number of documents judged with each grade; codes of each ranking."""

    levels: Floats
    counts: Ints
    codes: list[Codes]


def encode_grades(
    rankings: Iterable[Sequence[float | None]], judged: Mapping[float, int] | None = None
) -> EncodedGrades:
    """Encode rankings as grade codes; *judged* is as in ``Judged.from_grades``."""
    lists = [list(ranking) for ranking in rankings]
    grades = {grade for ranking in lists for grade in ranking if grade is not None}
    if not all(map(np.isfinite, grades)):
        raise InputError("grades must be finite numbers, or None for an unjudged document")
    levels = sorted(grades | set(judged or {}))
    code_of: dict[float | None, int] = {None: 0, **{grade: i + 1 for i, grade in enumerate(levels)}}
    codes = [np.array([code_of[grade] for grade in ranking], dtype=np.int32) for ranking in lists]
    return EncodedGrades(np.array(levels, dtype=np.float64), _count_judged(codes, levels, judged), codes)


def _count_judged(codes: list[Codes], levels: list[float], judged: Mapping[float, int] | None) -> Ints:
    """Return the number of documents judged with each grade: *judged*, or the largest number in any ranking."""
    retrieved = [np.bincount(code, minlength=len(levels) + 1)[1:] for code in codes]
    if judged is None:
        return np.max(retrieved, axis=0) if retrieved else np.zeros(len(levels), dtype=np.int64)
    counts = np.array([judged.get(grade, 0) for grade in levels], dtype=np.int64)
    if any((ranking_counts > counts).any() for ranking_counts in retrieved):
        raise InputError("a ranking holds more documents of a grade than were judged with it")
    return counts
