"""NERR9."""

import pytest

from assay.measures.nerr9 import NERR9
from nearly_cases import agrees_on_a_long_ranking, beside_cwl_eval, refuses_gains_above_1
from oracles.nearly import nerr9
from strategies import agrees, close, collections, often, scored, settings_of

MEASURES = settings_of(
    NERR9, "NERR9@1", "NERR9@3", "NERR9(gains=binary, rel=2)@5", "NERR9(gains=exp-unit)@1000", "NERR9(rel=2)@4"
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, nerr9, collection)


@often(case=scored())
def test_cwl_eval(case):
    ours, theirs = beside_cwl_eval(NERR9, case, cutoff=6)
    assert close(ours, theirs)


def test_a_long_ranking():
    agrees_on_a_long_ranking(NERR9, nerr9, cutoff=6)


def test_gains_above_1_are_refused():
    refuses_gains_above_1(NERR9, cutoff=6)


def test_a_huge_cutoff():
    assert NERR9(cutoff=10**7).of([0, 1]) == pytest.approx(1 / 3, abs=1e-14)
    assert NERR9(cutoff=10**7).of([0, 0]) == 0
