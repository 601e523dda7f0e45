"""The ratio of balance points."""

import math

import pytest

from assay.measures.balanceratio import BalanceRatio
from effort_cases import definition

test_definition = definition(BalanceRatio, "b_ratio")
LATE = [0, 0, 0, 0, 0, 1], {1: 2, 0: 6}


def test_what_the_paper_says_of_its_range_is_wrong():
    # A-003-6: minus infinity, below 0, and far from 1 for the ideal ranking.
    counts = {3: 3, 2: 3, 1: 4, 0: 4}
    assert BalanceRatio(cutoff=20).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], counts) == -math.inf
    assert BalanceRatio(cutoff=6).of(*LATE) < 0
    ideal = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
    assert BalanceRatio(cutoff=20).of(ideal, counts) == pytest.approx(1 - 10 / 17)


def test_clipped():
    assert BalanceRatio(cutoff=6, clipped=True).of(*LATE) == 0
    assert BalanceRatio(cutoff=6, clipped=True).of([], LATE[1]) == 0
    assert BalanceRatio(cutoff=9, clipped=True).of([1, 1], LATE[1]) == BalanceRatio(cutoff=9).of([1, 1], LATE[1]) > 0


def test_a_full_scale_ranking_that_never_recovers():
    # As in MATTERS, the curve has to get above the axis: with one grade and 2 R ranks it ends on it.
    given = {"cutoff": 4, "crossing": "matters"}
    counts = {1: 2, 0: 3}
    assert BalanceRatio(**given).of([0, 0, 1, 1], counts) == 0
    assert BalanceRatio(**given).of([], counts) == 0
    assert BalanceRatio(**given).of([1, 1], counts) == BalanceRatio(**given).of([1, 0, 0, 1], counts) == 1
