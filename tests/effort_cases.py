"""Compare the measures of effort with their definition for all lengths, weights and crossings."""

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
from strategies import Collection, close, collections, many_examples

CUTOFFS = (None, 1, 3, 8, 30)
LENGTHS = ("extend", "asis", "error")
# Named weights, and weights by grade: a low grade without weight, and two grades with the same weight.
WEIGHTS = ("binary", "identity", "unit", "exp", "negative", {1: 0, 2: 1}, {1: 2, 2: 2, 3: 5, 1.7: 2})
PERSISTENCE = (1, 0.9, 0.5)
CROSSINGS = ("strict", "literal", "matters")
ENDPOINTS = ("left", "right")


def variants(cls: type[Measure]) -> list[Measure]:
    """Return a measure with all combinations of its parameters; weights and persistence separately and together."""
    fields = {field.name for field in dataclasses.fields(cls)}
    weightings = [
        {},
        *({"weights": weights} for weights in WEIGHTS),
        *({"persistence": p} for p in PERSISTENCE),
        *({"weights": weights, "persistence": 0.9} for weights in WEIGHTS),
    ]
    crossings = (
        [{"crossing": c, "endpoint": e} for c, e in product(CROSSINGS, ENDPOINTS)] if "crossing" in fields else [{}]
    )
    weightings += [{"rel": 0.5}, {"rel": 2}, {"rel": 0.5, "weights": "unit", "persistence": 0.9}]
    clippings = [{"clipped": flag} for flag in (False, True)] if "clipped" in fields else [{}]
    combinations = product(CUTOFFS, LENGTHS, weightings, crossings, clippings)
    return list(dict.fromkeys(cls(cutoff=c, length=length, **w, **x, **d) for c, length, w, x, d in combinations))


def equal_or_close(values: float, expected: float, weight: float) -> bool:
    """Return whether two numbers agree; NaN agrees with NaN, and an infinity with itself."""
    if math.isnan(expected) or math.isinf(expected):
        return math.isnan(values) if math.isnan(expected) else values == expected
    # Weighted heights may nearly cancel. The remainder keeps their absolute error, so a ratio of it has a large one.
    return close(values, expected, (1e-10 if abs(expected) < 1e3 else 1e-7) + 1e-13 * weight)


def expected_error(one: Measure, collection: Collection) -> type[Exception] | None:
    """Return the error that the measure must raise on this collection, or None."""
    weights = one.weights and one.weights.spec
    levels = sorted({grade for counts in collection.counts for grade in counts if grade >= one.rel})
    if weights == "exp" and collection.top > 1000:
        return MeasureError
    if isinstance(weights, tuple):
        listed = [dict(weights).get(grade, grade) for grade in [0.0, *levels]]
        if listed != sorted(listed):
            return MeasureError
    depth = one.cutoff or max([0, *(len(ranking) for _, ranking in collection.rankings)])
    max_relevant = max(sum(n for grade, n in counts.items() if grade >= one.rel) for counts in collection.counts)
    return InputError if one.length == "error" and 2 * max_relevant > depth else None


def check_against_oracle(one: Measure, indicator: str, collection: Collection) -> None:
    """Check that the measure gives the same values as the definition for all rankings."""
    judged = collection.to_judged()
    error = expected_error(one, collection)
    if error is not None:
        text = r"gains exp: .* too large|a higher grade must not have a lower gain|choose length=extend or asis"
        with pytest.raises(error, match=text):
            one.score(judged)
        return
    longest = max([0, *(len(ranking) for _, ranking in collection.rankings)])
    parameters = {field.name: getattr(one, field.name) for field in dataclasses.fields(one)}
    values = one.score(judged).tolist()
    for value, (topic, ranking) in zip(values, collection.rankings, strict=True):
        counts = collection.counts[topic]
        expected = effort(indicator)(list(ranking), counts, **parameters, longest=longest, top=collection.top)
        assert equal_or_close(value, expected, collection.top if one.weights else 0), (
            f"{one} of {ranking}, judged {counts}: {value}, not {expected}"
        )


def oracle_test(cls: type[Measure], indicator: str) -> Any:
    """Return a test of a measure on random collections: the default, one example, and two sets of parameters."""
    every, examples = variants(cls), [measure(text) for text in cls.examples]

    @many_examples(collection=collections(), number=st.integers(0, len(every) - 1))
    def test(collection: Collection, number: int) -> None:
        mixed = every[(7 * number + 3) % len(every)]
        for one in (cls(), examples[number % len(examples)], every[number], mixed):
            check_against_oracle(one, indicator, collection)

    return test
