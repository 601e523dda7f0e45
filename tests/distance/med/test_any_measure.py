"""MED of measures without an algorithm: exact for few documents, otherwise an interval that contains the maximum."""

from __future__ import annotations

import numpy as np
import pytest

from assay.distance._med import any_measure
from assay.distance._med.any_measure import AnyMeasureMed, subtract_values
from assay.distance._med.dispatch import with_common_cutoff
from assay.measures import Measure, measure
from assay.measures._possible_grades import possible_grades
from assay.model.rankings import TopicRankings
from med_sums_cases import PAIRS, all_labels, check_maximum, differences, free_documents, random_cases, rankings_of
from strategies import close

FINITE = tuple(
    measure(text)
    for text in (
        *("bpref", "bpref(k=2)", "infAP", "Twist@8", "nERR@3", "nERR", "INST(T=2)", "Accuracy@3", "Accuracy", "AP*"),
        *("RBP(p1=0.9, p2=0.5)", "NERR8@3", "NERR9@3", "NERR10(p=0.9)", "NERR11(T=2)", "SetAP", "SetP", "SetRelP"),
        *("IPrec@0.5", "IPrecAvg(points=3)", "BPM(T=1)@3", "YAAP", "LossAtR@8", "Shaw@3", "G", "RnDCG", "nDCGrel"),
        *("RBPnorm(p=0.8)", "Utility", "Compat(p=0.8)", "BinG", "SpaceRatio@8", "TurnAround@8", "RecoveryRatio@8"),
        *("NumRel", "NumNonrelJudgedRet", "IdealDCG@3", "RhoW@8", "Q", "AP"),
    )
)


@pytest.mark.parametrize("case", random_cases(FINITE, 150, seed=60, most=300))
def test_few_documents_are_exact(case: tuple[Measure, TopicRankings]) -> None:
    chosen, rankings = case
    check_maximum(AnyMeasureMed(chosen), chosen, rankings)


def test_many_documents_give_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interval contains the maximum, the labels attain its lower end, and it is often tight."""
    monkeypatch.setattr(any_measure, "MAX_ENUMERATED", 0)
    tight = {"low": 0, "high": 0}
    loose = 0
    for chosen, rankings in random_cases(FINITE, 120, seed=61, most=300):
        interval = AnyMeasureMed(chosen).maximize(rankings, PAIRS[:, 0], PAIRS[:, 1])
        for (a, b), low, high in zip(PAIRS.tolist(), interval.low.tolist(), interval.high.tolist(), strict=True):
            best = float(differences(chosen, rankings, a, b, all_labels(chosen, rankings, a, b)).max())
            context = (chosen, rankings, a, b)
            assert low <= best or close(low, best), context
            assert high >= best or close(high, best), context
            labels = AnyMeasureMed(chosen).find_labels(rankings, a, b)
            [attained] = differences(chosen, rankings, a, b, labels[free_documents(rankings, a, b)][None, :])
            assert close(float(attained), low), context
            tight["low"] += close(low, best)
            tight["high"] += close(high, best)
            loose += not close(low, high)
    # 120 cases with 6 pairs each make 720 intervals.
    assert min(tight.values()) > 250
    assert loose > 100


def test_limit_on_the_number_of_labelings(monkeypatch: pytest.MonkeyPatch) -> None:
    rankings, _ = rankings_of([list("abcdefgh"), list("hgfedcba")], {"x": 1, "y": 0})
    first, second = np.array([0]), np.array([1])
    assert len(possible_grades(measure("bpref"), rankings.levels)) ** 8 == 256
    monkeypatch.setattr(any_measure, "MAX_ENUMERATED", 256)
    exact = AnyMeasureMed(measure("bpref")).maximize(rankings, first, second)
    assert exact.low == exact.high
    monkeypatch.setattr(any_measure, "MAX_ENUMERATED", 255)
    low, high = AnyMeasureMed(measure("bpref")).maximize(rankings, first, second)
    assert low <= exact.low < high


def test_identical_long_rankings_have_distance_0() -> None:
    names = [f"d{i}" for i in range(300)]
    rankings, _ = rankings_of([names, names, names[:299]], {"d3": 1, "d5": 0})
    algorithm = AnyMeasureMed(measure("bpref"))
    low, high = algorithm.maximize(rankings, np.array([0, 0]), np.array([1, 2]))
    assert (low[0], high[0]) == (0, 0)
    assert high[1] > 0
    labels = algorithm.find_labels(rankings, 0, 1)
    assert np.flatnonzero(labels).tolist() == [3]


def test_infinite_values() -> None:
    """The balance point of a ranking that never recovers its losses is infinite."""
    algorithm = AnyMeasureMed(with_common_cutoff(measure("BalancePoint"), 2))
    rankings, _ = rankings_of([["a", "b"], ["c", "d"]], {"a": 1})
    low, high = algorithm.maximize(rankings, np.array([0, 1]), np.array([1, 0]))
    assert low.tolist() == high.tolist() == [0, np.inf]  # the first document of the first ranking is relevant
    assert subtract_values(np.array([np.inf, -np.inf, 2.0]), np.array([np.inf, np.inf, 1.5])).tolist() == [
        0,
        -np.inf,
        0.5,
    ]


def test_infinite_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(any_measure, "MAX_ENUMERATED", 0)
    algorithm = AnyMeasureMed(measure("BalancePoint@2"))
    rankings, _ = rankings_of([["a", "b"], ["c", "d"]], {"a": 1})
    low, high = algorithm.maximize(rankings, np.array([0, 1]), np.array([1, 0]))
    assert (low <= high).all()
    assert high[1] == np.inf


def test_labelings_with_undefined_values_are_ignored() -> None:
    """CRPN divides by the final value of the full-scale ranking, which is 0 if half of its documents are relevant."""
    chosen = measure("CRPN@4")
    rankings, _ = rankings_of([["a", "b", "c", "d"], ["d", "c", "b", "a"]], {"a": 1})
    interval = AnyMeasureMed(chosen).maximize(rankings, np.array([0]), np.array([1]))
    labels = all_labels(chosen, rankings, 0, 1)
    with np.errstate(invalid="ignore"):
        values = differences(chosen, rankings, 0, 1, labels)
    assert np.isnan(values).any()
    assert interval.low == interval.high == np.nanmax(values)
    fully_judged, _ = rankings_of([["a", "b"], ["b", "a"]], {"a": 1, "b": 0})
    undefined = AnyMeasureMed(measure("CRPN@2")).maximize(fully_judged, np.array([0]), np.array([1]))
    assert np.isnan(undefined.low).all()
    assert np.isnan(undefined.high).all()
