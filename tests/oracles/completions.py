"""Completions of the judgments by their definition: every grade for every document without one, one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement, product
from typing import NamedTuple

import numpy as np

from assay.measures import Measure
from assay.model.judged import Judged


class Topic(NamedTuple):
    """One ranking (None is an unjudged document) and how many documents of its topic were judged with each grade."""

    ranking: tuple[float | None, ...]
    counts: dict[float, int]


def completions(topic: Topic, grades: Iterable[float], outside: int) -> Iterator[Topic]:
    """Every topic that the judgments allow, with up to *outside* more documents of a positive grade."""
    grades = list(grades)
    open_places = [i for i, grade in enumerate(topic.ranking) if grade is None or grade < 0]
    for labels in product(grades, repeat=len(open_places)):
        ranking, counts = list(topic.ranking), dict(topic.counts)
        for place, label in zip(open_places, labels, strict=True):
            if (old := ranking[place]) is not None:
                counts[old] -= 1
            ranking[place] = label
            counts[label] = counts.get(label, 0) + 1
        for number in range(outside + 1):
            for more in combinations_with_replacement([grade for grade in grades if grade > 0], number):
                yield Topic(tuple(ranking), add_documents(counts, more))


def add_documents(counts: dict[float, int], more: Iterable[float]) -> dict[float, int]:
    """With one more document of each of these grades."""
    total = dict(counts)
    for grade in more:
        total[grade] = total.get(grade, 0) + 1
    return total


def build_judged(topics: Iterable[Topic], levels: Iterable[float], depth: int | None = None) -> Judged:
    """All rankings in one, each with a topic of its own."""
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
    """All completions of several rankings, to be scored by any measure."""

    def __init__(self, topics: list[Topic], levels: Iterable[float], grades: Iterable[float], outside: int) -> None:
        every = [list(completions(topic, grades, outside)) for topic in topics]
        depth = max(len(topic.ranking) for topic in topics)
        self.first = np.cumsum([0, *map(len, every)])
        self.judged = build_judged([one for several in every for one in several], {*levels, *grades}, depth)

    def values(self, measure: Measure) -> list[np.ndarray]:
        """The values of each ranking, 0 where the topic has nothing relevant; those that are no numbers left out."""
        value = np.where(measure.defined(self.judged), measure.score(self.judged), 0.0)
        return [part[~np.isnan(part)] for part in np.split(value, self.first[1:-1])]

    def extremes(self, measure: Measure) -> tuple[np.ndarray, np.ndarray]:
        """The smallest and the largest value of each ranking; NaN if there is none."""
        values = self.values(measure)
        return (
            np.array([part.min() if len(part) else np.nan for part in values]),
            np.array([part.max() if len(part) else np.nan for part in values]),
        )


def extremes(measure: Measure, topic: Topic, grades: Iterable[float], outside: int = 0) -> tuple[float, float]:
    """The smallest and the largest value of one ranking."""
    low, high = Completed([topic], topic.counts, list(grades), outside).extremes(measure)
    return float(low[0]), float(high[0])
