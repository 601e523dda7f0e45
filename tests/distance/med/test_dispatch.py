"""Choice of the MED algorithm of a measure, and its depth."""

from __future__ import annotations

import numpy as np
import pytest

from assay.distance._med.additive import AdditiveMed
from assay.distance._med.any_measure import AnyMeasureMed
from assay.distance._med.average_precision import AveragePrecisionMed
from assay.distance._med.cascade import CascadeMed
from assay.distance._med.dispatch import METHODS, STRATEGIES, Task, choose_algorithm, with_common_cutoff
from assay.distance._med.first_relevant import FirstRelevantMed
from assay.distance._med.fixed_recall_base import FixedRecallBaseMed
from assay.distance._med.normalised import NormalisedMed
from assay.distance._med.q_measure import QMeasureMed
from assay.errors import InputError, MeasureError
from assay.measures import Measure, catalogue, measure
from assay.measures.counts import NumQ
from med_sums_cases import rankings_of
from strategies import examples

FAMILIES = {
    AdditiveMed: ("P@10", "RBP(p=0.8)", "SDCG@10", "CG@10", "DCG@10", "INSQ(T=1)", "NumRelRet"),
    FirstRelevantMed: ("RR", "DampedRR(k=2)", "Success@10", "RR2"),
    NormalisedMed: ("nDCG@10", "nDCG", "nCG@10", "R@100", "F@10", "GM(nDCG@10)", "Condensed(nDCG@10)"),
    FixedRecallBaseMed: ("F", "Rprec", "RprecMult@0.5", "MeanNDCG@10"),
    AveragePrecisionMed: ("AP", "AP(norm=min)@10", "SSP@10", "SP", "GM(AP)", "GM(Condensed(AP@3))"),
    CascadeMed: ("ERR@20", "ERR"),
    AnyMeasureMed: (
        "Q",
        "Q(norm=min)@100",
        "bpref",
        "Twist",
        "nERR@20",
        "INST(T=1)",
        "Accuracy",
        "RBP(p1=0.9, p2=0.5)",
        "Judged@10",
        "NumRet",
    ),
}


@pytest.mark.parametrize(("algorithm", "text"), [(cls, text) for cls, texts in FAMILIES.items() for text in texts])
def test_algorithm_of_each_measure(algorithm: type, text: str) -> None:
    assert type(choose_algorithm(measure(text))) is algorithm


def test_every_strategy_has_a_listed_measure() -> None:
    """Every measure of the catalogue that declares a strategy is listed above, and every strategy has a measure."""
    classes = {
        cls for example in examples() if (cls := type(example.values[0])) and example.values[0].med_strategy is not None
    }
    assert classes - {type(measure(text)) for texts in FAMILIES.values() for text in texts} == set()
    assert {example.values[0].med_strategy for example in examples()} - {None, "inner"} == set(STRATEGIES)


def test_unknown_strategy_is_rejected() -> None:
    class UnknownStrategy(NumQ):
        med_strategy = "lattice"

    with pytest.raises(MeasureError, match="'NumQ': there is no med_strategy 'lattice'; choose one of cascade"):
        choose_algorithm(UnknownStrategy())


@pytest.mark.parametrize("example", examples())
def test_identical_rankings_have_distance_0_by_every_measure(example: Measure) -> None:
    task = Task.prepare(with_common_cutoff(example, 3), None, "exact")
    rankings, _ = rankings_of([["a", "b", "c"], ["a", "b", "c"]], {"a": 1, "d": 1})
    [low], [high] = task.algorithm.maximize(rankings, np.array([0]), np.array([1]))
    assert low == high == 0
    assert task.algorithm.find_labels(rankings, 0, 1)[0] == 1  # judged


def test_examples_cover_the_catalogue() -> None:
    assert {type(example.values[0]) for example in examples()} == set(catalogue().values())


@pytest.mark.parametrize(
    ("text", "depth", "notation", "effective_depth"),
    [
        ("AP", None, "AP", None),
        ("AP", 10, "AP@10", 10),
        ("AP@5", 10, "AP@5", 5),
        ("AP@10", 5, "AP@10", 5),
        ("Rprec", 5, "Rprec", 5),
        ("RprecMult@0.5", None, "RprecMult@0.5", None),
        ("IPrec@0.1", 7, "IPrec@0.1", 7),
        ("RBP(p=0.8, gains=unit)", 5, "RBP(p=0.8, gains=unit)@5", 5),
        ("GM(AP)", 10, "GM(AP@10)", 10),
        ("GM(AP@3)", None, "GM(AP@3)", 3),
        ("Twist", None, "Twist", None),
        ("Twist", 10, "Twist@10", 10),
    ],
)
def test_depth_and_cutoff(text: str, depth: int | None, notation: str, effective_depth: int | None) -> None:
    task = Task.prepare(measure(text), depth, "exact")
    assert (str(task.measure), task.depth, task.judged_depth) == (notation, effective_depth, effective_depth)


def test_condensed_measure_needs_ranks_below_its_cutoff() -> None:
    for text in ("Condensed(AP@3)", "GM(Condensed(AP@3))"):
        task = Task.prepare(measure(text), None, "exact")
        assert (task.depth, task.judged_depth) == (3, None)
        task = Task.prepare(measure(text), 10, "exact")
        assert (task.depth, task.judged_depth) == (3, 10)
    assert str(Task.prepare(measure("Condensed(AP)"), 10, "exact").measure) == "Condensed(AP@10)"


@pytest.mark.parametrize(
    ("text", "method", "residual", "error", "message"),
    [
        ("AP", "gready", False, InputError, "method 'gready': choose one of exact, max-grade, .*; did you mean greedy"),
        ("AP", "exact", True, MeasureError, "measure 'AP': has no residual; use RBP, P or another sum over ranks"),
        ("GM(AP)", "exact", True, MeasureError, "measure 'AP': has no residual"),
        ("RBP(p=0.8)", "exhaustive", True, MeasureError, "measure 'RBP\\(p=0.8\\)': has no residual; .* and the exact"),
        ("AP", "max-grade", False, MeasureError, "measure 'AP': method max-grade is for nDCG, nCG, recall and F@k"),
        ("nDCG@10", "greedy", False, MeasureError, "measure 'nDCG@10': method greedy is for AP, SSP and SP"),
        ("nDCG@10", "greedy-on", False, MeasureError, "measure 'nDCG@10': method greedy-on is for AP, SSP and SP"),
        ("ERR", "tabu", False, MeasureError, "measure 'ERR': method tabu is for AP, SSP and SP; use exact"),
    ],
)
def test_invalid_methods_and_residuals_are_rejected(
    text: str, method: str, residual: bool, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        choose_algorithm(measure(text), method, residual=residual)


def test_residual_is_passed_to_the_algorithm() -> None:
    algorithm = choose_algorithm(measure("RBP(p=0.5)"), residual=True)
    assert isinstance(algorithm, AdditiveMed)
    assert algorithm.residual
    assert choose_algorithm(measure("GM(P@10)"), residual=True) == AdditiveMed(measure("P@10"), residual=True)  # type: ignore[arg-type]


def test_max_grade_is_a_lower_bound() -> None:
    """max-grade misses a maximum attained by a middle grade; the exact method bounds it."""
    rankings, documents = rankings_of([list("AB"), list("CD")], {"A": 1, "C": 0, "D": 0, "E": 1})
    chosen = measure("nDCG(gains=exp12, max_rel=2)@2")
    max_grade, exact = choose_algorithm(chosen, "max-grade"), choose_algorithm(chosen)
    pair = np.array([0]), np.array([1])
    low, high = max_grade.maximize(rankings, *pair)
    assert low[0] < high[0] == exact.maximize(rankings, *pair).high[0]
    assert dict(zip(documents, max_grade.find_labels(rankings, 0, 1).tolist(), strict=True))["B"] in (0, 2)


def test_graded_q_enumerates_labels_of_few_documents() -> None:
    rankings, _ = rankings_of([list("AB"), list("BA")], {"E": 1, "F": 3})
    algorithm = choose_algorithm(measure("Q"))
    assert isinstance(algorithm, AnyMeasureMed)
    assert isinstance(algorithm.fallback, QMeasureMed)
    low, high = algorithm.maximize(rankings, np.array([0]), np.array([1]))
    assert low == high
    docs = [f"d{i:02}" for i in range(14)]
    longer, _ = rankings_of([docs, docs[::-1]], {"E": 1, "F": 3})
    low, high = algorithm.maximize(longer, np.array([0]), np.array([1]))
    assert low[0] == algorithm.fallback.maximize(longer, np.array([0]), np.array([1])).low[0] < high[0]
    assert (algorithm.find_labels(longer, 0, 1) == algorithm.fallback.find_labels(longer, 0, 1)).all()
    identical, _ = rankings_of([docs, docs], {"E": 1, "F": 3})
    assert not algorithm.find_labels(identical, 0, 1).any()


GRADES = dict(zip("ADEFabc", (1, 0, 1, 0, 1, 1, 1), strict=True))
RANKINGS, DOCUMENTS = rankings_of([list("ABCDEF"), list("DBaCbc")], GRADES)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("exact", "max-grade")])
def test_values_of_search_methods(method: str) -> None:
    """The smallest case in which greedy labels are not optimal: 1/30 instead of 0.25/7."""
    algorithm = choose_algorithm(measure("AP@6"), method, seed=3)
    low, high = algorithm.maximize(RANKINGS, np.array([0, 1]), np.array([1, 0]))
    assert low[0] == pytest.approx(1 / 30 if method == "greedy" else 0.25 / 7)
    assert (high == (low if method == "exhaustive" else np.inf)).all()
    labels = dict(zip(DOCUMENTS, algorithm.find_labels(RANKINGS, 0, 1).tolist(), strict=True))
    assert (labels["B"], labels["C"]) == ((0, 0) if method == "greedy" else (1, 1))
    assert (labels["A"], labels["D"]) == (1, 0)


def test_no_pairs() -> None:
    no_runs = np.zeros(0, dtype=np.int64)
    for text, method in (("AP", "greedy"), ("AP", "exhaustive"), ("AP", "exact"), ("bpref", "exact")):
        low, high = choose_algorithm(measure(text), method).maximize(RANKINGS, no_runs, no_runs)
        assert low.shape == high.shape == (0,)
