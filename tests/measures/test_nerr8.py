"""NERR8."""

from assay.measures.nerr8 import NERR8
from nearly_cases import agrees_on_a_long_ranking, beside_cwl_eval, refuses_gains_above_1
from oracles.nearly import nerr8
from strategies import agrees, close, collections, often, scored, settings_of

MEASURES = settings_of(
    NERR8, "NERR8@1", "NERR8@3", "NERR8(gains=binary, rel=2)@5", "NERR8(gains=exp-unit)@1000", "NERR8(rel=2)@4"
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, nerr8, collection)


@often(case=scored())
def test_cwl_eval(case):
    ours, theirs = beside_cwl_eval(NERR8, case, cutoff=6)
    assert close(ours, theirs)


def test_a_long_ranking():
    agrees_on_a_long_ranking(NERR8, nerr8, cutoff=6)


def test_gains_above_1_are_refused():
    refuses_gains_above_1(NERR8, cutoff=6)


def test_a_huge_cutoff():
    assert NERR8(cutoff=10**7).of([0, 1]) == 0.5
    assert NERR8(cutoff=10**7).of([0, 0]) == 0
