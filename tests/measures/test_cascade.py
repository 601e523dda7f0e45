"""Cascade measures, in which the user stops when satisfied: ERR, nERR and the NERR family."""

import random

import pytest

from assay.errors import MeasureError
from assay.measures.cascade import ERR, NERR8, NERR9, NERR10, NERR11, nERR
from oracles.err import err, nerr
from oracles.nerr import nerr8, nerr9, nerr10, nerr11
from strategies import check_against_oracle, close, collections, example_settings, many_examples, scored_topics

DEFINITIONS = [
    pytest.param(
        example_settings(
            ERR,
            "ERR@3",
            "ERR(max_rel=4)@3",
            "ERR(gains=unit)",
            "ERR(gains=binary)",
            "ERR(gains=exp-unit)",
            "ERR(rel=2)",
        ),
        err,
        id="ERR",
    ),
    pytest.param(
        example_settings(
            nERR, "nERR@3", "nERR(gains=unit)@4", "nERR(gains=binary)", "nERR(rel=2)", "nERR(max_rel=4)@2"
        ),
        nerr,
        id="nERR",
    ),
    pytest.param(
        example_settings(
            NERR8, "NERR8@1", "NERR8@3", "NERR8(gains=binary, rel=2)@5", "NERR8(gains=exp-unit)@1000", "NERR8(rel=2)@4"
        ),
        nerr8,
        id="NERR8",
    ),
    pytest.param(
        example_settings(
            NERR9, "NERR9@1", "NERR9@3", "NERR9(gains=binary, rel=2)@5", "NERR9(gains=exp-unit)@1000", "NERR9(rel=2)@4"
        ),
        nerr9,
        id="NERR9",
    ),
    pytest.param(
        example_settings(
            NERR10,
            "NERR10(p=0)",
            "NERR10(p=0.5, rel=2)",
            "NERR10(p=0.99, gains=exp12)",
            "NERR10(p=0.7, gains=exp-unit)",
        ),
        nerr10,
        id="NERR10",
    ),
    pytest.param(
        example_settings(
            NERR11, "NERR11(T=0.25)", "NERR11(T=1, rel=2)", "NERR11(T=10, gains=exp12)", "NERR11(T=1.5, gains=exp-unit)"
        ),
        nerr11,
        id="NERR11",
    ),
]
NERR_FAMILY = [
    pytest.param(NERR8, nerr8, {"cutoff": 6}, id="NERR8"),
    pytest.param(NERR9, nerr9, {"cutoff": 6}, id="NERR9"),
    pytest.param(NERR10, nerr10, {"p": 0.9}, id="NERR10"),
    pytest.param(NERR11, nerr11, {"T": 1.5}, id="NERR11"),
]


@pytest.mark.parametrize(("measures", "definition"), DEFINITIONS)
@many_examples(collection=collections())
def test_definition(measures, definition, collection):
    check_against_oracle(measures, definition, collection)


def test_err_takes_the_top_of_the_scale_from_the_qrels_or_max_rel():
    assert ERR().of([1, 0], judged={1: 1, 0: 1}) == 0.5
    assert ERR(max_rel=4).of([1, 0], judged={1: 1, 0: 1}) == 1 / 16


def test_err_raises_an_error_for_a_grade_above_max_rel():
    with pytest.raises(MeasureError, match="gains exp12: the qrels hold grade 3, above max_rel=2"):
        ERR(max_rel=2).of([3, 1])


def test_err_requires_gains_between_0_and_1():
    with pytest.raises(MeasureError, match="measure 'ERR': gains=identity are not all between 0 and 1"):
        ERR(gains="identity")


def test_nerr_truncates_the_ideal_ranking_as_well():
    assert nERR(cutoff=1).of([2, 1, 1], {2: 1, 1: 5}) == 1.0
    assert nERR().of([2, 1, 1], {2: 1, 1: 5}) < 1.0


def test_nerr_requires_gains_between_0_and_1():
    with pytest.raises(MeasureError, match="gains=exp are not all between 0 and 1"):
        nERR(gains="exp")


@pytest.mark.parametrize(("cls", "_definition", "parameters"), NERR_FAMILY)
@many_examples(case=scored_topics())
def test_nerr_family_agrees_with_cwl_eval(cls, _definition, parameters, case):
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_nerr")
    collection = case.collection()
    gains = [(grade or 0) / 3 for grade in collection.rankings[0][1]]
    user = getattr(peer, f"NERReq{cls.name.removeprefix('NERR')}CWLMetric")(*parameters.values())
    theirs = user.measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
    ours = float(cls(**parameters, max_rel=3).score(collection.to_judged())[0])
    if cls is not NERR11:
        assert close(ours, theirs)
        return
    # cwl_eval truncates at rank 1000, which omits less than (2T)^2/999 of a divisor of at least 1.
    assert ours <= theirs + 1e-12
    assert theirs <= ours * (1 + 9 / 999) + 1e-12


@pytest.mark.parametrize(("cls", "definition", "parameters"), NERR_FAMILY)
def test_nerr_family_on_a_long_ranking(cls, definition, parameters):
    rng = random.Random(8)
    ranking = [rng.choice([None, 0, 0, 0, 1, 2]) for _ in range(2000)]
    counts = {0: 2000, 1: 1000, 2: 1000, 50: 1}
    assert cls(**parameters).of(ranking, counts) == pytest.approx(definition(ranking, counts, **parameters), rel=1e-10)


@pytest.mark.parametrize(("cls", "_definition", "parameters"), NERR_FAMILY)
def test_nerr_family_requires_gains_between_0_and_1(cls, _definition, parameters):
    with pytest.raises(MeasureError, match=f"measure '{cls.name}': gains=exp are not all between 0 and 1"):
        cls(**parameters, gains="exp")


def test_nerr_family_with_a_huge_cutoff():
    assert NERR8(cutoff=10**7).of([0, 1]) == 0.5
    assert NERR9(cutoff=10**7).of([0, 1]) == pytest.approx(1 / 3, abs=1e-14)
    assert NERR8(cutoff=10**7).of([0, 0]) == NERR9(cutoff=10**7).of([0, 0]) == 0


def test_nerr11_stops_at_a_fully_relevant_document():
    assert NERR11(T=1).of([1, 0, 0]) == pytest.approx(1, abs=1e-14)
    assert NERR11(T=1).of([1, 1, 1]) == pytest.approx(1, abs=1e-14)
