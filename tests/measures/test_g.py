"""Normalised gain."""

import math

import pytest

from assay.errors import MeasureError
from assay.measures.g import G
from oracles.ideal import g
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(
    G,
    "G(gains=binary)",
    "G(gains=unit)",
    "G(gains=exp12, max_rel=1000001)",
    "G(gains={0:0.5,1:3,2:9})",
    "G(gains={-1:2,1:0.1})",
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, g, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    as_trec_eval(G(), case, "G")


def test_only_what_lags_behind_the_ideal_ranking_is_discounted():
    assert G().of([3, 2, 1, 0]) == 1
    assert G().of([2, 3], {3: 1, 2: 1}) == pytest.approx((2 / math.log2(3) + 3) / 5)


def test_every_rank_costs_something():
    # Behind the end of the ideal ranking, and where ideal gains are small.
    assert G().of([0, 1], {1: 1, 0: 1}) == pytest.approx(1 / math.log2(3))
    assert G(gains={1: 0.5}).of([1], {1: 1}) == pytest.approx(1 / math.log2(2.5))


def test_rounding_of_huge_gains_puts_no_ranking_ahead_of_the_ideal_one():
    grades = [1] * 4 + [54]
    assert G(gains="exp").of(grades, {54: 1, 1: 4}) == 1


@pytest.mark.parametrize("gains", ["negative", {0: -1, 1: 1}])
def test_negative_gains_are_refused(gains):
    with pytest.raises(MeasureError, match=r"measure 'G': gains=.* can be negative; G needs gains of at least 0"):
        G(gains=gains)
