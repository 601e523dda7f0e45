"""MED of sums over an ideal: the tables of the paper, all labels of small topics, graded counterexamples."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay.distance._med.normalised import NormalisedMed
from assay.errors import InputError
from assay.measures import measure
from assay.measures._base import ratio
from assay.model.judged import Judged
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
BINARY = [one for one in vectors("med", "med_alg1", "med_is_strict") if one["inputs"].get("metric", "NDCG") == "NDCG"]
GRADED = vectors("med_graded")
[TRACE] = vectors("med_alg1_trace")


def known(grades: dict[str, Any]) -> dict[str, Any]:
    return {doc: grade for doc, grade in grades.items() if grade != "?"}


def ndcg(cutoff: int, **given: Any) -> Any:
    return lambda ranking, counts: dcg.ndcg(ranking, counts, cutoff=cutoff, **given)


# The paper -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", BINARY, ids=[vector["id"] for vector in BINARY])
def test_binary_vectors(vector: dict[str, Any]) -> None:
    inputs = vector["inputs"]
    y, z, k = inputs["Y"], inputs["Z"], inputs["k"]
    chosen: Any = measure(f"nDCG@{k}")
    rankings, _ = rankings_of([y, z], inputs["J"])
    if inputs["op"] == "med_is_strict":
        assert med_sums.is_strict(ndcg(k), y, z, known(inputs["J"]), {}, (0, 1)) is expected_value(vector)
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
    family = NormalisedMed(chosen, "exact" if inputs["mode"] == "exact" else "max-grade")
    assert compute_med(family, rankings) == pytest.approx(expected_value(vector), abs=vector["tolerance"])
    label = dict(zip(docs, family.find_labels(rankings, 0, 1).tolist(), strict=True))["B"]
    assert label == (1 if inputs["mode"] == "exact" else 2)


def trace(of: Any, rankings: TopicRankings, a: int, b: int) -> pl.DataFrame:
    """Algorithm 1 step by step, as Table 2 of the paper has it, for binary gains.

    Two passes, in favour of *a* and of *b*; each begins with what the judged documents give (no document), then labels
    one free document after the other that its list is ahead in. Columns: favours, document (its number in *rankings*),
    weight_a, weight_b, diff, relevant, numerator, denominator, ratio.
    """
    family = NormalisedMed(of)
    topic = family._topic(rankings)
    judged = int(rankings.counts[topic.labels.by_level > 0].sum())
    cut = float(of.depth(Judged.from_grades([[]])))
    return pl.concat([_pass(topic, (a, b)[::turn], turn, judged, cut) for turn in (1, -1)])


def _pass(topic: Any, pair: tuple[int, ...], turn: int, judged: int, cut: float) -> pl.DataFrame:
    """The first pass of Algorithm 1, or with *turn* -1 the second, for which the pair is turned round."""
    one, other = pair
    quotients = topic.quotients(np.array([one]), np.array([other]))
    labelled = int((np.diff(quotients.prefix_sums[0]) > 0).sum())
    document = topic.order_free_documents(one, other)[:labelled]
    weight = topic.by_run[list(pair[::turn])][:, document]
    above = quotients.numerator[0] + topic.labels.gain[1] * quotients.prefix_sums[0, : labelled + 1]
    below = quotients.divisor_parts[0, : labelled + 1]
    return pl.DataFrame(
        {
            "favours": ["a" if turn == 1 else "b"] * (labelled + 1),
            "document": pl.Series([None, *document.tolist()], dtype=pl.Int64),
            "weight_a": pl.Series([None, *weight[0].tolist()], dtype=pl.Float64),
            "weight_b": pl.Series([None, *weight[1].tolist()], dtype=pl.Float64),
            "diff": pl.Series([None, *(weight[0] - weight[1]).tolist()], dtype=pl.Float64),
            "relevant": np.minimum(judged + np.arange(labelled + 1), cut).astype(np.int64),
            "numerator": above,
            "denominator": below,
            "ratio": ratio(above, below),
        }
    )


def test_trace_is_table_2() -> None:
    inputs = TRACE["inputs"]
    rankings, docs = rankings_of([inputs["Y"], inputs["Z"]], inputs["J"])
    chosen: Any = measure("nDCG@10")
    steps = trace(chosen, rankings, 0, 1)
    for favours, rows in zip("ab", TRACE["expected"], strict=True):
        found = [row[1:] for row in steps.rows() if row[0] == favours]
        assert [None if row[0] is None else docs[row[0]] for row in found] == [row[0] for row in rows]
        for ours, theirs in zip(found, rows, strict=True):
            assert ours[1:] == pytest.approx(tuple(theirs[1:]), abs=TRACE["tolerance"])
    assert steps["ratio"].max() == pytest.approx(compute_med(NormalisedMed(chosen), rankings), abs=1e-15)


def test_trace_counts_relevant_documents_down_to_the_cutoff() -> None:
    rankings, _ = rankings_of([["A", "B", "C"], ["D"]], {"X": 1, "Y": 1, "Z": 0})
    chosen: Any = measure("nDCG@3")
    steps = trace(chosen, rankings, 0, 1)
    assert steps["relevant"].to_list() == [2, 3, 3, 3, 2, 3]
    assert steps["favours"].to_list() == ["a", "a", "a", "a", "b", "b"]


def test_all_vectors_are_here() -> None:
    assert (len(BINARY), len(GRADED)) == (4, 2)


# The definition --------------------------------------------------------------------------------------------------


def test_all_labels() -> None:
    negative = sum(
        check_maximum(NormalisedMed(one), one, rankings) for one, rankings in random_cases(MEASURES, 500, seed=6)
    )  # type: ignore[arg-type]
    assert negative > 50


def test_plain_definition() -> None:
    """Exhaustive search with plain scores: AB against every other two of four documents, A in every state."""
    chosen: Any = measure("nDCG(gains=exp12, max_rel=2)@2")
    family = NormalisedMed(chosen)
    y = ["A", "B"]
    for z in permutations("ABCD", 2):
        for grade in ("?", 0, 1, 2):
            for outside in ({}, {1: 1}, {2: 3}):
                grades = {"A": grade, "C": 1, **{f"#{g}{i}": g for g, n in outside.items() for i in range(n)}}
                rankings, _ = rankings_of([y, list(z)], grades)
                judged = {doc: g for doc, g in known(grades).items() if doc[0] != "#"}
                best = med_sums.largest_difference(ndcg(2, gains="exp12", max_rel=2), y, z, judged, outside, (0, 1, 2))
                assert close(family.maximize(rankings, np.array([0]), np.array([1])).low[0], best)


@pytest.mark.parametrize("gains", ["identity", "exp12", "exp"])
def test_sequences_of_grades(gains: str) -> None:
    """Beyond what exhaustive search can do: the non-increasing sequences of spec 11.5, where MED is above 0."""
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
                ndcg(6, gains=gains, max_rel=3), *pair, judged, outside, (0, 1, 2, 3), lambda i: 1 / math.log2(1 + i)
            )
            for pair in ((y, z), (z, y))
        )
        assert close(compute_med(NormalisedMed(chosen), rankings), best)


def test_labels_are_chosen_together_below_0() -> None:
    """Where y must lose, large divisors help: grade 2 for Q would, but costs grade 1 as well, which adds nothing."""
    y = ["n1", "n2", "n3", "Q", "n4", "n5", "n6", "n7", "P", "n8"]
    z = ["R", "m1", "Q", "m2", "m3", "m4", "m5", "P", "m6", "m7"]
    grades = {doc: 0 for doc in [*y, *z] if doc[0] in "nm"} | {"R": 1}
    rankings, docs = rankings_of([y, z], {**grades, **{f"#{i}": 1 for i in range(12)}})
    chosen: Any = measure("nDCG(max_rel=2)@10")
    best = med_sums.largest_difference(ndcg(10), y, z, grades, {1: 12}, (0, 1, 2))
    assert best < 0
    assert close(NormalisedMed(chosen).maximize(rankings, np.array([0]), np.array([1])).low[0], best)
    labels = dict(zip(docs, NormalisedMed(chosen).find_labels(rankings, 0, 1).tolist(), strict=True))
    assert (labels["P"], labels["Q"]) == (2, 0)


def test_a_pair_does_not_depend_on_other_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    for one, rankings in random_cases(MEASURES, 60, seed=8):
        family = NormalisedMed(one)  # type: ignore[arg-type]
        found = family.maximize(rankings, PAIRS[:, 0], PAIRS[:, 1]).low
        alone = [family.maximize(rankings.select(pair), np.array([0]), np.array([1])).low[0] for pair in PAIRS.tolist()]
        assert found == pytest.approx(np.array(alone), abs=1e-12)
        with monkeypatch.context() as patch:
            patch.setattr("assay.distance._med.rank_table._BLOCK_CELLS", 30)
            assert family.maximize(rankings, PAIRS[:, 0], PAIRS[:, 1]).low.tolist() == found.tolist()


# Max-grade -------------------------------------------------------------------------------------------------------


def test_the_largest_grade_is_not_enough() -> None:
    """A negative control: the variant of the paper misses the maximum now and then, and never passes it."""
    rng = np.random.default_rng(9)
    chosen: Any = measure("nDCG(gains=exp12, max_rel=2)@2")
    missed = 0
    for _ in range(500):
        y, z = (rng.permutation(list("ABCD"))[:2].tolist() for _ in range(2))
        grades = {doc: ["?", "?", "?", 0, 1, 2][rng.integers(6)] for doc in "ABCD"}
        others = {f"#{i}": int(rng.integers(0, 3)) for i in range(rng.integers(0, 3))}
        rankings, _ = rankings_of([y, z], {**grades, **others})
        exact, other = (
            compute_med(NormalisedMed(chosen), rankings),
            compute_med(NormalisedMed(chosen, "max-grade"), rankings),
        )
        assert close(exact, float(abs(differences(chosen, rankings, 0, 1, all_labels(chosen, rankings, 0, 1))).max()))
        assert other <= exact + 1e-12
        missed += other < exact - 1e-9
    assert missed == 6


def test_max_grade_is_exact_for_two_gains() -> None:
    binary = tuple(map(measure, ("nDCG(gains=binary)@3", "R@3", "F@4")))
    for one, rankings in random_cases(binary, 60, seed=10):
        check_maximum(NormalisedMed(one, "max-grade"), one, rankings)  # type: ignore[arg-type]


# What it takes ---------------------------------------------------------------------------------------------------


def test_variants() -> None:
    chosen: Any = measure("nDCG@10")
    with pytest.raises(InputError, match="variant must be one of exact, max-grade, got greedy"):
        NormalisedMed(chosen, "greedy")


def test_empty_lists() -> None:
    nothing = TopicRankings("t", np.zeros((2, 0), np.int64), np.zeros(2, np.int64), *(np.zeros(0, np.int64),) * 4)
    for one in MEASURES:
        family = NormalisedMed(one)  # type: ignore[arg-type]
        assert family.maximize(nothing, np.array([0]), np.array([1])).low.tolist() == [0]
        assert family.find_labels(nothing, 0, 1).tolist() == []


def test_many_grades_and_documents() -> None:
    """119 free documents and 8 grades: 10^12 sequences."""
    y, z = [f"y{i}" for i in range(60)], [f"z{i}" for i in range(60)]
    rankings, _ = rankings_of([y, z], {"y0": 0, **{f"#{g}": g for g in range(9)}})
    chosen: Any = measure("nDCG(gains=exp)@60")
    [value] = NormalisedMed(chosen).maximize(rankings, np.array([0]), np.array([1])).low
    labels = NormalisedMed(chosen).find_labels(rankings, 0, 1)
    assert close(value, float(differences(chosen, rankings, 0, 1, labels[None, 1:])[0]))
    assert 0.9 < value < 1
    assert (np.diff(labels[1:60]) <= 0).all()
    assert not labels[60:].any()
