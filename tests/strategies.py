"""Random collections, and checks of measures against an oracle or against trec_eval."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import MeasureError
from assay.measures import Measure, catalogue, measure
from assay.model.judged import Judged
from assay.model.policies import Policies

# Grades from which a collection is drawn; with an empty pool every document is unjudged.
POOLS = (
    (0, 1),
    (0, 1, 2, 3, 4),
    (0, 0.5, 1, 1.7, 3),
    (-2, -1, 0, 1, 2),
    (0, 0, 0, 1, 1e6),
    (0.25,),
    (0,),
    (1,),
    (-1,),
    (),
)
_LETTERS = "abcdefghij"
_TOPICS = count(1)


@dataclasses.dataclass(frozen=True)
class Collection:
    """Topics (number of judged documents by grade) and rankings (topic, grades in rank order)."""

    counts: tuple[dict[float, int], ...]
    rankings: tuple[tuple[int, tuple[float | None, ...]], ...]

    @property
    def top(self) -> float:
        """Largest grade, at least 1."""
        return max([1, *(grade for counts in self.counts for grade in counts)])

    def to_judged(self, policies: Policies = Policies(), tied: list[bool] | None = None) -> Judged:
        """Return all rankings as one Judged."""
        levels = sorted({grade for counts in self.counts for grade in counts})
        code = {None: 0, **{grade: i + 1 for i, grade in enumerate(levels)}}
        flat = [code[grade] for _, ranking in self.rankings for grade in ranking]
        counts = [[counts.get(level, 0) for level in levels] for counts in self.counts]
        return Judged(
            levels=np.array(levels, dtype=np.float64),
            counts=np.array(counts, dtype=np.int64).reshape(len(self.counts), len(levels)),
            topic=np.array([topic for topic, _ in self.rankings], dtype=np.int64),
            start=np.cumsum([0, *(len(ranking) for _, ranking in self.rankings)]),
            code=np.array(flat, dtype=np.uint8),
            answered=np.array([len(ranking) > 0 for _, ranking in self.rankings], dtype=bool),
            policies=policies,
            tied=None if tied is None else np.array(tied, dtype=bool),
        )


def collection(pool: tuple[float, ...], text: str) -> Collection:
    """Parse a collection: ``/`` separates topics, ``|`` separates rankings, ``?`` is an unjudged document.

    The first ranking of a topic holds documents that are judged but not retrieved by any run.
    """
    counts, runs = [], []
    for topic, part in enumerate(text.split("/")):
        unretrieved, *rankings = [
            tuple(pool[_LETTERS.index(c) % len(pool)] if c != "?" and pool else None for c in ranking[:12])
            for ranking in part.split("|")
        ]
        judged: Counter[float | None] = Counter()
        for ranking in rankings:
            judged |= Counter(ranking)
        judged += Counter(unretrieved)
        counts.append({grade: number for grade, number in judged.items() if grade is not None})
        runs += [(number, topic, ranking) for number, ranking in enumerate(rankings)]
    # Order by run, as Judged.join does.
    runs.sort(key=lambda run: run[:2])
    return Collection(tuple(counts), tuple((topic, ranking) for _, topic, ranking in runs))


def collections(
    pools: tuple[tuple[float, ...], ...] = POOLS, *, least: int = 30, most: int = 100
) -> st.SearchStrategy[Collection]:
    """Return a strategy of collections: topics with rankings of 0 to 12 documents.

    The text of a collection has *least* to *most* characters, separators included.
    """
    text = st.text(_LETTERS + "?|/", min_size=least, max_size=most)
    return st.builds(collection, st.sampled_from(pools), text)


def large_collections() -> st.SearchStrategy[Collection]:
    """Return a strategy of larger collections, for code whose cost depends little on the number of rankings."""
    return collections(least=100, most=250)


def many_examples(max_examples: int = 100, **strategies: Any) -> Any:
    """Decorate a property test: many examples, the same in every session."""

    def decorate(test: Any) -> Any:
        quiet = [HealthCheck.too_slow, HealthCheck.differing_executors]
        fixed = settings(
            max_examples=max_examples, deadline=None, derandomize=True, database=None, suppress_health_check=quiet
        )
        return fixed(given(**strategies)(test))

    return decorate


def examples() -> list[Any]:
    """Return every example of every measure of the catalogue."""
    return [pytest.param(measure(text), id=text) for cls in catalogue().values() for text in cls.examples]


def example_settings(cls: type[Measure], *more: str) -> tuple[Measure, ...]:
    """Return the examples of a measure and *more* settings of it."""
    return tuple(measure(text) for text in (*cls.examples, *more))


def parameters(measure: Measure, top: float) -> dict[str, Any]:
    """Return the parameters of a measure as plain values for an oracle; ``max_rel`` defaults to *top*."""
    values = {field.name: getattr(measure, field.name) for field in dataclasses.fields(measure)}
    if "gains" in values:
        spec = values["gains"].spec
        values["gains"] = spec if isinstance(spec, str) else dict(spec)
    if "max_rel" in values and values["max_rel"] is None:
        values["max_rel"] = top
    return values


def refuses(measure: Measure, top: float) -> bool:
    """Return whether grades up to *top* are too large for the gains of the measure."""
    values = parameters(measure, top)
    scaled = values.get("gains") in ("unit", "exp12", "exp-unit")
    return (scaled and values["max_rel"] < top) or (values.get("gains") == "exp" and top > 1000)


def close(value: float, expected: float, tolerance: float = 1e-10) -> bool:
    """Return whether two numbers agree: absolute tolerance below 1, relative tolerance above."""
    return value == expected or abs(value - expected) <= tolerance * max(1.0, abs(expected))


def check_against_oracle(measures: Iterable[Measure], oracle: Any, collection: Collection) -> None:
    """Check that the measures give the same values as the oracle for all rankings."""
    judged = collection.to_judged()
    for fast in measures:
        if refuses(fast, collection.top):
            with pytest.raises(MeasureError, match=r"gains .*(too large|above max_rel)"):
                fast.score(judged)
            continue
        values = fast.score(judged).tolist()
        plain_parameters = parameters(fast, collection.top)
        for value, (topic, ranking) in zip(values, collection.rankings, strict=True):
            expected = oracle(list(ranking), collection.counts[topic], **plain_parameters)
            assert close(value, expected), f"{fast} of {ranking}, judged {collection.counts[topic]}"


# trec_eval -------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Scored:
    """One topic and one run: grades of judged documents and scores of retrieved documents, with ties."""

    qrels: dict[str, int]
    run: dict[str, float]

    def collection(self) -> Collection:
        """Return the judged ranking in trec_eval's order: score descending, then document id descending."""
        order = sorted(self.run, key=lambda doc: (self.run[doc], doc), reverse=True)
        return Collection((dict(Counter(self.qrels.values())),), ((0, tuple(self.qrels.get(doc) for doc in order)),))


@st.composite
def scored_topics(draw: Any, low: int = 0) -> Scored:
    """Draw a small topic: up to 16 documents, grades from *low* to 3, some unjudged, some not retrieved.

    One more judged document of grade 1 is not retrieved, because pytrec_eval crashes if all grades are negative, or
    lower than the lowest relevant grade by more than 1. With rel=2 there are still topics without relevant documents.
    """
    size = draw(st.integers(1, 16))
    grades = draw(st.lists(st.sampled_from([None, None, *range(low, 4)]), min_size=size, max_size=size))
    scores = draw(st.lists(st.sampled_from([None, 1.0, 2.0, 2.5, 3.0]), min_size=size, max_size=size))
    docs = [f"d{i}" for i in range(size)]
    qrels = {doc: grade for doc, grade in zip(docs, grades, strict=True) if grade is not None}
    run = {doc: score for doc, score in zip(docs, scores, strict=True) if score is not None}
    # pytrec_eval omits topics with an empty ranking.
    return Scored(qrels | {"besides": 1}, run or {"d0": 1.0})


def trec_eval(case: Scored, name: str, rel: int = 1) -> float:
    """Return the value of trec_eval; each call uses a new topic name because trec_eval remembers topics."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    topic = f"t{next(_TOPICS)}"
    values = pytrec_eval.RelevanceEvaluator({topic: case.qrels}, {name}, rel).evaluate({topic: case.run})
    (value,) = values[topic].values()
    return float(value)


def check_against_trec_eval(measure: Measure, case: Scored, name: str, rel: int = 1) -> None:
    """Check that the measure gives the same value as the measure *name* of trec_eval."""
    value = float(measure.score(case.collection().to_judged())[0])
    assert close(value, trec_eval(case, name, rel), 1e-12)
