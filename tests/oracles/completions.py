"""Completions of the judgments by their definition: every grade for every unjudged document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement, product
from typing import NamedTuple

import numpy as np

from assay.measures import Measure
from assay.model.judged import Judged


class Topic(NamedTuple):
    """One ranking (None: an unjudged document) and the number of judged documents of its topic by grade."""

    ranking: tuple[float | None, ...]
    counts: dict[float, int]


def completions(topic: Topic, grades: Iterable[float], outside: int) -> Iterator[Topic]:
    """Yield every completion of a topic, with up to *outside* additional documents of positive grades."""
    grades = list(grades)
    open_positions = [i for i, grade in enumerate(topic.ranking) if grade is None or grade < 0]
    for labels in product(grades, repeat=len(open_positions)):
        ranking, counts = list(topic.ranking), dict(topic.counts)
        for position, label in zip(open_positions, labels, strict=True):
            if (old := ranking[position]) is not None:
                counts[old] -= 1
            ranking[position] = label
            counts[label] = counts.get(label, 0) + 1
        for number in range(outside + 1):
            for more in combinations_with_replacement([grade for grade in grades if grade > 0], number):
                yield Topic(tuple(ranking), add_documents(counts, more))


def add_documents(counts: dict[float, int], more: Iterable[float]) -> dict[float, int]:
    """Return the counts with one more document of each grade in *more*."""
    total = dict(counts)
    for grade in more:
        total[grade] = total.get(grade, 0) + 1
    return total


def build_judged(topics: Iterable[Topic], levels: Iterable[float], depth: int | None = None) -> Judged:
    """Return all rankings as one Judged, each with its own topic."""
    several, levels = list(topics), sorted(levels)
    code = {None: 0, **{grade: i + 1 for i, grade in enumerate(levels)}}
    counts = [[topic.counts.get(grade, 0) for grade in levels] for topic in several]
    return Judged(
        levels=np.array(levels, dtype=np.float64),
        counts=np.array(counts, dtype=np.int64).reshape(len(several), len(levels)),
        topic=np.arange(len(several)),
        start=np.cumsum([0, *(len(topic.ranking) for topic in several)]),
        code=np.array([code[grade] for topic in several for grade in topic.ranking], dtype=np.int64),
        answered=np.array([len(topic.ranking) > 0 for topic in several], dtype=bool),
        depth=depth,
    )


class Completed:
    """All completions of several rankings."""

    def __init__(self, topics: list[Topic], levels: Iterable[float], grades: Iterable[float], outside: int) -> None:
        every = [list(completions(topic, grades, outside)) for topic in topics]
        depth = max(len(topic.ranking) for topic in topics)
        self.first = np.cumsum([0, *map(len, every)])
        self.judged = build_judged([one for several in every for one in several], {*levels, *grades}, depth)

    def values(self, measure: Measure) -> list[np.ndarray]:
        """Return the values of all completions of each ranking, without NaN; 0 if nothing is relevant."""
        value = np.where(measure.is_defined(self.judged), measure.score(self.judged), 0.0)
        return [part[~np.isnan(part)] for part in np.split(value, self.first[1:-1])]

    def extremes(self, measure: Measure) -> tuple[np.ndarray, np.ndarray]:
        """Return the smallest and the largest value of each ranking; NaN if there are no values."""
        values = self.values(measure)
        return (
            np.array([part.min() if len(part) else np.nan for part in values]),
            np.array([part.max() if len(part) else np.nan for part in values]),
        )


def extremes(measure: Measure, topic: Topic, grades: Iterable[float], outside: int = 0) -> tuple[float, float]:
    """Return the smallest and the largest value of one ranking."""
    low, high = Completed([topic], topic.counts, list(grades), outside).extremes(measure)
    return float(low[0]), float(high[0])
