"""Discounted cumulated gain."""

import math

import pytest

from assay.errors import MeasureError
from assay.measures.dcg import DCG
from oracles.dcg import dcg
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(
    DCG,
    "DCG@3",
    "DCG(base=3)",
    "DCG(base=1.5)@6",
    "DCG(base=10)",
    "DCG(gains=unit, max_rel=4)",
    "DCG(gains=exp12)@4",
    "DCG(gains={0:-1,1:3,2:9})",
    "DCG(rel=2)@5",
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, dcg, collection)


def test_no_discount_before_the_rank_that_is_the_base():
    assert DCG(base=3).of([1, 1, 1]) == 3.0
    assert DCG(base=3).of([0, 0, 0, 1]) == pytest.approx(math.log(3) / math.log(4))


def test_a_list_shorter_than_the_base_is_not_an_error():
    # A-000-5: all ranks are undiscounted.
    assert DCG(base=10).of([2, 1]) == 3.0


def test_grades_too_large_for_exponential_gains_are_refused():
    with pytest.raises(MeasureError, match=r"gains exp: 2\^5000 is too large; use exp12 or exp-unit"):
        DCG(gains="exp").of([5000])
