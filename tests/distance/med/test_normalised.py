"""MED of sums divided by an ideal sum: tables of the paper, all labels of small topics, graded counterexamples."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from assay.distance._med.normalised import NormalisedMed
from assay.measures import measure
from assay.model.rankings import TopicRankings
from med_sums_cases import (
    PAIRS,
    all_labels,
    check_maximum,
    compute_med,
    differences,
    expected_value,
    random_cases,
    rankings_of,
    vectors,
)
from oracles import dcg, med_sums
from strategies import close

MEASURES = tuple(
    map(
        measure,
        (
            "nDCG",
            "nDCG@3",
            "nDCG(base=2)@4",
            "nDCG(gains=binary)@3",
            "nDCG(gains=exp12)@5",
            "nDCG(rel=2, max_rel=4)@4",
            "nDCG(gains={0:0.5,1:0.25,2:3})@4",
            "nDCG(gains={1:3,2:1})@4",
            "nDCG(gains={1:0,2:0})",
            "nCG@3",
            "nCG",
            "R@3",
            "R",
            "R(capped=true)@3",
            "R(rel=2)@4",
            "F@3",
            "F(beta=2, rel=2)@4",
        ),
    )
)
BINARY = [v for v in vectors("med", "med_alg1", "med_is_strict") if v["inputs"].get("metric", "NDCG") == "NDCG"]
GRADED = vectors("med_graded")


def drop_unjudged(grades: dict[str, Any]) -> dict[str, Any]:
    return {doc: grade for doc, grade in grades.items() if grade != "?"}


def make_ndcg(cutoff: int, **parameters: Any) -> Any:
    return lambda ranking, counts: dcg.ndcg(ranking, counts, cutoff=cutoff, **parameters)


# The paper -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", BINARY, ids=[vector["id"] for vector in BINARY])
def test_binary_vectors(vector: dict[str, Any]) -> None:
    inputs = vector["inputs"]
    y, z, k = inputs["Y"], inputs["Z"], inputs["k"]
    chosen: Any = measure(f"nDCG@{k}")
    rankings, _ = rankings_of([y, z], inputs["J"])
    if inputs["op"] == "med_is_strict":
        assert med_sums.is_strict(make_ndcg(k), y, z, drop_unjudged(inputs["J"]), {}, (0, 1)) is expected_value(vector)
        return
    assert compute_med(NormalisedMed(chosen), rankings) == pytest.approx(
        expected_value(vector), abs=vector["tolerance"]
    )
    assert compute_med(NormalisedMed(chosen), rankings) == pytest.approx(vector["computed"], abs=1e-12)


@pytest.mark.parametrize("vector", GRADED, ids=[vector["id"] for vector in GRADED])
def test_graded_vectors(vector: dict[str, Any]) -> None:
    inputs = vector["inputs"]
    rankings, docs = rankings_of([inputs["Y"], inputs["Z"]], inputs["J"])
    chosen: Any = measure(f"nDCG(gains=exp12, max_rel={inputs['rmax']})@{inputs['k']}")
    family = NormalisedMed(chosen, max_grade=inputs["mode"] != "exact")
    assert compute_attained(family, rankings) == pytest.approx(expected_value(vector), abs=vector["tolerance"])
    label = dict(zip(docs, family.find_labels(rankings, 0, 1).tolist(), strict=True))["B"]
    assert label == (1 if inputs["mode"] == "exact" else 2)


def compute_attained(family: NormalisedMed, rankings: TopicRankings) -> float:
    """Return the largest difference of two runs that labels attain."""
    return float(family.maximize(rankings, np.array([0, 1]), np.array([1, 0])).low.max())


def test_number_of_vectors() -> None:
    assert (len(BINARY), len(GRADED)) == (4, 2)


# The definition --------------------------------------------------------------------------------------------------


def test_maximum_over_all_labelings() -> None:
    negative = sum(
        check_maximum(NormalisedMed(chosen), chosen, rankings)
        for chosen, rankings in random_cases(MEASURES, 500, seed=6)
    )  # type: ignore[arg-type]
    assert negative > 50


def test_definition() -> None:
    """Exhaustive search: A B compared with every pair of four documents, for every grade of A."""
    chosen: Any = measure("nDCG(gains=exp12, max_rel=2)@2")
    family = NormalisedMed(chosen)
    y = ["A", "B"]
    for z in permutations("ABCD", 2):
        for grade in ("?", 0, 1, 2):
            for outside in ({}, {1: 1}, {2: 3}):
                grades = {"A": grade, "C": 1, **{f"#{g}{i}": g for g, n in outside.items() for i in range(n)}}
                rankings, _ = rankings_of([y, list(z)], grades)
                judged = {doc: g for doc, g in drop_unjudged(grades).items() if doc[0] != "#"}
                best = med_sums.largest_difference(
                    make_ndcg(2, gains="exp12", max_rel=2), y, z, judged, outside, (0, 1, 2)
                )
                assert close(family.maximize(rankings, np.array([0]), np.array([1])).low[0], best)


@pytest.mark.parametrize("gains", ["identity", "exp12", "exp"])
def test_nonincreasing_sequences_of_grades(gains: str) -> None:
    """Cases too large for exhaustive search: non-increasing sequences of grades suffice if MED is positive."""
    rng = np.random.default_rng(7)
    chosen: Any = measure(f"nDCG(gains={gains}, max_rel=3)@6")
    for _ in range(12):
        docs = [f"d{i}" for i in range(9)]
        y, z = (rng.permutation(docs)[: rng.integers(4, 7)].tolist() for _ in range(2))
        judged = {doc: int(rng.integers(0, 4)) for doc in docs if rng.random() < 0.25}
        outside = {grade: int(rng.integers(0, 3)) for grade in (0, 1, 2, 3)}
        others = {f"#{g}{i}": g for g, n in outside.items() for i in range(n)}
        rankings, _ = rankings_of([y, z], {**judged, **others})
        best = max(
            med_sums.by_sequences(
                make_ndcg(6, gains=gains, max_rel=3),
                *pair,
                judged,
                outside,
                (0, 1, 2, 3),
                lambda i: 1 / math.log2(1 + i),
            )
            for pair in ((y, z), (z, y))
        )
        assert close(compute_med(NormalisedMed(chosen), rankings), best)


def test_negative_maximum_needs_joint_labels() -> None:
    """A larger divisor raises a negative difference. Only grade 2 increases the divisor, and it costs less at P."""
    y = ["n1", "n2", "n3", "Q", "n4", "n5", "n6", "n7", "P", "n8"]
    z = ["R", "m1", "Q", "m2", "m3", "m4", "m5", "P", "m6", "m7"]
    grades = {doc: 0 for doc in [*y, *z] if doc[0] in "nm"} | {"R": 1}
    rankings, docs = rankings_of([y, z], {**grades, **{f"#{i}": 1 for i in range(12)}})
    chosen: Any = measure("nDCG(max_rel=2)@10")
    best = med_sums.largest_difference(make_ndcg(10), y, z, grades, {1: 12}, (0, 1, 2))
    assert best < 0
    assert close(NormalisedMed(chosen).maximize(rankings, np.array([0]), np.array([1])).low[0], best)
    labels = dict(zip(docs, NormalisedMed(chosen).find_labels(rankings, 0, 1).tolist(), strict=True))
    assert (labels["P"], labels["Q"]) == (2, 0)


def test_a_pair_does_not_depend_on_other_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    for chosen, rankings in random_cases(MEASURES, 60, seed=8):
        family = NormalisedMed(chosen)  # type: ignore[arg-type]
        together = family.maximize(rankings, PAIRS[:, 0], PAIRS[:, 1]).low
        alone = [family.maximize(rankings.select(pair), np.array([0]), np.array([1])).low[0] for pair in PAIRS.tolist()]
        assert together == pytest.approx(np.array(alone), abs=1e-12)
        with monkeypatch.context() as patch:
            patch.setattr("assay.distance._med.rank_table._BLOCK_CELLS", 30)
            assert family.maximize(rankings, PAIRS[:, 0], PAIRS[:, 1]).low.tolist() == together.tolist()


# Max-grade -------------------------------------------------------------------------------------------------------


def test_max_grade_misses_some_maxima() -> None:
    """Negative control: the variant of the paper sometimes misses the maximum and never exceeds it."""
    rng = np.random.default_rng(9)
    chosen: Any = measure("nDCG(gains=exp12, max_rel=2)@2")
    missed = 0
    for _ in range(500):
        y, z = (rng.permutation(list("ABCD"))[:2].tolist() for _ in range(2))
        grades = {doc: ["?", "?", "?", 0, 1, 2][rng.integers(6)] for doc in "ABCD"}
        others = {f"#{i}": int(rng.integers(0, 3)) for i in range(rng.integers(0, 3))}
        rankings, _ = rankings_of([y, z], {**grades, **others})
        exact = compute_med(NormalisedMed(chosen), rankings)
        max_grade = compute_attained(NormalisedMed(chosen, max_grade=True), rankings)
        assert close(exact, float(abs(differences(chosen, rankings, 0, 1, all_labels(chosen, rankings, 0, 1))).max()))
        assert max_grade <= exact + 1e-12
        missed += max_grade < exact - 1e-9
    assert missed == 6


def test_max_grade_is_exact_for_two_gains() -> None:
    binary = tuple(map(measure, ("nDCG(gains=binary)@3", "R@3", "F@4")))
    for chosen, rankings in random_cases(binary, 60, seed=10):
        check_maximum(NormalisedMed(chosen, max_grade=True), chosen, rankings)  # type: ignore[arg-type]


# Arguments and sizes ---------------------------------------------------------------------------------------------


def test_empty_lists() -> None:
    empty = TopicRankings("t", np.zeros((2, 0), np.int64), np.zeros(2, np.int64), *(np.zeros(0, np.int64),) * 4)
    for chosen in MEASURES:
        family = NormalisedMed(chosen)  # type: ignore[arg-type]
        assert family.maximize(empty, np.array([0]), np.array([1])).low.tolist() == [0]
        assert family.find_labels(empty, 0, 1).tolist() == []


def test_many_grades_and_documents() -> None:
    """119 free documents and 8 grades have 10^12 non-increasing sequences."""
    y, z = [f"y{i}" for i in range(60)], [f"z{i}" for i in range(60)]
    rankings, _ = rankings_of([y, z], {"y0": 0, **{f"#{g}": g for g in range(9)}})
    chosen: Any = measure("nDCG(gains=exp)@60")
    [value] = NormalisedMed(chosen).maximize(rankings, np.array([0]), np.array([1])).low
    labels = NormalisedMed(chosen).find_labels(rankings, 0, 1)
    assert close(value, float(differences(chosen, rankings, 0, 1, labels[None, 1:])[0]))
    assert 0.9 < value < 1
    assert (np.diff(labels[1:60]) <= 0).all()
    assert not labels[60:].any()
