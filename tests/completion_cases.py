"""Small rankings with unjudged documents, and comparisons with the extremes over all their completions."""

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
from oracles.completions import Completed, Topic, build_judged

# Sets of grades, each with the number of rankings drawn from it.
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
    """Return rankings of 0 to *longest* documents, some judged; up to 3 judged documents are not retrieved."""
    rng = random.Random(f"{pool} {seed}")
    max_open = 5 if len(pool) <= 2 else 4
    drawn_topics = [Topic((), {grade: rng.randint(0, 2) for grade in pool})] if number > 2 else []
    while len(drawn_topics) < number:
        ranking = [rng.choice((None, *pool)) for _ in range(rng.randint(1, longest if pool else max_open))]
        while sum(grade is None or grade < 0 for grade in ranking) > max_open:
            ranking.pop()
        counts = {grade: ranking.count(grade) for grade in pool}
        for _ in range(rng.randint(0, 3) if pool else 0):
            counts[rng.choice(pool)] += 1
        drawn_topics.append(Topic(tuple(ranking), counts))
    return drawn_topics


def grades_of(measure: Measure, levels: Iterable[float]) -> tuple[float, ...]:
    """Return the grades that an unjudged document may have, according to the innermost measure."""
    return tuple(possible_grades(measure.core, np.array(sorted(levels), dtype=np.float64)).tolist())


@cache
def every_completion(pool: tuple[float, ...], number: int, grades: tuple[float, ...], outside: int) -> Completed:
    return Completed(topics(pool, number), pool, grades, outside)


@cache
def rankings(pool: tuple[float, ...], number: int) -> Judged:
    return build_judged(topics(pool, number), pool)


def refuses(measure: Measure, build_judged: Judged) -> bool:
    """Return whether the grades are too large for the gains of the measure."""
    try:
        measure.score(build_judged)
    except MeasureError:
        return True
    return False


def contains(interval: Interval, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return a mask of the intervals that contain the true extremes; NaN extremes require NaN endpoints."""
    scale = CLOSE * np.maximum(1, np.abs(np.where(np.isfinite(high), high, 1)))
    inside = (interval.low <= low + scale) & (interval.high >= high - scale)
    return np.where(np.isnan(low), np.isnan(interval.low) & np.isnan(interval.high), inside)


def reaches(interval: Interval, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return a mask of the intervals whose endpoints equal the true extremes."""
    same = [
        np.isclose(a, b, rtol=CLOSE, atol=CLOSE, equal_nan=True)
        for a, b in ((interval.low, low), (interval.high, high))
    ]
    return same[0] & same[1]


def long_rankings(
    levels: tuple[float, ...], number: int = 4, length: int = 60, ungraded: int = 40, seed: int = 0
) -> Judged:
    """Return rankings with mostly unjudged documents; some judged documents are not retrieved."""
    rng = random.Random(f"{levels} {seed}")
    several = []
    for _ in range(number):
        grades = [rng.choice(levels) for _ in range(length - ungraded)] + [None] * ungraded
        rng.shuffle(grades)
        several.append(Topic(tuple(grades), {grade: grades.count(grade) + rng.randint(0, 3) for grade in levels}))
    return build_judged(several, levels)
