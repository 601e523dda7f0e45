"""Simulated topics: candidate documents, true grades and difficulty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.simulation.documents import SimulatedDocuments
from assay.simulation.parameters import Parameters

FIRST_TOPIC = 401
RELEVANT_MEDIAN = 80.0  # median number of relevant documents of a topic at depth 1000, judged or not
RELEVANT_SPREAD = 0.95  # standard deviation of the logarithm of this number
EASE_SPREAD = 0.42
BREADTH = 0.3  # correlation of the appeal of a document with its breadth


@dataclass(frozen=True, eq=False)
class Topic:
    """One topic and its candidate documents.

    Attributes
    ----------
    number
        Topic number, from 401 as in TREC.
    ease
        Factor of the relevance signal: 1 for an average topic, less for a hard topic.
    agreement
        Factor of the variance that all systems share: higher if the systems agree on the topic.
    doc
        Document numbers of the candidates.
    grade
        True grades of the candidates.
    appeal
        Score component that all systems share, regardless of relevance.
    signal
        Score component due to relevance, for a system of quality 1: 0 for non-relevant candidates.
    """

    number: int
    ease: float
    agreement: float
    doc: np.ndarray
    grade: np.ndarray
    appeal: np.ndarray
    signal: np.ndarray

    @property
    def relevant(self) -> np.ndarray:
        """Indices of the relevant candidates."""
        return np.flatnonzero(self.grade)


def draw_topic(index: int, parameters: Parameters, documents: SimulatedDocuments, rng: np.random.Generator) -> Topic:
    """Draw the topic with this *index* (from 0): its candidates, grades and difficulty."""
    candidates = parameters.candidates
    doc = rng.choice(len(documents.ids), size=candidates, replace=False)
    relevant = _draw_relevant_count(parameters, rng)
    grade = np.zeros(candidates, dtype=np.int64)
    grade[:relevant] = _draw_grades(relevant, parameters.grades, rng)
    # The weights keep the variance of the appeal at 1.
    topic_appeal = rng.standard_normal(candidates)
    appeal = BREADTH * documents.breadth[doc] + np.sqrt(1 - BREADTH**2) * topic_appeal
    ease = float(np.clip(rng.normal(1, EASE_SPREAD), 0.1, 1.9))
    agreement = float(rng.uniform(0.5, 1.15))
    return Topic(FIRST_TOPIC + index, ease, agreement, doc, grade, appeal, _draw_signal(grade, parameters.grades, rng))


def _draw_relevant_count(parameters: Parameters, rng: np.random.Generator) -> int:
    """Draw the number of relevant documents: log-normal, so most topics have dozens and a few have hundreds."""
    median = RELEVANT_MEDIAN * (parameters.depth / 1000) ** 0.6
    count = round(float(rng.lognormal(np.log(median), RELEVANT_SPREAD)))
    return int(np.clip(count, min(5, 1 + parameters.depth // 10), parameters.candidates // 10))


def _draw_grades(count: int, grades: int, rng: np.random.Generator) -> np.ndarray:
    """Draw true grades from 1; each grade is rarer than the grade below, by a factor that differs between topics."""
    factor = rng.uniform(0.25, 0.55)
    weight = factor ** np.arange(grades - 1)
    return 1 + rng.choice(grades - 1, size=count, p=weight / weight.sum())


def _draw_signal(grade: np.ndarray, grades: int, rng: np.random.Generator) -> np.ndarray:
    """Draw the relevance signal: higher for higher grades, but low for some documents, which no system finds easily."""
    relevant = np.flatnonzero(grade)
    level = np.zeros(1) if grades == 2 else (grade[relevant] - 1) / (grades - 2)
    signal = np.zeros(len(grade))
    signal[relevant] = (0.9 + 0.5 * level) * rng.gamma(5, 1 / 5, size=len(relevant))
    return signal
