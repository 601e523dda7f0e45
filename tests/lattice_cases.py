"""Pairs of rankings with unjudged documents, and the differences for all labels of these documents."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from assay.distance._med.pairs import Pair
from assay.measures import Measure
from assay.model.judged import Judged
from assay.model.rankings import TopicRankings

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))["vectors"]
ONE, OTHER = np.array([0]), np.array([1])


@dataclass(frozen=True)
class Case:
    """Two rankings, the grades of judged documents, and the number of other judged documents by grade."""

    y: list[Any]
    z: list[Any]
    judged: dict[Any, float] = field(default_factory=dict)
    outside: dict[float, int] = field(default_factory=dict)

    @property
    def docs(self) -> list[Any]:
        return list(dict.fromkeys([*self.y, *self.z]))

    @property
    def all_judged(self) -> dict[Any, float]:
        """Grades of all judged documents; those in neither ranking get generated names."""
        others = {("outside", grade, i): grade for grade, number in self.outside.items() for i in range(number)}
        return {**self.judged, **others}

    def rankings(self) -> TopicRankings:
        levels = sorted(set(self.judged.values()) | set(self.outside))
        counts = Counter(self.judged.values()) + Counter(self.outside)
        code_of = {grade: i + 1 for i, grade in enumerate(levels)}
        docs = self.docs
        rank = [[one.index(doc) + 1 if doc in one else 0 for doc in docs] for one in (self.y, self.z)]
        return TopicRankings(
            topic="t",
            rank=np.array(rank, dtype=np.int64).reshape(2, len(docs)),
            length=np.array([len(self.y), len(self.z)]),
            code=np.array([code_of[self.judged[doc]] if doc in self.judged else 0 for doc in docs], dtype=np.uint8),
            levels=np.array(levels, dtype=np.float64),
            counts=np.array([counts[grade] for grade in levels], dtype=np.int64),
            position=np.arange(len(docs)),
        )

    def swapped(self) -> Case:
        return Case(self.z, self.y, self.judged, self.outside)

    def top(self, depth: int) -> Case:
        return Case(self.y[:depth], self.z[:depth], self.judged, self.outside)


def from_vector(inputs: dict[str, Any]) -> Case:
    """Build a case from the inputs of a test vector; judged documents in neither list count in the recall base."""
    judged = {doc: float(grade) for doc, grade in inputs["J"].items() if grade != "?"}
    listed = {*inputs["Y"], *inputs["Z"]}
    inside = {doc: grade for doc, grade in judged.items() if doc in listed}
    outside = Counter(grade for doc, grade in judged.items() if doc not in listed)
    return Case(inputs["Y"], inputs["Z"], inside, dict(outside))


def random_case(
    rng: np.random.Generator, most: int, kind: str | None = None, grades: tuple[float, ...] = (0, 1), free: int = 10
) -> Case:
    """Return two rankings of up to *most* documents: permutations, partly overlapping or disjoint; some are judged."""
    kind = kind or str(rng.choice(["permutation", "partial", "disjoint"]))
    k = int(rng.integers(1, most + 1))
    y = rng.permutation(k).tolist()
    z = rng.permutation(k).tolist()
    if kind == "partial":
        pool = int(rng.integers(k, 2 * k + 1))
        lengths = rng.integers(0, k + 1, 2) if rng.random() < 0.5 else (k, k)
        y, z = (rng.permutation(pool)[:length].tolist() for length in lengths)
    if kind == "disjoint":
        z = [doc + k for doc in z]
    judged_fraction = rng.choice([0.0, 0.3, 0.6])
    docs = list(dict.fromkeys([*y, *z]))
    judged = {doc: float(rng.choice(grades)) for doc in docs if rng.random() < judged_fraction}
    for doc in docs[: max(0, len(docs) - len(judged) - free)]:
        judged.setdefault(doc, 0.0)
    outside = {float(grades[-1]): int(rng.integers(1, 5))} if rng.random() < 0.5 else {}
    return Case(y, z, judged, outside)


NASTY = st.builds(
    lambda y, z, grades, outside: Case(y, z, {doc: g for doc, g in grades.items() if g is not None}, outside),
    st.lists(st.integers(0, 5), unique=True, max_size=4),
    st.lists(st.integers(0, 5), unique=True, max_size=4),
    st.dictionaries(st.integers(0, 5), st.sampled_from([None, -1.0, 0.0, 0.5, 1.0, 2.0, 1e6]), max_size=4),
    st.dictionaries(st.sampled_from([-2.0, 0.0, 0.5, 1.0, 3.0]), st.integers(1, 3), max_size=2),
).map(lambda case: Case(case.y, case.z, {d: g for d, g in case.judged.items() if d in case.docs}, case.outside))


def labelings(count: int) -> np.ndarray:
    """All 2^count labelings: rows of 0 and 1."""
    return np.arange(1 << count)[:, None] >> np.arange(count) & 1


def sums(case: Case, term: Any, rel: float = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each binary labeling, the number of relevant labels and the difference of the two sums.

    A sum adds ``term(rank, relevant documents up to rank)`` over the relevant documents of a ranking.
    """
    free = [doc for doc in case.docs if case.judged.get(doc, -1) < 0]
    labels = labelings(len(free))
    totals = []
    for ranking in (case.y, case.z):
        relevant = np.zeros((len(labels), len(ranking)), dtype=np.int64)
        for i, doc in enumerate(ranking):
            relevant[:, i] = labels[:, free.index(doc)] if doc in free else case.judged[doc] >= rel
        cumulative = np.cumsum(relevant, axis=1)
        totals.append((relevant * term(np.arange(1, len(ranking) + 1), cumulative)).sum(axis=1))
    return labels.sum(axis=1), totals[0] - totals[1]


def best_by_number(number: np.ndarray, difference: np.ndarray) -> np.ndarray:
    best = np.full(number.max() + 1, -np.inf)
    np.maximum.at(best, number, difference)
    return best


def value_of(measure: Measure, topic: TopicRankings, labels: np.ndarray, a: int = 0, b: int = 1) -> float:
    """Return M(a) - M(b) for one grade per document, computed by the measure itself."""
    pair = Pair.from_rankings(topic, a, b)
    free = np.union1d(pair.first.doc[pair.first.free], pair.second.doc[pair.second.free])
    judged = np.delete(np.arange(len(topic.code)), free)
    free_counts = np.bincount(topic.code[free], minlength=len(topic.levels) + 1)[1:]
    counts = Counter(dict(zip(topic.levels.tolist(), (topic.counts - free_counts).tolist(), strict=True)))
    counts.update(labels[free].tolist())
    inside = np.intersect1d(judged, np.union1d(pair.first.doc, pair.second.doc))
    assert (labels[inside] == topic.levels[topic.code[inside].astype(int) - 1]).all(), "judged documents keep grades"
    rankings = [labels[side.doc].tolist() for side in (pair.first, pair.second)]
    first, second = measure.score(Judged.from_grades(rankings, {g: n for g, n in counts.items() if n or g >= 0}))
    return float(first - second)


def hidden_block(k: int, u: int, v: int, m: int, outside: int = 0) -> Case:
    """Return a case on which greedy labels fail: judged documents at the top, a long unjudged block below.

    The top m documents of Z are judged relevant and do not occur in Y. The unjudged documents start at rank u + 1 in
    Y and at rank v + 1 in Z, in the same order. All other documents are judged non-relevant.
    """
    block = [f"b{i}" for i in range(k - v)]
    y = [f"y{i}" for i in range(u)] + block
    y += [f"y{i}" for i in range(u, u + k - len(y))]
    z = [f"z{i}" for i in range(v)] + block
    judged = {doc: 0.0 for doc in [*y, *z] if doc not in block} | {f"z{i}": 1.0 for i in range(m)}
    return Case(y, z, judged, {1.0: outside} if outside else {})
