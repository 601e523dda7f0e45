"""More relevant documents that a ranking lacks: they never raise a measure that says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.errors import MeasureError
from assay.measures import Measure, catalogue, measure
from assay.measures._possible_grades import tabulate_gains
from assay.model.judged import Judged
from strategies import collections, many_examples

SAID = [measure(text) for cls in catalogue().values() if cls.dilutes for text in cls.examples]
MORE = [
    measure(text) for text in ("AP(norm=k)@5", "AP(norm=min)@3", "R(capped=true)@2", "Q(norm=min)@3", "F@3", "nERR@2")
]
POOLS = ((0, 1), (0, 1, 2, 3), (0, 0.5, 1, 1.7, 3), (-1, 0, 1, 2), (0, 1, 900), (1,), (2,))


def values(of: Measure, judged: Judged) -> np.ndarray:
    return np.where(of.defined(judged), of.score(judged), 0.0)


def more(judged: Judged, level: int, number: int) -> Judged:
    """With more documents of one grade in every topic."""
    counts = judged.counts.copy()
    counts[:, level] += number
    return replace(judged, counts=counts)


def better(judged: Judged, level: int) -> Judged:
    """With one document of a grade exchanged for one of the next, in every topic; there is one that no ranking has."""
    counts = judged.counts.copy()
    counts[:, level] -= 1
    counts[:, level + 1] += 1
    return replace(judged, counts=counts)


@many_examples(max_examples=30, collection=collections(POOLS))
def test_further_relevant_documents_never_raise_the_value(collection) -> None:
    judged = collection.to_judged()
    for of in (*SAID, *MORE):
        try:
            before = values(of, judged)
        except MeasureError:
            continue
        for level in np.flatnonzero(judged.levels > 0).tolist():
            # Where nothing is relevant the value is 0 by convention, and so it is with what is relevant elsewhere.
            after = values(of, more(judged, level, 1))
            assert (after <= before + 1e-12).all(), of
            assert (values(of, more(judged, level, 7)) <= after + 1e-12).all(), of


@many_examples(max_examples=20, collection=collections(POOLS))
def test_nor_do_better_grades_of_documents_that_are_lacking(collection) -> None:
    judged = collection.to_judged()
    for of in (*SAID, *MORE):
        for level in np.flatnonzero(judged.levels[:-1] >= 0).tolist():
            lacking = more(judged, level, 1)
            try:
                before = values(of, lacking)
            except MeasureError:
                continue
            _, gain = tabulate_gains(of, judged.levels, judged.levels)
            if gain[level] > gain[level + 1]:  # a list of gains may leave the higher grade out
                continue
            assert (values(of, better(lacking, level)) <= before + 1e-12).all(), of


def test_what_is_said() -> None:
    """Only measures with a recall base say it; those that look deeper the more is relevant do not."""
    said = {cls.name for cls in catalogue().values() if cls.dilutes}
    assert {"AP", "nDCG", "R", "Q", "infAP", "YAAP", "IPrec", "SetRelP"} <= said
    assert not said & {"Rprec", "RprecMult", "bpref", "RnDCG", "Twist", "Compat"}
    assert all(cls.uses_recall_base for cls in catalogue().values() if cls.dilutes)


@pytest.mark.parametrize(
    ("text", "ranking", "judged", "more"),
    [
        ("Rprec", [0, 1], {0: 1, 1: 1}, {0: 1, 1: 2}),
        ("RprecMult@2", [0, 0, 1], {0: 2, 1: 1}, {0: 2, 1: 2}),
        ("bpref", [0, 1, 0], {0: 2, 1: 1}, {0: 2, 1: 2}),
        ("RnDCG", [0, 1], {0: 1, 1: 1}, {0: 1, 1: 2}),
    ],
)
def test_others_do_rise(text: str, ranking: list[float], judged: dict[float, int], more: dict[float, int]) -> None:
    of = measure(text)
    assert of.of(ranking, more) > of.of(ranking, judged)
    assert of.dilutes is None
