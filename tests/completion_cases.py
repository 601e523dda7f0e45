"""Small rankings with documents that nobody judged, and what it means to agree with every completion of them."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import cache

import numpy as np

from assay.errors import MeasureError
from assay.measures import Measure
from assay.measures._possible_grades import possible_grades
from assay.model.judged import Judged
from assay.uncertainty.completions.problem import Interval
from oracles.completions import Completed, Topic, judged

# Grades in use with the number of rankings that are drawn from them.
POOLS: dict[tuple[float, ...], int] = {
    (0, 1): 9,
    (0, 1, 2): 5,
    (-1, 0, 1): 5,
    (0, 0.5, 2): 4,
    (0, 3, 1e6): 2,
    (0,): 3,
    (1,): 3,
    (-2,): 2,
    (): 3,
}
CLOSE = 1e-9


@cache
def topics(pool: tuple[float, ...], number: int, seed: int = 0, longest: int = 7) -> list[Topic]:
    """Rankings of 0 to *longest* documents, some judged, with up to 3 documents that were judged besides."""
    rng = random.Random(f"{pool} {seed}")
    most_open = 5 if len(pool) <= 2 else 4
    found = [Topic((), {grade: rng.randint(0, 2) for grade in pool})] if number > 2 else []
    while len(found) < number:
        ranking = [rng.choice((None, *pool)) for _ in range(rng.randint(1, longest if pool else most_open))]
        while sum(grade is None or grade < 0 for grade in ranking) > most_open:
            ranking.pop()
        counts = {grade: ranking.count(grade) for grade in pool}
        for _ in range(rng.randint(0, 3) if pool else 0):
            counts[rng.choice(pool)] += 1
        found.append(Topic(tuple(ranking), counts))
    return found


def grades_of(measure: Measure, levels: Iterable[float]) -> tuple[float, ...]:
    """The grades that documents may turn out to have, of the measure that counts."""
    return tuple(possible_grades(measure.core, np.array(sorted(levels), dtype=np.float64)).tolist())


@cache
def every_completion(pool: tuple[float, ...], number: int, grades: tuple[float, ...], outside: int) -> Completed:
    return Completed(topics(pool, number), pool, grades, outside)


@cache
def rankings(pool: tuple[float, ...], number: int) -> Judged:
    return judged(topics(pool, number), pool)


def refuses(measure: Measure, judged: Judged) -> bool:
    """Whether the grades are too large for the gains of the measure."""
    try:
        measure.score(judged)
    except MeasureError:
        return True
    return False


def contains(found: Interval, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Which intervals hold the true extremes; where these are no numbers, neither are the ends."""
    scale = CLOSE * np.maximum(1, np.abs(np.where(np.isfinite(high), high, 1)))
    inside = (found.low <= low + scale) & (found.high >= high - scale)
    return np.where(np.isnan(low), np.isnan(found.low) & np.isnan(found.high), inside)


def reaches(found: Interval, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Which ends are the true extremes."""
    same = [np.isclose(a, b, rtol=CLOSE, atol=CLOSE, equal_nan=True) for a, b in ((found.low, low), (found.high, high))]
    return same[0] & same[1]


def long_rankings(
    levels: tuple[float, ...], number: int = 4, length: int = 60, ungraded: int = 40, seed: int = 0
) -> Judged:
    """Rankings of which most documents are not judged, with some that were judged besides."""
    rng = random.Random(f"{levels} {seed}")
    found = []
    for _ in range(number):
        grades = [rng.choice(levels) for _ in range(length - ungraded)] + [None] * ungraded
        rng.shuffle(grades)
        found.append(Topic(tuple(grades), {grade: grades.count(grade) + rng.randint(0, 3) for grade in levels}))
    return judged(found, levels)
