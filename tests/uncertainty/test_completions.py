"""Bounds of every measure of the catalogue, compared with the enumeration of all completions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from assay.errors import MeasureError
from assay.measures import Measure, measure
from assay.measures.counts import NumQ
from assay.model.judged import Judged
from assay.uncertainty.completions import STRATEGIES, bound_values
from completion_cases import CLOSE, POOLS, contains, every_completion, grades_of, rankings, reaches, refuses
from oracles.completions import Topic, extremes
from strategies import examples

OUTSIDE = {(0, 1): (0, 1, 2), (0, 1, 2): (0, 2), (-1, 0, 1): (0, 1), (0, 0.5, 2): (0, 1)}

# With several relevant grades, Q does not satisfy the swap axiom.
EFFORT_MEASURES = ("BackwardSpace", "BackwardSpaceRatio", "ForwardSpace", "ForwardSpaceRatio", "SpaceRatio", "LossAtR")
EFFORT_MEASURES += ("BalancePoint", "BalanceRatio", "RecoveryRatio")
NOT_EXACT = ("Q", "Q(beta=10, gains=exp)", "Q(norm=min)@100", "Q(rel=2)")


@pytest.mark.parametrize("tested_measure", examples())
def test_bounds_contain_all_completions_and_exact_bounds_are_attained(tested_measure: Measure) -> None:
    num_exact = 0
    for pool, number in POOLS.items():
        judged = rankings(pool, number)
        if refuses(tested_measure, judged):
            with pytest.raises(MeasureError):
                bound_values(tested_measure, judged)
            continue
        for outside in OUTSIDE.get(pool, (0,)):
            low, high = every_completion(pool, number, grades_of(tested_measure, pool), outside).extremes(
                tested_measure
            )
            interval = bound_values(tested_measure, judged, outside=outside, tail=False)
            details = f"grades {pool}, outside {outside}: {interval}, expected {low} to {high}"
            assert contains(interval, low, high).all(), details
            assert reaches(interval, low, high)[interval.exact].all(), details
            if outside == 0 and str(tested_measure) not in NOT_EXACT:
                assert interval.exact.all(), details
            num_exact += int(interval.exact.sum())
    assert num_exact > 0


SHORT = (
    "Q(norm=min, gains=binary)@3",
    "R(capped=true)@2",
    "AP(norm=min)@3",
    "nDCG@3",
    "nERR@2",
    "MeanNDCG@3",
    "IPrec@1",
)


@pytest.mark.parametrize("tested_measure", [*examples(), *map(measure, SHORT)])
def test_bounds_with_any_number_of_documents_outside(tested_measure: Measure) -> None:
    """The interval contains the values for any finite number of documents outside; exact ends are their limits."""
    for pool in ((0, 1), (0, 0.5, 2), ()):
        number = POOLS[pool]
        judged = rankings(pool, number)
        if refuses(tested_measure, judged):
            continue
        interval = bound_values(tested_measure, judged, outside=math.inf, tail=False)
        low, high = every_completion(
            pool, number, grades_of(tested_measure, pool), OUTSIDE.get(pool, (0,))[-1]
        ).extremes(tested_measure)
        assert contains(interval, low, high).all()
        some, many = (bound_values(tested_measure, judged, outside=outside, tail=False) for outside in (6, 4000))
        assert contains(interval, some.low, some.high).all()
        assert contains(interval, many.low, many.high).all()
        for end, near, nearer in ((interval.low, some.low, many.low), (interval.high, some.high, many.high)):
            for exact, *values in zip(interval.exact, end, near, nearer, strict=True):
                assert not exact or is_approached(*values), values


def is_approached(end: float, first: float, last: float) -> bool:
    """Return whether the values approach the end of an interval, which may be infinite."""
    if math.isinf(end):
        return last == end or (last - first) * end > 0
    return math.isclose(end, last, abs_tol=0.05) or (math.isnan(end) and math.isnan(last))


CHECKED_FOR_EXACTNESS = """
Accuracy AP AP* BackwardSpace BackwardSpaceRatio BalancePoint BalanceRatio BinG BPM bpref CG Compat Condensed
CRPmin CRPN DampedRR DCG ERR F ForwardSpace ForwardSpaceRatio G GM IdealDCG infAP INSQ INST IPrec IPrecAvg
Judged LossAtR MeanNDCG nCG nDCG nDCGrel nERR NERR10 NERR11 NERR8 NERR9 NumNonrelJudgedRet NumQ NumRel NumRelRet
NumRet NumUnjudgedRet P Q R RBP RBPnorm RBPresidual RecoveryRatio RhoW RnDCG Rprec RprecMult RR RR2 SDCG SetAP
SetP SetRelP Shaw SP SpaceRatio SSP Success TurnAround Twist Unjudged Utility YAAP
"""
"""Names of measures whose bounds are checked for exactness."""


@pytest.mark.parametrize(
    ("outside", "expected"),
    [
        (2, {"bpref"}),
        (
            math.inf,
            {
                "bpref",
                "Compat",
                "G",
                "RnDCG",
                "nDCGrel",
                "Twist",
                "CRPN",
                "CRPmin",
                "RhoW",
                "TurnAround",
                *EFFORT_MEASURES,
            },
        ),
    ],
)
def test_only_known_measures_have_outer_bounds(outside: float, expected: set[str]) -> None:
    """Small cases with one relevant grade have exact bounds; measures added later may have outer bounds."""
    judged = rankings((0, 1), POOLS[0, 1])
    tested_measures = [
        tested_measure
        for tested_measure in (param.values[0] for param in examples())
        if getattr(tested_measure, "rel", None) in (None, 1)
    ]
    inexact = {
        tested_measure.name
        for tested_measure in tested_measures
        if not bound_values(tested_measure, judged, outside=outside, tail=False).exact.all()
    }
    assert inexact & set(CHECKED_FOR_EXACTNESS.split()) == expected


# Conventions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["AP", "nDCG", "Rprec", "R", "bpref", "Q", "nERR", "F", "YAAP", "Shaw@3", "infAP"])
def test_a_topic_without_relevant_documents_has_the_value_zero(text: str) -> None:
    """The completion without relevant documents has the value 0 by convention and is the lower end."""
    interval = bound_values(measure(text), Judged.from_grades([[None, 0, None]], {0: 4, 1: 0}))
    low, high = extremes(measure(text), Topic((None, 0, None), {0: 4, 1: 0}), (0, 1))
    assert (interval.low[0], interval.high[0]) == pytest.approx((low, high))
    assert low <= 0 < high
    all_judged = bound_values(measure(text), Judged.from_grades([[0, 0]], {0: 4, 1: 0}))
    assert (all_judged.low[0], all_judged.high[0], all_judged.exact[0]) == (0, 0, True)


def test_empty_ranking_and_no_rankings() -> None:
    for tested_measure in (param.values[0] for param in examples()):
        empty = bound_values(tested_measure, Judged.from_grades([[]], {1: 2, 0: 1}), tail=False)
        assert [len(each) for each in empty] == [1, 1, 1]
        assert empty.low[0] == empty.high[0] or np.isnan(empty.low[0])
        no_rankings = bound_values(tested_measure, Judged.from_grades([], {1: 2, 0: 1}))
        assert [len(each) for each in no_rankings] == [0, 0, 0]


def test_missing_topics_are_empty_rankings() -> None:
    judged = Judged.from_grades([[], [None, 1]], {1: 2})
    unanswered = replace(judged, answered=np.array([False, True]))
    for text in ("AP", "RBP(p=0.5)", "Rprec", "nDCG", "Twist", "Compat"):
        for actual, expected in zip(
            bound_values(measure(text), unanswered), bound_values(measure(text), judged), strict=True
        ):
            assert actual.tolist() == expected.tolist()


def test_rankings_of_one_topic_are_bounded_independently() -> None:
    """Only measures that depend on the longest ranking are bounded differently together and alone."""
    rankings_of_topic = [[None, 1, -1, 0], [1, None], [], [None] * 6, [0, 1, -1, -1, 1]]
    counts = {-1: 3, 0: 2, 1: 3}
    for text in ("AP", "nDCG", "Q", "bpref", "Rprec", "nERR", "RBP(p=0.8)", "INST(T=1)", "Accuracy", "Twist@6", "G"):
        together = bound_values(measure(text), Judged.from_grades(rankings_of_topic, counts), outside=1)
        for i, ranking in enumerate(rankings_of_topic):
            alone = bound_values(measure(text), Judged.from_grades([ranking], counts), outside=1)
            assert [each[i] for each in together] == pytest.approx([each[0] for each in alone], abs=CLOSE)


@pytest.mark.parametrize(
    ("text", "top"),
    [("ERR(max_rel=4)", 4), ("RBP(p=0.8, gains=unit, max_rel=5)", 5), ("nDCG(rel=3)", 3), ("P(rel=2)@3", 2)],
)
def test_completions_use_grades_above_the_judged_ones(text: str, top: float) -> None:
    tested_measure, topic = measure(text), Topic((1, None, 0, None), {0: 2, 1: 3})
    interval = bound_values(tested_measure, Judged.from_grades([topic.ranking], topic.counts), tail=False)
    assert (interval.low[0], interval.high[0]) == pytest.approx(extremes(tested_measure, topic, (0, 1, top)))
    assert interval.high[0] > extremes(tested_measure, topic, (0, 1))[1] + CLOSE or "nDCG" in text


@pytest.mark.parametrize("gains", ["{1:0}", "{1:0,2:0}", "{1:2,2:1}", "{0:1,1:3}", "{1:0,2:5}", "{-1:4,1:2}"])
@pytest.mark.parametrize("name", ["nDCG", "nCG", "CG", "Q", "nDCGrel", "IdealDCG", "RnDCG", "DCG"])
def test_zero_gains_and_decreasing_gains(name: str, gains: str) -> None:
    tested_measure, topic = (
        measure(f"{name}(gains={gains})"),
        Topic((1, None, 0, None, 2, -1), {-1: 2, 0: 2, 1: 2, 2: 2}),
    )
    for outside in (0, 1):
        interval = bound_values(tested_measure, Judged.from_grades([topic.ranking], topic.counts), outside=outside)
        low, high = (np.array([each]) for each in extremes(tested_measure, topic, (0, 1, 2), outside))
        assert contains(interval, low, high).all()
        assert reaches(interval, low, high)[interval.exact].all()


def test_any_number_of_documents_outside_may_give_infinite_bounds() -> None:
    judged = Judged.from_grades([[1, None]], {0: 1, 1: 1})
    for text, low, high in (
        ("NumRel", 1, math.inf),
        ("NumRelRet", 1, 2),
        ("IdealDCG", 1, math.inf),
        ("IdealDCG@1", 1, 1),
        ("YAAP", -math.inf, math.log(3)),
        ("Utility", 0, 2),
        ("Utility(rel_missed=-1)", -math.inf, 2),
        ("Utility(rel_missed=0.5)", 0, math.inf),
        ("Utility(rel_missed=1, nonrel_missed=1, docs=9)", 7, 9),
    ):
        interval = bound_values(measure(text), judged, outside=math.inf)
        assert [each[0] for each in interval] == [low, high, True], text
    few = bound_values(measure("Utility(rel_missed=-1)"), judged, outside=3)
    assert [each[0] for each in few] == [-3, 2, True]


def test_undefined_values_are_ignored() -> None:
    """CRPN is undefined if one grade fills half of the ranking; other completions still have values."""
    tested_measure = measure("CRPN")
    for ranking, ends in (([1, 0], (math.nan, math.nan)), ([0, None, None, None], (1.0, 1.0))):
        topic = Topic(tuple(ranking), {0: 3, 1: 1})
        interval = bound_values(tested_measure, Judged.from_grades([ranking], topic.counts))
        low, high = extremes(tested_measure, topic, (0, 1))
        assert (interval.low[0], interval.high[0], interval.exact[0]) == pytest.approx((low, high, True), nan_ok=True)
        assert math.isnan(interval.low[0]) == math.isnan(ends[0])


def test_every_strategy_has_a_measure() -> None:
    assert {each.values[0].bounds_strategy for each in examples()} - {None, "inner"} == set(STRATEGIES)


def test_an_unknown_strategy_raises() -> None:
    class Own(NumQ):
        bounds_strategy = "guess"

    with pytest.raises(MeasureError, match="'NumQ': unknown bounds_strategy 'guess'; choose one of accuracy"):
        bound_values(Own(), Judged.from_grades([[1, None]]))
