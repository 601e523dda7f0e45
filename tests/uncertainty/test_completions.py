"""What completions allow every measure of the catalogue to be: against all of them, one by one."""

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

# Between several grades Q does not obey the swap axiom.
SPACES = ("BackwardSpace", "BackwardSpaceRatio", "ForwardSpace", "ForwardSpaceRatio", "SpaceRatio", "LossAtR")
SPACES += ("BalancePoint", "BalanceRatio", "RecoveryRatio")
NOT_EXACT = ("Q", "Q(beta=10, gains=exp)", "Q(norm=min)@100", "Q(rel=2)")


@pytest.mark.parametrize("of", examples())
def test_no_completion_lies_outside_and_exact_ends_are_reached(of: Measure) -> None:
    told = 0
    for pool, number in POOLS.items():
        judged = rankings(pool, number)
        if refuses(of, judged):
            with pytest.raises(MeasureError):
                bound_values(of, judged)
            continue
        for outside in OUTSIDE.get(pool, (0,)):
            low, high = every_completion(pool, number, grades_of(of, pool), outside).extremes(of)
            found = bound_values(of, judged, outside=outside, tail=False)
            where = f"grades {pool}, outside {outside}: {found}, truly {low} to {high}"
            assert contains(found, low, high).all(), where
            assert reaches(found, low, high)[found.exact].all(), where
            if outside == 0 and str(of) not in NOT_EXACT:
                assert found.exact.all(), where
            told += int(found.exact.sum())
    assert told > 0


SHORT = (
    "Q(norm=min, gains=binary)@3",
    "R(capped=true)@2",
    "AP(norm=min)@3",
    "nDCG@3",
    "nERR@2",
    "MeanNDCG@3",
    "IPrec@1",
)


@pytest.mark.parametrize("of", [*examples(), *map(measure, SHORT)])
def test_any_number_of_documents_outside(of: Measure) -> None:
    """The interval holds what some documents outside give, and exact ends are approached by ever more of them."""
    for pool in ((0, 1), (0, 0.5, 2), ()):
        number = POOLS[pool]
        judged = rankings(pool, number)
        if refuses(of, judged):
            continue
        found = bound_values(of, judged, outside=math.inf, tail=False)
        low, high = every_completion(pool, number, grades_of(of, pool), OUTSIDE.get(pool, (0,))[-1]).extremes(of)
        assert contains(found, low, high).all()
        some, many = (bound_values(of, judged, outside=outside, tail=False) for outside in (6, 4000))
        assert contains(found, some.low, some.high).all()
        assert contains(found, many.low, many.high).all()
        for end, near, nearer in ((found.low, some.low, many.low), (found.high, some.high, many.high)):
            for exact, *three in zip(found.exact, end, near, nearer, strict=True):
                assert not exact or approached(*three), three


def approached(end: float, near: float, nearer: float) -> bool:
    """Whether values come close to an end, or go on towards an infinite one."""
    if math.isinf(end):
        return nearer == end or (nearer - near) * end > 0
    return math.isclose(end, nearer, abs_tol=0.05) or (math.isnan(end) and math.isnan(nearer))


SETTLED = """
Accuracy AP AP* BackwardSpace BackwardSpaceRatio BalancePoint BalanceRatio BinG BPM bpref CG Compat Condensed
CRPmin CRPN DampedRR DCG ERR F ForwardSpace ForwardSpaceRatio G GM IdealDCG infAP INSQ INST IPrec IPrecAvg
Judged LossAtR MeanNDCG nCG nDCG nDCGrel nERR NERR10 NERR11 NERR8 NERR9 NumNonrelJudgedRet NumQ NumRel NumRelRet
NumRet NumUnjudgedRet P Q R RBP RBPnorm RBPresidual RecoveryRatio RhoW RnDCG Rprec RprecMult RR RR2 SDCG SetAP
SetP SetRelP Shaw SP SpaceRatio SSP Success TurnAround Twist Unjudged Utility YAAP
"""
"""Measures whose bounds have been exact, but for a few."""


@pytest.mark.parametrize(
    ("outside", "loose"),
    [
        (2, {"bpref"}),
        (
            math.inf,
            {"bpref", "Compat", "G", "RnDCG", "nDCGrel", "Twist", "CRPN", "CRPmin", "RhoW", "TurnAround", *SPACES},
        ),
    ],
)
def test_outer_bounds_are_few(outside: float, loose: set[str]) -> None:
    """With one relevant grade, of small cases; of a new measure bounds may be outer ones."""
    judged = rankings((0, 1), POOLS[0, 1])
    several = [of for of in (param.values[0] for param in examples()) if getattr(of, "rel", None) in (None, 1)]
    inexact = {of.name for of in several if not bound_values(of, judged, outside=outside, tail=False).exact.all()}
    assert inexact & set(SETTLED.split()) == loose


# Conventions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["AP", "nDCG", "Rprec", "R", "bpref", "Q", "nERR", "F", "YAAP", "Shaw@3", "infAP"])
def test_a_topic_without_relevant_documents_is_worth_nothing(text: str) -> None:
    """The lower end is the completion without any, which is worth 0 by convention; the upper end is some other."""
    found = bound_values(measure(text), Judged.from_grades([[None, 0, None]], {0: 4, 1: 0}))
    low, high = extremes(measure(text), Topic((None, 0, None), {0: 4, 1: 0}), (0, 1))
    assert (found.low[0], found.high[0]) == pytest.approx((low, high))
    assert low <= 0 < high
    nothing = bound_values(measure(text), Judged.from_grades([[0, 0]], {0: 4, 1: 0}))
    assert (nothing.low[0], nothing.high[0], nothing.exact[0]) == (0, 0, True)


def test_an_empty_ranking_and_no_ranking_at_all() -> None:
    for of in (param.values[0] for param in examples()):
        empty = bound_values(of, Judged.from_grades([[]], {1: 2, 0: 1}), tail=False)
        assert [len(each) for each in empty] == [1, 1, 1]
        assert empty.low[0] == empty.high[0] or np.isnan(empty.low[0])
        none = bound_values(of, Judged.from_grades([], {1: 2, 0: 1}))
        assert [len(each) for each in none] == [0, 0, 0]


def test_topics_that_a_run_lacks_are_empty_rankings() -> None:
    judged = Judged.from_grades([[], [None, 1]], {1: 2})
    lacking = replace(judged, answered=np.array([False, True]))
    for text in ("AP", "RBP(p=0.5)", "Rprec", "nDCG", "Twist", "Compat"):
        for one, other in zip(bound_values(measure(text), lacking), bound_values(measure(text), judged), strict=True):
            assert one.tolist() == other.tolist()


def test_rankings_of_one_topic_do_not_know_each_other() -> None:
    """Together as alone, but for measures that look as deep as the longest ranking."""
    several = [[None, 1, -1, 0], [1, None], [], [None] * 6, [0, 1, -1, -1, 1]]
    counts = {-1: 3, 0: 2, 1: 3}
    for text in ("AP", "nDCG", "Q", "bpref", "Rprec", "nERR", "RBP(p=0.8)", "INST(T=1)", "Accuracy", "Twist@6", "G"):
        together = bound_values(measure(text), Judged.from_grades(several, counts), outside=1)
        for i, ranking in enumerate(several):
            alone = bound_values(measure(text), Judged.from_grades([ranking], counts), outside=1)
            assert [each[i] for each in together] == pytest.approx([each[0] for each in alone], abs=CLOSE)


@pytest.mark.parametrize(
    ("text", "top"),
    [("ERR(max_rel=4)", 4), ("RBP(p=0.8, gains=unit, max_rel=5)", 5), ("nDCG(rel=3)", 3), ("P(rel=2)@3", 2)],
)
def test_the_scale_may_reach_above_the_judgments(text: str, top: float) -> None:
    of, topic = measure(text), Topic((1, None, 0, None), {0: 2, 1: 3})
    found = bound_values(of, Judged.from_grades([topic.ranking], topic.counts), tail=False)
    assert (found.low[0], found.high[0]) == pytest.approx(extremes(of, topic, (0, 1, top)))
    assert found.high[0] > extremes(of, topic, (0, 1))[1] + CLOSE or "nDCG" in text


@pytest.mark.parametrize("gains", ["{1:0}", "{1:0,2:0}", "{1:2,2:1}", "{0:1,1:3}", "{1:0,2:5}", "{-1:4,1:2}"])
@pytest.mark.parametrize("name", ["nDCG", "nCG", "CG", "Q", "nDCGrel", "IdealDCG", "RnDCG", "DCG"])
def test_gains_that_are_nothing_or_fall_with_the_grade(name: str, gains: str) -> None:
    of, topic = measure(f"{name}(gains={gains})"), Topic((1, None, 0, None, 2, -1), {-1: 2, 0: 2, 1: 2, 2: 2})
    for outside in (0, 1):
        found = bound_values(of, Judged.from_grades([topic.ranking], topic.counts), outside=outside)
        low, high = (np.array([each]) for each in extremes(of, topic, (0, 1, 2), outside))
        assert contains(found, low, high).all()
        assert reaches(found, low, high)[found.exact].all()


def test_ever_more_documents_outside_can_make_a_value_infinite() -> None:
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
        found = bound_values(measure(text), judged, outside=math.inf)
        assert [each[0] for each in found] == [low, high, True], text
    few = bound_values(measure("Utility(rel_missed=-1)"), judged, outside=3)
    assert [each[0] for each in few] == [-3, 2, True]


def test_what_is_not_a_number_says_nothing() -> None:
    """CRPN is none if one grade fills half of the ranking; other completions still have values."""
    of = measure("CRPN")
    for ranking, ends in (([1, 0], (math.nan, math.nan)), ([0, None, None, None], (1.0, 1.0))):
        topic = Topic(tuple(ranking), {0: 3, 1: 1})
        found = bound_values(of, Judged.from_grades([ranking], topic.counts))
        low, high = extremes(of, topic, (0, 1))
        assert (found.low[0], found.high[0], found.exact[0]) == pytest.approx((low, high, True), nan_ok=True)
        assert math.isnan(found.low[0]) == math.isnan(ends[0])


def test_every_strategy_has_a_measure() -> None:
    assert {each.values[0].bounds_strategy for each in examples()} - {None, "inner"} == set(STRATEGIES)


def test_an_unknown_strategy_is_refused() -> None:
    class Own(NumQ):
        bounds_strategy = "guess"

    with pytest.raises(MeasureError, match="'NumQ': unknown bounds_strategy 'guess'; choose one of accuracy"):
        bound_values(Own(), Judged.from_grades([[1, None]]))
