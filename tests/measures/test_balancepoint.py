"""The balance point."""

import math

import numpy as np
import pytest

from assay.measures.balancepoint import BalancePoint
from assay.measures.recoveryratio import RecoveryRatio
from effort_cases import definition
from strategies import collections, often

test_definition = definition(BalancePoint, "beta")


def test_it_lies_at_r_or_behind():
    # Back on the axis at rank 3 (spec A-003-8); R is 4.
    assert BalancePoint(cutoff=12).of([1, 1, 2, 1], {2: 1, 1: 3}) == 4
    assert BalancePoint(cutoff=12).of([2, 1, 1, 1]) == 4
    assert BalancePoint(cutoff=12).of([1, 0, 0, 1], {1: 2, 0: 2}) == 3
    assert BalancePoint(cutoff=12, endpoint="right").of([1, 0, 0, 1], {1: 2, 0: 2}) == 4


def test_what_never_recovers_has_none():
    assert BalancePoint(cutoff=12).of([1, 0, 0], {1: 2, 0: 2}) == math.inf
    assert BalancePoint(cutoff=12).of([], {1: 2}) == math.inf


@often(max_examples=50, collection=collections())
def test_the_recovery_ratio_is_r_over_it(collection):
    judged = collection.judged()
    for given in ({}, {"crossing": "matters"}, {"endpoint": "right", "cutoff": 5}):
        beta, rho = BalancePoint(**given).score(judged), RecoveryRatio(**given).score(judged)
        relevant = judged.counts[:, judged.levels >= 1].sum(axis=1)[judged.topic]
        assert rho[relevant > 0] == pytest.approx(relevant[relevant > 0] / beta[relevant > 0])
        assert np.array_equal(beta[relevant == 0], np.zeros((relevant == 0).sum()))
