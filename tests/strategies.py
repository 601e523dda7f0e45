"""Random collections, and what it means for the fast code to agree with a definition or with a peer."""

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

# Grades from which a collection is made; an empty pool leaves every document unjudged.
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
    """Topics (how many documents were judged with each grade) and rankings (topic, grades in rank order)."""

    counts: tuple[dict[float, int], ...]
    rankings: tuple[tuple[int, tuple[float | None, ...]], ...]

    @property
    def top(self) -> float:
        """The largest grade, at least 1."""
        return max([1, *(grade for counts in self.counts for grade in counts)])

    def judged(self, policies: Policies = Policies(), tied: list[bool] | None = None) -> Judged:
        """All rankings in one Judged."""
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
    """A collection written as one text: topics end with ``/``, rankings with ``|``, ``?`` is unjudged.

    The first ranking of a topic is not retrieved by anyone: its documents are judged besides.
    """
    counts, runs = [], []
    for topic, part in enumerate(text.split("/")):
        besides, *rankings = [
            tuple(pool[_LETTERS.index(c) % len(pool)] if c != "?" and pool else None for c in ranking[:12])
            for ranking in part.split("|")
        ]
        most: Counter[float | None] = Counter()
        for ranking in rankings:
            most |= Counter(ranking)
        most += Counter(besides)
        counts.append({grade: number for grade, number in most.items() if grade is not None})
        runs += [(number, topic, ranking) for number, ranking in enumerate(rankings)]
    # Run by run, as Judged.join puts them.
    runs.sort(key=lambda run: run[:2])
    return Collection(tuple(counts), tuple((topic, ranking) for _, topic, ranking in runs))


def collections(
    pools: tuple[tuple[float, ...], ...] = POOLS, *, least: int = 30, most: int = 100
) -> st.SearchStrategy[Collection]:
    """Several topics with several rankings of 0 to 12 documents: *least* to *most* documents and ends in all."""
    text = st.text(_LETTERS + "?|/", min_size=least, max_size=most)
    return st.builds(collection, st.sampled_from(pools), text)


def large_collections() -> st.SearchStrategy[Collection]:
    """As many rankings as three collections have: for what takes as long for one ranking as for many."""
    return collections(least=100, most=250)


def often(max_examples: int = 200, **strategies: Any) -> Any:
    """A property that is tried on many examples, always the same."""

    def decorate(test: Any) -> Any:
        quiet = [HealthCheck.too_slow, HealthCheck.differing_executors]
        fixed = settings(
            max_examples=max_examples, deadline=None, derandomize=True, database=None, suppress_health_check=quiet
        )
        return fixed(given(**strategies)(test))

    return decorate


def examples() -> list[Any]:
    """Every measure with each of its examples."""
    return [pytest.param(measure(text), id=text) for cls in catalogue().values() for text in cls.examples]


def settings_of(cls: type[Measure], *more: str) -> tuple[Measure, ...]:
    """The examples of a measure and *more* settings of it."""
    return tuple(measure(text) for text in (*cls.examples, *more))


def parameters(measure: Measure, top: float) -> dict[str, Any]:
    """The parameters of a measure as an oracle takes them: plain values, *top* unless it says ``max_rel``."""
    given = {field.name: getattr(measure, field.name) for field in dataclasses.fields(measure)}
    if "gains" in given:
        spec = given["gains"].spec
        given["gains"] = spec if isinstance(spec, str) else dict(spec)
    if "max_rel" in given and given["max_rel"] is None:
        given["max_rel"] = top
    return given


def refuses(measure: Measure, top: float) -> bool:
    """Whether grades up to *top* are more than the gains of the measure can take."""
    given = parameters(measure, top)
    scaled = given.get("gains") in ("unit", "exp12", "exp-unit")
    return (scaled and given["max_rel"] < top) or (given.get("gains") == "exp" and top > 1000)


def close(got: float, want: float, tolerance: float = 1e-10) -> bool:
    """Whether two numbers agree, absolutely below 1 and relatively above."""
    return abs(got - want) <= tolerance * max(1.0, abs(want))


def agrees(measures: Iterable[Measure], oracle: Any, collection: Collection) -> None:
    """The fast code gives what the definition gives, for all rankings at once."""
    judged = collection.judged()
    for fast in measures:
        if refuses(fast, collection.top):
            with pytest.raises(MeasureError, match=r"gains .*(too large|above max_rel)"):
                fast.score(judged)
            continue
        given = parameters(fast, collection.top)
        got = fast.score(judged).tolist()
        for value, (topic, ranking) in zip(got, collection.rankings, strict=True):
            definition = oracle(list(ranking), collection.counts[topic], **given)
            assert close(value, definition), f"{fast} of {ranking}, judged {collection.counts[topic]}"


# trec_eval -------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Scored:
    """One topic with one run: the grades of judged documents, the scores of retrieved ones; scores tie."""

    qrels: dict[str, int]
    run: dict[str, float]

    def collection(self) -> Collection:
        """The judged ranking in trec_eval's order: score descending, then document id descending."""
        order = sorted(self.run, key=lambda doc: (self.run[doc], doc), reverse=True)
        return Collection((dict(Counter(self.qrels.values())),), ((0, tuple(self.qrels.get(doc) for doc in order)),))


@st.composite
def scored(draw: Any, low: int = 0) -> Scored:
    """A small topic: up to 16 documents, grades from *low* to 3, some unjudged, some not retrieved.

    One document of grade 1 is judged besides: pytrec_eval crashes if all grades are negative, or below the lowest
    relevant one by more than 1. (With rel=2 there are still topics without relevant documents.)
    """
    size = draw(st.integers(1, 16))
    grades = draw(st.lists(st.sampled_from([None, None, *range(low, 4)]), min_size=size, max_size=size))
    scores = draw(st.lists(st.sampled_from([None, 1.0, 2.0, 2.5, 3.0]), min_size=size, max_size=size))
    docs = [f"d{i}" for i in range(size)]
    qrels = {doc: grade for doc, grade in zip(docs, grades, strict=True) if grade is not None}
    run = {doc: score for doc, score in zip(docs, scores, strict=True) if score is not None}
    # pytrec_eval leaves out topics for which nothing was retrieved.
    return Scored(qrels | {"besides": 1}, run or {"d0": 1.0})


def trec_eval(case: Scored, name: str, rel: int = 1) -> float:
    """What trec_eval gives; the topic has a new name each time because trec_eval remembers topics."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    topic = f"t{next(_TOPICS)}"
    found = pytrec_eval.RelevanceEvaluator({topic: case.qrels}, {name}, rel).evaluate({topic: case.run})
    (value,) = found[topic].values()
    return float(value)


def as_trec_eval(measure: Measure, case: Scored, name: str, rel: int = 1) -> None:
    """The measure gives what trec_eval gives under *name*."""
    got = float(measure.score(case.collection().judged())[0])
    assert close(got, trec_eval(case, name, rel), 1e-12)
