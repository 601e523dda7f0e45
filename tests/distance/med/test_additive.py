"""MED of weighted sums over ranks: vectors of the paper, all labels of small topics, the residual."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from assay.distance._med.additive import AdditiveMed
from assay.distance._med.interface import MedAlgorithm
from assay.errors import MeasureError
from assay.measures import Additive as Sum
from assay.measures import measure
from assay.model.arrays import Floats
from assay.model.judged import Judged
from assay.model.rankings import TopicRankings
from med_sums_cases import PAIRS, check_maximum, compute_med, expected_value, random_cases, rankings_of, vectors
from oracles import dcg, med_sums, precision, rbp
from strategies import close, many_examples, st

MEASURES = tuple(
    map(
        measure,
        (
            "P@3",
            "P(rel=2)@6",
            "RBP(p=0.8)",
            "RBP(p=0)",
            "RBP(p=0.5, gains=exp-unit)@3",
            "SDCG@4",
            "SDCG(max_rel=4, gains=exp12)@3",
            "CG",
            "CG(gains=negative)@4",
            "DCG(gains=negative)",
            "DCG(gains={0:1,1:0.5,2:-3,3:2})",
            "DCG(base=2)@4",
            "INSQ(T=2)",
            "NumRelRet",
        ),
    )
)
NAMES = {"P": "P@{k}", "SDCG": "SDCG@{k}", "RBP": "RBP(p={p})"}
ORACLES: dict[str, Any] = {"P": precision.p, "SDCG": dcg.sdcg, "RBP": rbp.rbp}
VECTORS = [vector for vector in vectors("med", "med_static", "med_is_strict") if vector["inputs"]["metric"] in NAMES]


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_vectors_of_the_paper(vector: dict[str, Any]) -> None:
    inputs = vector["inputs"]
    y, z, k = inputs["Y"], inputs["Z"], inputs["k"]
    chosen = measure(NAMES[inputs["metric"]].format(**inputs))
    assert chosen.med_strategy == "fixed-weights"
    rankings, _ = rankings_of([y, z], inputs["J"])
    judged = {doc: grade for doc, grade in inputs["J"].items() if grade != "?"}
    parameters = {"p": inputs["p"]} if "p" in inputs else {"cutoff": k}

    def value(ranking: list[float], counts: dict[float, int]) -> float:
        return float(ORACLES[inputs["metric"]](ranking, counts, **parameters))

    residual = inputs.get("residual", False)
    distance: object = compute_med(AdditiveMed(chosen, residual=residual), rankings)
    if inputs["op"] == "med_is_strict":
        assert med_sums.is_strict(value, y, z, judged, {}, (0, 1)) is expected_value(vector)
        return
    assert distance == pytest.approx(expected_value(vector), abs=vector["tolerance"])
    if not residual:
        assert distance == pytest.approx(med_sums.med(value, y, z, judged, {}, (0, 1)), abs=1e-12)


def test_number_of_vectors() -> None:
    assert len(VECTORS) == 6


def test_user_defined_sums_have_fixed_weights_unless_judgments_change_them() -> None:
    class OwnScore(Sum):
        def score(self, judged: Judged) -> Floats:
            return super().score(judged) / 2

    class OwnScale(Sum):
        def scale(self, judged: Judged) -> Floats:
            return judged.length + 1.0

    class OwnRecallBase(Sum):
        uses_recall_base = True

    assert Sum().med_strategy == "fixed-weights"
    assert [cls().med_strategy for cls in (OwnScore, OwnScale, OwnRecallBase)] == [None, None, None]


def test_maximum_over_all_labelings() -> None:
    negative = sum(
        check_maximum(AdditiveMed(chosen), chosen, rankings) for chosen, rankings in random_cases(MEASURES, 350, seed=1)
    )  # type: ignore[arg-type]
    assert negative > 50


def test_a_pair_does_not_depend_on_other_runs() -> None:
    for chosen, rankings in random_cases(MEASURES, 60, seed=2):
        family: MedAlgorithm = AdditiveMed(chosen)  # type: ignore[arg-type]
        together = family.maximize(rankings, PAIRS[:, 0], PAIRS[:, 1]).low
        alone = [family.maximize(rankings.select(pair), np.array([0]), np.array([1])).low[0] for pair in PAIRS.tolist()]
        assert together == pytest.approx(np.array(alone), abs=1e-12)


# The residual ----------------------------------------------------------------------------------------------------


def uneven_rankings() -> TopicRankings:
    """Return a list of two documents and a list of one; all three documents are different and free."""
    return rankings_of([["A", "B"], ["C"]], {})[0]


@pytest.mark.parametrize(
    ("text", "tails"),
    [
        ("RBP(p=0.5)", (0.25, 0.5)),
        ("RBP(p=0.5)@3", (0.125, 0.375)),
        ("RBP(p=0.5)@1", (0.0, 0.0)),
        ("RBP(p=0)", (0.0, 0.0)),
        ("P@4", (0.5, 0.75)),
        ("CG@4", (2.0, 3.0)),
        ("SDCG@2", (0.0, 1 - 1 / (1 + 1 / math.log2(3)))),
        ("INSQ(T=0.5)", (1 - 1.25 * 6 / math.pi**2, 1 - 6 / math.pi**2)),
    ],
)
def test_residual_after_the_end_of_a_list(text: str, tails: tuple[float, float]) -> None:
    chosen: Any = measure(text)
    for pair, tail in zip(((0, 1), (1, 0)), tails, strict=True):
        runs = np.array(pair[:1]), np.array(pair[1:])
        [without], [with_tail] = (
            AdditiveMed(chosen, residual=residual).maximize(uneven_rankings(), *runs).low for residual in (False, True)
        )
        assert close(with_tail - without, tail)


def test_residual_with_negative_gains() -> None:
    """After its end the favoured list has documents of the best grade, the other list documents of the worst grade."""
    chosen: Any = measure("CG(gains=negative)@4")
    values = AdditiveMed(chosen, residual=True).maximize(uneven_rankings(), np.array([0]), np.array([1])).low
    assert values.tolist() == [2 + 1 + 2 * 1 + 3 * 1]


def test_measure_without_residual_is_rejected() -> None:
    chosen: Any = measure("DCG")
    with pytest.raises(MeasureError, match=r"'DCG': has no residual.*add a cutoff"):
        AdditiveMed(chosen, residual=True).maximize(uneven_rankings(), np.array([0]), np.array([1]))


def test_distance_with_residual_is_at_most_1() -> None:
    bounded = tuple(chosen for chosen in MEASURES if chosen.bounds == (0.0, 1.0))
    for chosen, rankings in random_cases(bounded, 60, seed=3):
        values = AdditiveMed(chosen, residual=True).maximize(rankings, PAIRS[:, 0], PAIRS[:, 1]).low  # type: ignore[arg-type]
        assert (values <= 1 + 1e-12).all()


# Empty and long lists --------------------------------------------------------------------------------------------


def test_empty_lists() -> None:
    chosen: Any = measure("P@5")
    rankings = TopicRankings("t", np.zeros((2, 0), np.int64), np.zeros(2, np.int64), *(np.zeros(0, np.int64),) * 4)
    assert AdditiveMed(chosen).maximize(rankings, np.array([0, 0]), np.array([1, 0])).low.tolist() == [0, 0]
    assert AdditiveMed(chosen).find_labels(rankings, 0, 1).tolist() == []
    assert (
        AdditiveMed(chosen).maximize(uneven_rankings(), np.zeros(0, np.int64), np.zeros(0, np.int64)).low.tolist() == []
    )


@many_examples(max_examples=60, order=st.permutations(range(300)), overlap=st.integers(0, 300))
def test_long_lists_match_independent_labels(order: list[int], overlap: int) -> None:
    """For a sum over ranks, each document can be labelled independently of the others."""
    y = [f"d{i}" for i in range(300)]
    z = [f"d{i}" if i < overlap else f"e{i}" for i in order]
    rankings, _ = rankings_of([y, z], {"d0": 1, "d1": 0, "d299": 1})
    weights = [{doc: 0.95 ** (i + 0.0) * 0.05 for i, doc in enumerate(ranking)} for ranking in (y, z)]
    weight_difference = {doc: weights[0].get(doc, 0) - weights[1].get(doc, 0) for doc in {*y, *z}}
    base = weight_difference.get("d0", 0) + weight_difference.get("d299", 0)
    expected = base + sum(
        max(0, difference) for doc, difference in weight_difference.items() if doc not in ("d0", "d1", "d299")
    )
    chosen: Any = measure("RBP(p=0.95)")
    assert AdditiveMed(chosen).maximize(rankings, np.array([0]), np.array([1])).low[0] == pytest.approx(
        expected, abs=1e-12
    )
