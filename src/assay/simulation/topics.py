"""Topics: which documents could be retrieved for each, which are relevant, and how hard they are to find."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.simulation.documents import SimulatedDocuments
from assay.simulation.parameters import Parameters

FIRST_TOPIC = 401
RELEVANT_MEDIAN = 80.0  # at depth 1000, before the pool misses some
RELEVANT_SPREAD = 0.95
EASE_SPREAD = 0.42
BREADTH = 0.3


@dataclass(frozen=True, eq=False)
class Topic:
    """One topic and its candidate documents.

    Attributes
    ----------
    number
        The number of the topic, as TREC counts them.
    ease
        How well relevance shows for this topic: 1 for an average topic, less for a hard one.
    accord
        How much the systems agree on it: the factor of what they share.
    doc
        The candidate documents, by number.
    grade
        Their true grades.
    appeal
        How well each looks to any system, whether relevant or not.
    pull
        How much better each looks to a system that can tell relevance: 0 for what is not relevant.
    """

    number: int
    ease: float
    accord: float
    doc: np.ndarray
    grade: np.ndarray
    appeal: np.ndarray
    pull: np.ndarray

    @property
    def relevant(self) -> np.ndarray:
        """The places of the relevant candidates."""
        return np.flatnonzero(self.grade)


def draw_topic(index: int, parameters: Parameters, documents: SimulatedDocuments, rng: np.random.Generator) -> Topic:
    """Draw topic number *index* with its candidates, grades and difficulty."""
    candidates = parameters.candidates
    doc = rng.choice(len(documents.ids), size=candidates, replace=False)
    relevant = _relevant(parameters, rng)
    grade = np.zeros(candidates, dtype=np.int64)
    grade[:relevant] = _grades(relevant, parameters.grades, rng)
    own = rng.standard_normal(candidates)
    appeal = BREADTH * documents.breadth[doc] + np.sqrt(1 - BREADTH**2) * own
    ease = float(np.clip(rng.normal(1, EASE_SPREAD), 0.1, 1.9))
    accord = float(rng.uniform(0.5, 1.15))
    return Topic(FIRST_TOPIC + index, ease, accord, doc, grade, appeal, _pull(grade, parameters.grades, rng))


def _relevant(parameters: Parameters, rng: np.random.Generator) -> int:
    """Draw how many documents are relevant: log-normal, so most topics have dozens and a few have hundreds."""
    median = RELEVANT_MEDIAN * (parameters.depth / 1000) ** 0.6
    drawn = round(float(rng.lognormal(np.log(median), RELEVANT_SPREAD)))
    return int(np.clip(drawn, min(5, 1 + parameters.depth // 10), parameters.candidates // 10))


def _grades(count: int, grades: int, rng: np.random.Generator) -> np.ndarray:
    """Draw true grades from 1 up; each is rarer than the one below, by a factor that differs between topics."""
    rarer = rng.uniform(0.25, 0.55)
    weight = rarer ** np.arange(grades - 1)
    return 1 + rng.choice(grades - 1, size=count, p=weight / weight.sum())


def _pull(grade: np.ndarray, grades: int, rng: np.random.Generator) -> np.ndarray:
    """Draw how well relevance shows: better for higher grades, but some documents are hard to find for everyone."""
    relevant = np.flatnonzero(grade)
    level = np.zeros(1) if grades == 2 else (grade[relevant] - 1) / (grades - 2)
    pull = np.zeros(len(grade))
    pull[relevant] = (0.9 + 0.5 * level) * rng.gamma(5, 1 / 5, size=len(relevant))
    return pull
