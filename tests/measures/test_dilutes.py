"""Measures with ``dilutes``: additional relevant documents that are not retrieved never raise the value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.errors import MeasureError
from assay.measures import Measure, catalogue, measure
from assay.measures._possible_grades import tabulate_gains
from assay.model.judged import Judged
from strategies import collections, many_examples

DECLARING = [measure(text) for cls in catalogue().values() if cls.dilutes for text in cls.examples]
OTHER_SETTINGS = [
    measure(text) for text in ("AP(norm=k)@5", "AP(norm=min)@3", "R(capped=true)@2", "Q(norm=min)@3", "F@3", "nERR@2")
]
POOLS = ((0, 1), (0, 1, 2, 3), (0, 0.5, 1, 1.7, 3), (-1, 0, 1, 2), (0, 1, 900), (1,), (2,))


def values(tested: Measure, judged: Judged) -> np.ndarray:
    return np.where(tested.is_defined(judged), tested.score(judged), 0.0)


def add_judged(judged: Judged, level: int, number: int) -> Judged:
    """Add judged documents of one grade to every topic."""
    counts = judged.counts.copy()
    counts[:, level] += number
    return replace(judged, counts=counts)


def raise_grade(judged: Judged, level: int) -> Judged:
    """Raise the grade of one judged document to the next level in every topic; no ranking has this document."""
    counts = judged.counts.copy()
    counts[:, level] -= 1
    counts[:, level + 1] += 1
    return replace(judged, counts=counts)


@many_examples(max_examples=30, collection=collections(POOLS))
def test_missing_relevant_documents_never_raise_the_value(collection) -> None:
    judged = collection.to_judged()
    for tested in (*DECLARING, *OTHER_SETTINGS):
        try:
            before = values(tested, judged)
        except MeasureError:
            continue
        for level in np.flatnonzero(judged.levels > 0).tolist():
            # Without relevant documents the value is 0 by convention; it stays 0 if the added ones are not retrieved.
            after = values(tested, add_judged(judged, level, 1))
            assert (after <= before + 1e-12).all(), tested
            assert (values(tested, add_judged(judged, level, 7)) <= after + 1e-12).all(), tested


@many_examples(max_examples=20, collection=collections(POOLS))
def test_higher_grades_of_missing_documents_never_raise_the_value(collection) -> None:
    judged = collection.to_judged()
    for tested in (*DECLARING, *OTHER_SETTINGS):
        for level in np.flatnonzero(judged.levels[:-1] >= 0).tolist():
            enlarged_topics = add_judged(judged, level, 1)
            try:
                before = values(tested, enlarged_topics)
            except MeasureError:
                continue
            _, gain = tabulate_gains(tested, judged.levels, judged.levels)
            if gain[level] > gain[level + 1]:  # A mapping of gains may omit the higher grade.
                continue
            assert (values(tested, raise_grade(enlarged_topics, level)) <= before + 1e-12).all(), tested


def test_measures_that_declare_dilutes() -> None:
    """Only measures with a recall base declare it, except those whose depth grows with the recall base."""
    declared = {cls.name for cls in catalogue().values() if cls.dilutes}
    assert {"AP", "nDCG", "R", "Q", "infAP", "YAAP", "IPrec", "SetRelP"} <= declared
    assert not declared & {"Rprec", "RprecMult", "bpref", "RnDCG", "Twist", "Compat"}
    assert all(cls.uses_recall_base for cls in catalogue().values() if cls.dilutes)


@pytest.mark.parametrize(
    ("text", "ranking", "judged", "enlarged"),
    [
        ("Rprec", [0, 1], {0: 1, 1: 1}, {0: 1, 1: 2}),
        ("RprecMult@2", [0, 0, 1], {0: 2, 1: 1}, {0: 2, 1: 2}),
        ("bpref", [0, 1, 0], {0: 2, 1: 1}, {0: 2, 1: 2}),
        ("RnDCG", [0, 1], {0: 1, 1: 1}, {0: 1, 1: 2}),
    ],
)
def test_other_measures_can_rise(
    text: str, ranking: list[float], judged: dict[float, int], enlarged: dict[float, int]
) -> None:
    tested = measure(text)
    assert tested.of(ranking, enlarged) > tested.of(ranking, judged)
    assert tested.dilutes is None
