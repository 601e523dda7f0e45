"""What the measures of effort are held to alike: the definition, whatever the length, the weights and the crossing."""

from __future__ import annotations

import dataclasses
import math
from itertools import product
from typing import Any

import pytest
from hypothesis import strategies as st

from assay.errors import InputError, MeasureError
from assay.measures import Measure, measure
from oracles.effort import effort
from strategies import Collection, close, collections, often

CUTOFFS = (None, 1, 3, 8, 30)
LENGTHS = ("extend", "asis", "error")
# By grade and not: low grades that weigh nothing, and two grades that weigh the same.
WEIGHTS = ("binary", "identity", "unit", "exp", "negative", {1: 0, 2: 1}, {1: 2, 2: 2, 3: 5, 1.7: 2})
PERSISTENCE = (1, 0.9, 0.5)
CROSSINGS = ("strict", "literal", "matters")
ENDPOINTS = ("left", "right")


def variants(cls: type[Measure]) -> list[Measure]:
    """A measure with all its parameters; weights and persistence one by one and together."""
    has = {field.name for field in dataclasses.fields(cls)}
    weighed = [
        {},
        *({"weights": weights} for weights in WEIGHTS),
        *({"persistence": p} for p in PERSISTENCE),
        *({"weights": weights, "persistence": 0.9} for weights in WEIGHTS),
    ]
    crossed = [{"crossing": c, "endpoint": e} for c, e in product(CROSSINGS, ENDPOINTS)] if "crossing" in has else [{}]
    weighed += [{"rel": 0.5}, {"rel": 2}, {"rel": 0.5, "weights": "unit", "persistence": 0.9}]
    cut = [{"clipped": flag} for flag in (False, True)] if "clipped" in has else [{}]
    chosen = product(CUTOFFS, LENGTHS, weighed, crossed, cut)
    return list(dict.fromkeys(cls(cutoff=c, length=how, **w, **x, **d) for c, how, w, x, d in chosen))


def same(got: float, want: float, weight: float) -> bool:
    """Whether two numbers agree, not being numbers included."""
    if math.isnan(want) or math.isinf(want):
        return math.isnan(got) if math.isnan(want) else got == want
    # Weighed heights may nearly cancel out: what is left is as exact as they are, and a ratio of it is large.
    return close(got, want, (1e-10 if abs(want) < 1e3 else 1e-7) + 1e-13 * weight)


def refused(one: Measure, collection: Collection) -> type[Exception] | None:
    """The error that is to be expected."""
    weights = one.weights and one.weights.spec
    levels = sorted({grade for counts in collection.counts for grade in counts if grade >= one.rel})
    if weights == "exp" and collection.top > 1000:
        return MeasureError
    if isinstance(weights, tuple):
        listed = [dict(weights).get(grade, grade) for grade in [0.0, *levels]]
        if listed != sorted(listed):
            return MeasureError
    depth = one.cutoff or max([0, *(len(ranking) for _, ranking in collection.rankings)])
    most = max(sum(n for grade, n in counts.items() if grade >= one.rel) for counts in collection.counts)
    return InputError if one.length == "error" and 2 * most > depth else None


def agrees(one: Measure, indicator: str, collection: Collection) -> None:
    """The fast code gives what the definition gives, for all rankings at once."""
    judged = collection.judged()
    error = refused(one, collection)
    if error is not None:
        text = r"gains exp: .* too large|weights .*: a higher grade must not have a lower gain|choose length=extend or asis"
        with pytest.raises(error, match=text):
            one.score(judged)
        return
    longest = max([0, *(len(ranking) for _, ranking in collection.rankings)])
    given = {field.name: getattr(one, field.name) for field in dataclasses.fields(one)}
    got = one.score(judged).tolist()
    for value, (topic, ranking) in zip(got, collection.rankings, strict=True):
        counts = collection.counts[topic]
        want = effort(indicator)(list(ranking), counts, **given, longest=longest, top=collection.top)
        assert same(value, want, collection.top if one.weights else 0), (
            f"{one} of {ranking}, judged {counts}: {value}, not {want}"
        )


def definition(cls: type[Measure], indicator: str) -> Any:
    """A test of a measure on many collections: as it is, one of its examples, and two sets of parameters."""
    every, examples = variants(cls), [measure(text) for text in cls.examples]

    @often(collection=collections(), number=st.integers(0, len(every) - 1))
    def test(collection: Collection, number: int) -> None:
        mixed = every[(7 * number + 3) % len(every)]
        for one in (cls(), examples[number % len(examples)], every[number], mixed):
            agrees(one, indicator, collection)

    return test
