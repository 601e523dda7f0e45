"""MED of measures of the first relevant documents: the example of the paper, all labels of small topics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.distance._med.first_relevant import FirstRelevantMed
from assay.measures import measure
from assay.model.rankings import TopicRankings
from med_sums_cases import PAIRS, check_maximum, compute_med, expected_value, random_cases, rankings_of, vectors
from oracles import med_sums, rr

MEASURES = tuple(
    map(
        measure,
        (
            "RR",
            "RR@2",
            "RR(rel=2)",
            "RR(rel=0.5)",
            "DampedRR(k=2)",
            "DampedRR(k=1.5)@3",
            "Success@3",
            "Success(rel=2)@1",
        ),
    )
)
SECOND = tuple(map(measure, ("RR2", "RR2@3", "RR2(rel=2)")))
VECTORS = [vector for vector in vectors("med", "med_rr") if vector["inputs"].get("metric", "RR") == "RR"]


def compute_rr(ranking: list[float], counts: dict[float, int]) -> float:
    return float(rr.rr(ranking, counts))


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_vectors_of_the_paper(vector: dict[str, Any]) -> None:
    inputs = vector["inputs"]
    chosen: Any = measure(f"RR@{inputs['k']}")
    rankings, docs = rankings_of([inputs["Y"], inputs["Z"]], inputs["J"])
    assert compute_med(FirstRelevantMed(chosen), rankings) == pytest.approx(
        expected_value(vector), abs=vector["tolerance"]
    )
    judged = {doc: grade for doc, grade in inputs["J"].items() if grade != "?"}
    assert med_sums.med(compute_rr, inputs["Y"], inputs["Z"], judged, {}, (0, 1)) == expected_value(vector)
    # "Document B plays the sole deciding role": its label puts Z ahead.
    labels = FirstRelevantMed(chosen).find_labels(rankings, 1, 0)
    assert dict(zip(docs, labels.tolist(), strict=True)) == {"A": 0, "B": 1, "C": 1, "D": 0, "E": 0, "F": 0}


def test_number_of_vectors() -> None:
    assert len(VECTORS) == 2


@pytest.mark.parametrize(("measures", "number"), [(MEASURES, 300), (SECOND, 300)], ids=["first", "second"])
def test_maximum_over_all_labelings(measures: Any, number: int) -> None:
    negative = sum(
        check_maximum(FirstRelevantMed(chosen), chosen, rankings)
        for chosen, rankings in random_cases(measures, number, seed=4)
    )
    assert negative > 20


def test_a_pair_does_not_depend_on_other_runs() -> None:
    for chosen, rankings in random_cases(MEASURES + SECOND, 60, seed=5):
        family = FirstRelevantMed(chosen)  # type: ignore[arg-type]
        together = family.maximize(rankings, PAIRS[:, 0], PAIRS[:, 1]).low
        alone = [family.maximize(rankings.select(pair), np.array([0]), np.array([1])).low[0] for pair in PAIRS.tolist()]
        assert together.tolist() == alone


def test_first_relevant_document_of_rr2_is_the_lowest_ranked_in_the_other_list() -> None:
    """C is the second relevant document of y if A or B is labelled; B is ranked lower than A in z."""
    rankings, docs = rankings_of([["A", "B", "C"], ["A", "C", "x", "B"]], {"C": 1})
    chosen: Any = measure("RR2")
    [value] = FirstRelevantMed(chosen).maximize(rankings, np.array([0]), np.array([1])).low
    assert value == pytest.approx(1 / 3 - 1 / 4)
    labels = dict(zip(docs, FirstRelevantMed(chosen).find_labels(rankings, 0, 1).tolist(), strict=True))
    assert labels == {"A": 0, "B": 1, "C": 1, "x": 0}


def test_empty_lists() -> None:
    empty = TopicRankings("t", np.zeros((2, 0), np.int64), np.zeros(2, np.int64), *(np.zeros(0, np.int64),) * 4)
    for chosen in MEASURES + SECOND:
        family = FirstRelevantMed(chosen)  # type: ignore[arg-type]
        assert family.maximize(empty, np.array([0]), np.array([1])).low.tolist() == [0]
        assert family.find_labels(empty, 0, 1).tolist() == []


def test_block_size_does_not_change_values(monkeypatch: pytest.MonkeyPatch) -> None:
    rankings, _ = rankings_of([["A", "B", "C"], ["C", "D"], ["E", "A"]], {"B": 1})
    a, b = np.repeat(PAIRS, 7, axis=0).T
    chosen: Any = measure("RR")
    whole = FirstRelevantMed(chosen).maximize(rankings, a, b).low
    monkeypatch.setattr("assay.distance._med.rank_table._BLOCK_CELLS", 30)
    assert FirstRelevantMed(chosen).maximize(rankings, a, b).low.tolist() == whole.tolist()
