"""Judged rankings of one topic from literal lists of grades, for examples and tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assay.errors import InputError
from assay.model.arrays import Codes, Floats, Ints


class EncodedGrades(NamedTuple):
    """Distinct grades, ascending; number of documents judged with each; codes of each ranking."""

    levels: Floats
    counts: Ints
    codes: list[Codes]


def encode_grades(
    rankings: Iterable[Sequence[float | None]], judged: Mapping[float, int] | None = None
) -> EncodedGrades:
    """Encode rankings as grade codes; *judged* is as in ``Judged.from_grades``."""
    listed = [list(ranking) for ranking in rankings]
    grades = {grade for ranking in listed for grade in ranking if grade is not None}
    if not all(map(np.isfinite, grades)):
        raise InputError("grades must be finite numbers, or None for an unjudged document")
    known = sorted(grades | set(judged or {}))
    code_of: dict[float | None, int] = {None: 0, **{grade: i + 1 for i, grade in enumerate(known)}}
    codes = [np.array([code_of[grade] for grade in ranking], dtype=np.int32) for ranking in listed]
    return EncodedGrades(np.array(known, dtype=np.float64), _counts(codes, known, judged), codes)


def _counts(codes: list[Codes], known: list[float], judged: Mapping[float, int] | None) -> Ints:
    """Return the number of documents judged with each grade: as given, or the largest number in any ranking."""
    retrieved = [np.bincount(code, minlength=len(known) + 1)[1:] for code in codes]
    if judged is None:
        return np.max(retrieved, axis=0) if retrieved else np.zeros(len(known), dtype=np.int64)
    counts = np.array([judged.get(grade, 0) for grade in known], dtype=np.int64)
    if any((more > counts).any() for more in retrieved):
        raise InputError("a ranking holds more documents of a grade than were judged with it")
    return counts
