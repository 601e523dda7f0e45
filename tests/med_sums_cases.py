"""Small topics with several rankings, and the differences of a measure for all labels of the free documents."""

from __future__ import annotations

import json
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np

from assay.distance._med.interface import MedAlgorithm
from assay.measures import Measure
from assay.measures._possible_grades import possible_grades
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged
from assay.model.rankings import TopicRankings
from strategies import close, refuses

POOLS: tuple[tuple[float, ...], ...] = (
    (0, 1),
    (0, 1, 2),
    (0, 1, 2, 3),
    (0, 0.5, 1, 1.7, 3),
    (-2, -1, 0, 1, 2),
    (0, 1, 1e6),
    (0.25,),
    (0,),
    (1,),
    (-1,),
    (),
)
PAIRS = np.array(list(permutations(range(3), 2)))


def vectors(*ops: str) -> list[dict[str, Any]]:
    """Return the test vectors of docs/papers/med.md with these operations."""
    every = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))["vectors"]
    return [one for one in every if one["paper"] == "004" and one["inputs"].get("op") in ops]


def expected_value(vector: dict[str, Any]) -> Any:
    return vector["computed"] if vector.get("erratum") else vector["expected"]


def rankings_of(rankings: list[list[str]], grades: dict[str, Any]) -> tuple[TopicRankings, list[str]]:
    """Build rankings from lists of documents and a mapping of grades (``?``: unjudged).

    The second return value lists the documents by column.
    """
    known = {doc: float(grade) for doc, grade in grades.items() if grade != "?"}
    levels = sorted(set(known.values()))
    docs = list(dict.fromkeys(doc for ranking in rankings for doc in ranking))
    rank = np.array([[ranking.index(doc) + 1 if doc in ranking else 0 for doc in docs] for ranking in rankings])
    code = np.array([1 + levels.index(known[doc]) if doc in known else 0 for doc in docs], dtype=np.int64)
    counts = np.array([list(known.values()).count(level) for level in levels], dtype=np.int64)
    lengths = np.array([len(ranking) for ranking in rankings])
    topic = TopicRankings("t", rank.reshape(len(rankings), len(docs)), lengths, code, np.array(levels), counts, code)
    return topic, docs


def compute_med(family: MedAlgorithm, topic: TopicRankings, a: int = 0, b: int = 1) -> float:
    """Return MED of two runs: the larger of both directions, which must be exact."""
    interval = family.maximize(topic, np.array([a, b]), np.array([b, a]))
    assert (interval.low == interval.high).all()
    return float(interval.low.max())


def random_rankings(rng: np.random.Generator, pool: tuple[float, ...], depth: int, docs: int) -> TopicRankings:
    """Return three rankings of at most *depth* documents, some judged, and judged documents outside the rankings.

    A ranking may be empty, equal to another one, or a permutation of another one.
    """
    levels = np.array(sorted(pool))
    judged = rng.random(docs) < rng.choice([0.0, 0.3, 0.7, 1.0])
    code = np.where(judged, rng.integers(0, len(levels) + 1, docs), 0)
    rank = np.zeros((3, docs), dtype=np.int64)
    for row in rank:
        order = rng.permutation(docs)[: rng.integers(0, depth + 1)]
        if rng.random() < 0.3:
            order = rng.permutation(np.flatnonzero(rank[0]))
        row[order] = np.arange(1, len(order) + 1)
    outside_counts = rng.integers(0, rng.choice([1, 2, 5]), len(levels))
    counts = np.bincount(code, minlength=len(levels) + 1)[1:] + outside_counts
    return TopicRankings("t", rank, (rank > 0).sum(axis=1), code, levels, counts.astype(np.int64), np.arange(docs))


def free_documents(topic: TopicRankings, a: int, b: int) -> Ints:
    return np.flatnonzero(topic.ungraded_mask() & ((topic.rank[a] > 0) | (topic.rank[b] > 0)))


def differences(measure: Measure, topic: TopicRankings, a: int, b: int, labels: Floats) -> Floats:
    """Return M(a) - M(b) for each row of grades of the free documents."""
    levels = np.unique(np.concatenate([topic.levels, possible_grades(measure, topic.levels)]))
    code = np.tile(np.append(0, 1 + np.searchsorted(levels, topic.levels))[topic.code], (len(labels), 1))
    counts = np.zeros((len(labels), len(levels)), dtype=np.int64)
    counts[:, np.searchsorted(levels, topic.levels)] = topic.counts
    every = np.arange(len(labels))
    for doc, grade in zip(free_documents(topic, a, b), labels.T, strict=True):
        if code[0, doc]:  # it had a negative grade
            counts[:, code[0, doc] - 1] -= 1
        code[:, doc] = 1 + np.searchsorted(levels, grade)
        counts[every, code[:, doc] - 1] += 1
    values = []
    for run in (a, b):
        order = np.argsort(topic.rank[run])[len(topic.code) - topic.length[run] :]
        start = np.arange(len(labels) + 1) * len(order)
        judged = Judged(levels, counts, every, start, code[:, order].ravel(), np.ones(len(labels), dtype=bool))
        values.append(measure.score(judged))
    return np.asarray(values[0] - values[1])


def all_labels(measure: Measure, topic: TopicRankings, a: int, b: int) -> Floats:
    grades = possible_grades(measure, topic.levels).tolist()
    free = free_documents(topic, a, b)
    return np.array(list(product(grades, repeat=len(free)))).reshape(len(grades) ** len(free), len(free))


def random_cases(
    measures: tuple[Measure, ...], number: int, seed: int, most: int = 1100
) -> list[tuple[Measure, TopicRankings]]:
    """Return random topics for random measures, with at most *most* labelings of all free documents."""
    rng = np.random.default_rng(seed)
    selected: list[tuple[Measure, TopicRankings]] = []
    while len(selected) < number:
        measure, pool = measures[rng.integers(len(measures))], POOLS[rng.integers(len(POOLS))]
        topic = random_rankings(rng, pool, int(rng.integers(1, 7)), int(rng.integers(1, 10)))
        grades = possible_grades(measure, topic.levels)
        free = int(topic.ungraded_mask().sum())
        if len(grades) ** free <= most and not refuses(measure, float(grades.max())):
            selected.append((measure, topic))
    return selected


def check_maximum(family: MedAlgorithm, measure: Measure, topic: TopicRankings) -> int:
    """Check that the algorithm gives the largest difference over all labels, and labels that attain it.

    Return how many of the largest differences are negative.
    """
    interval = family.maximize(topic, PAIRS[:, 0], PAIRS[:, 1])
    negative = 0
    for (a, b), low, high in zip(PAIRS.tolist(), interval.low.tolist(), interval.high.tolist(), strict=True):
        best = float(differences(measure, topic, a, b, all_labels(measure, topic, a, b)).max())
        assert close(low, best), (measure, topic, a, b)
        assert close(high, best), (measure, topic, a, b)
        labels = family.find_labels(topic, a, b)
        graded = ~topic.ungraded_mask()
        assert (labels[graded] == np.append(0.0, topic.levels)[topic.code[graded]]).all()
        outside = np.setdiff1d(np.flatnonzero(~graded), free_documents(topic, a, b))
        assert not labels[outside].any()
        [attained] = differences(measure, topic, a, b, labels[free_documents(topic, a, b)][None, :])
        assert close(float(attained), low), (measure, topic, a, b)
        negative += best < 0
    return negative
