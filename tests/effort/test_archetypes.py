"""Archetypes of curves."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.effort.archetypes import (
    MERGED,
    NAMES,
    NONE,
    classify_curves,
    count_archetypes,
    find_late_relevant,
    merge_archetypes,
)
from assay.model.judged import Judged
from assay.model.relative_position import Curves, EffortSettings
from oracles import effort as oracle

COUNTS = st.dictionaries(st.sampled_from([1, 2, 3]), st.integers(1, 3), min_size=1)


def curves_of(rankings, counts, depth=None):
    return Curves.from_judged(Judged.from_grades(rankings, {**counts, 0: 20}), EffortSettings(depth))


@st.composite
def rankings_and_counts(draw):
    counts = draw(COUNTS)
    pool = [grade for grade, number in counts.items() for _ in range(number)] + [0] * 4 + [None] * 2
    order = draw(st.permutations(pool))
    return order[: draw(st.integers(0, len(order)))], counts


@settings(max_examples=400)
@given(rankings_and_counts(), st.sampled_from([None, 3, 8, 20]))
def test_classification_agrees_with_the_rules(case, depth):
    ranking, counts = case
    actual_depth = len(ranking) if depth is None else depth
    run = oracle.pad(list(ranking), actual_depth, oracle.topic_length(counts, actual_depth))
    [number] = classify_curves(curves_of([ranking], counts, depth))
    assert NAMES[number] == oracle.archetype(run, counts)


@settings(max_examples=200)
@given(rankings_and_counts())
def test_binary_relevance_has_no_excellent_curve(case):
    ranking, counts = case
    binary = [None if grade is None else int(grade > 0) for grade in ranking]
    [number] = classify_curves(curves_of([binary], {1: sum(counts.values())}))
    assert NAMES[number] in ("ideal", "worst", "full-scale", "typical A", "typical B")


def test_examples_of_archetypes():
    counts = {3: 2, 2: 2, 1: 3}
    rankings = {
        "ideal": [3, 3, 2, 2, 1, 1, 1],
        "worst": [0, 0],
        "full-scale": [0] * 8 + [1, 1, 1, 2, 2, 3, 3],
        "typical A": [3, 3, 2, 0, 1, 2, 0, 0, 0, 1],
        "typical B": [1, 3, 3, 2, 2, 1, 1][:1],
        "excellent A": [3, 2, 3, 2, 1, 1, 1],
    }
    numbers = classify_curves(curves_of(list(rankings.values()), counts, 15))
    assert [NAMES[number] for number in numbers] == list(rankings)
    small = curves_of([[1, 2, 0], [1, 1, 2, 1, 0, 0]], {2: 1, 1: 3}, 8)
    assert [NAMES[number] for number in classify_curves(small)] == ["ups-and-downs", "excellent A"]


def test_topics_without_relevant_documents_have_no_archetype():
    judged = Judged.from_grades([[0, None]], {0: 3})
    assert classify_curves(Curves.from_judged(judged)).tolist() == [NONE]


def test_find_late_relevant():
    curves = curves_of([[1, 0, 1], [1, 1]], {1: 2})
    assert find_late_relevant(curves).tolist() == [True, False]


def test_count_and_merge_archetypes():
    numbers = np.array([[NAMES.index("excellent B"), NAMES.index("ups-and-downs"), NONE], [0, 1, 3]])
    assert dict(zip(NAMES, count_archetypes(numbers)[0].tolist(), strict=True))["ups-and-downs"] == 1
    assert dict(zip(MERGED, count_archetypes(numbers, merge=True)[0].tolist(), strict=True))["excellent"] == 2
    assert count_archetypes(numbers).sum(axis=1).tolist() == [2, 3]
    assert merge_archetypes(numbers)[0].tolist() == [MERGED.index("excellent")] * 2 + [NONE]
