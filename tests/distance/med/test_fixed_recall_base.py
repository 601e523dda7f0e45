"""MED of measures that are sums for a fixed recall base: all labels of small topics, the interval of MeanNDCG."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.distance._med.fixed_recall_base import FixedRecallBaseMed
from assay.distance._med.normalised import NormalisedMed
from assay.measures import measure
from assay.model.rankings import TopicRankings
from med_sums_cases import (
    PAIRS,
    all_labels,
    check_maximum,
    compute_med,
    differences,
    free_documents,
    random_cases,
    rankings_of,
)
from oracles import dcg, med_sums, precision
from strategies import close

BINARY = tuple(map(measure, ("Rprec", "Rprec(rel=2)", "RprecMult@0.5", "RprecMult@2", "F", "F(beta=2)", "F@3")))
MEAN = tuple(
    map(
        measure,
        (
            "MeanNDCG@3",
            "MeanNDCG@5",
            "MeanNDCG(gains=exp12)@4",
            "MeanNDCG(base=2, max_rel=4)@9",
            "MeanNDCG(gains={0:0.5,1:0.25,2:3})@4",
            "MeanNDCG(gains={1:0,2:0})@3",
        ),
    )
)


@pytest.mark.parametrize(("measures", "number"), [(BINARY, 120), (MEAN, 80)], ids=["binary", "mean"])
def test_maximum_over_all_labelings(measures: Any, number: int) -> None:
    negative = sum(
        check_maximum(FixedRecallBaseMed(chosen), chosen, rankings)
        for chosen, rankings in random_cases(measures, number, seed=11)
    )
    assert negative > 10


def test_definition() -> None:
    y, z = ["A", "B", "C", "D"], ["E", "C", "A"]
    for grades in ({}, {"C": 1}, {"A": 0, "E": 1}, {"B": 1, "E": 0, "#": 1, "+": 1}):
        rankings, _ = rankings_of([y, z], grades)
        judged = {doc: grade for doc, grade in grades.items() if doc.isalpha()}
        outside = {1: len(grades) - len(judged)}
        for text, value in (
            ("Rprec", precision.rprec),
            ("F", precision.f),
            ("MeanNDCG@4", lambda ranking, counts: dcg.mean_ndcg(ranking, counts, 4)),
        ):
            chosen: Any = measure(text)
            best = med_sums.med(value, y, z, judged, outside, (0, 1))
            assert close(compute_med(FixedRecallBaseMed(chosen), rankings), best), (text, grades)


def test_f_with_a_cutoff_agrees_with_normalised_sums() -> None:
    for chosen, rankings in random_cases((measure("F@4"), measure("F(beta=0.5)@2")), 40, seed=12):
        fixed_base, normalised = (
            algorithm(chosen).maximize(rankings, *PAIRS.T).low for algorithm in (FixedRecallBaseMed, NormalisedMed)
        )  # type: ignore[arg-type]
        assert fixed_base == pytest.approx(normalised, abs=1e-12)


def test_interval_above_the_limit() -> None:
    wide = total = 0
    for one, rankings in random_cases(MEAN[:4], 60, seed=13):
        chosen: Any = one
        family = FixedRecallBaseMed(chosen, limit=3)
        interval = family.maximize(rankings, *PAIRS.T)
        for (a, b), low, high in zip(PAIRS.tolist(), *map(np.ndarray.tolist, interval), strict=True):
            best = float(differences(one, rankings, a, b, all_labels(one, rankings, a, b)).max())
            assert low - 1e-10 <= best <= high + 1e-10
            [attained] = differences(
                one, rankings, a, b, family.find_labels(rankings, a, b)[free_documents(rankings, a, b)][None, :]
            )
            assert close(float(attained), low)
            wide += high > low + 1e-9
            total += 1
    assert 0 < wide < total


def test_interval_for_a_large_cutoff_converges() -> None:
    """All prefixes longer than the lists have the same nDCG, so the bound converges to that of nDCG."""
    rankings, _ = rankings_of([["A", "B", "C"], ["D", "E"]], {"C": 1, "#": 2})
    mean_ndcg, ndcg = (measure(text) for text in ("MeanNDCG@1000000000", "nDCG"))
    interval = FixedRecallBaseMed(mean_ndcg, limit=1).maximize(rankings, np.array([0]), np.array([1]))  # type: ignore[arg-type]
    [limit] = NormalisedMed(ndcg).maximize(rankings, np.array([0]), np.array([1])).high  # type: ignore[arg-type]
    assert interval.high[0] == pytest.approx(limit, abs=1e-7)
    assert interval.low[0] <= interval.high[0]


def test_empty_lists() -> None:
    empty = TopicRankings("t", np.zeros((2, 0), np.int64), np.zeros(2, np.int64), *(np.zeros(0, np.int64),) * 4)
    for one in BINARY + MEAN:
        chosen: Any = one
        assert FixedRecallBaseMed(chosen).maximize(empty, np.array([0]), np.array([1])).low.tolist() == [0]
        assert FixedRecallBaseMed(chosen).find_labels(empty, 0, 1).tolist() == []
