"""Rankings of one topic written down as grades, as examples and tests have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assay.errors import InputError
from assay.model.arrays import Codes, Floats, Ints


class Written(NamedTuple):
    """The grades that there are, ascending; how many documents were judged with each; the codes of each ranking."""

    levels: Floats
    counts: Ints
    codes: list[Codes]


def written(rankings: Iterable[Sequence[float | None]], judged: Mapping[float, int] | None = None) -> Written:
    """What rankings hold; *judged* as in ``Judged.from_grades``."""
    listed = [list(ranking) for ranking in rankings]
    grades = {grade for ranking in listed for grade in ranking if grade is not None}
    if not all(map(np.isfinite, grades)):
        raise InputError("grades must be finite numbers, or None for an unjudged document")
    known = sorted(grades | set(judged or {}))
    code_of: dict[float | None, int] = {None: 0, **{grade: i + 1 for i, grade in enumerate(known)}}
    codes = [np.array([code_of[grade] for grade in ranking], dtype=np.int32) for ranking in listed]
    return Written(np.array(known, dtype=np.float64), _counts(codes, known, judged), codes)


def _counts(codes: list[Codes], known: list[float], judged: Mapping[float, int] | None) -> Ints:
    """How many documents were judged with each grade: as given, or at least as many as any ranking holds."""
    found = [np.bincount(code, minlength=len(known) + 1)[1:] for code in codes]
    if judged is None:
        return np.max(found, axis=0) if found else np.zeros(len(known), dtype=np.int64)
    counts = np.array([judged.get(grade, 0) for grade in known], dtype=np.int64)
    if any((more > counts).any() for more in found):
        raise InputError("a ranking holds more documents of a grade than were judged with it")
    return counts
