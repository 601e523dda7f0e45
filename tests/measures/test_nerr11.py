"""NERR11."""

import pytest

from assay.measures.nerr11 import NERR11
from nearly_cases import agrees_on_a_long_ranking, beside_cwl_eval, refuses_gains_above_1
from oracles.nearly import nerr11
from strategies import agrees, collections, often, scored, settings_of

MEASURES = settings_of(
    NERR11, "NERR11(T=0.25)", "NERR11(T=1, rel=2)", "NERR11(T=10, gains=exp12)", "NERR11(T=1.5, gains=exp-unit)"
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, nerr11, collection)


@often(case=scored())
def test_cwl_eval(case):
    ours, theirs = beside_cwl_eval(NERR11, case, T=1.5)
    # cwl_eval leaves the walk behind rank 1000 out: less than (2T)^2/999 of a divisor of at least 1.
    assert ours <= theirs + 1e-12
    assert theirs <= ours * (1 + 9 / 999) + 1e-12


def test_a_long_ranking():
    agrees_on_a_long_ranking(NERR11, nerr11, T=1.5)


def test_gains_above_1_are_refused():
    refuses_gains_above_1(NERR11, T=1.5)


def test_a_satisfied_user_stops():
    assert NERR11(T=1).of([1, 0, 0]) == pytest.approx(1, abs=1e-14)
    assert NERR11(T=1).of([1, 1, 1]) == pytest.approx(1, abs=1e-14)
