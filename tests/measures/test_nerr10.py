"""NERR10."""

from assay.measures.nerr10 import NERR10
from nearly_cases import agrees_on_a_long_ranking, beside_cwl_eval, refuses_gains_above_1
from oracles.nearly import nerr10
from strategies import agrees, close, collections, often, scored, settings_of

MEASURES = settings_of(
    NERR10, "NERR10(p=0)", "NERR10(p=0.5, rel=2)", "NERR10(p=0.99, gains=exp12)", "NERR10(p=0.7, gains=exp-unit)"
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, nerr10, collection)


@often(case=scored())
def test_cwl_eval(case):
    ours, theirs = beside_cwl_eval(NERR10, case, p=0.9)
    assert close(ours, theirs)


def test_a_long_ranking():
    agrees_on_a_long_ranking(NERR10, nerr10, p=0.9)


def test_gains_above_1_are_refused():
    refuses_gains_above_1(NERR10, p=0.9)
