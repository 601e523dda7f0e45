"""The share of unjudged documents."""

from assay.measures.unjudged import Unjudged
from oracles.sets import unjudged_share
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(Unjudged, "Unjudged@1", "Unjudged@3")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, unjudged_share, collection)


def test_a_negative_grade_is_no_judgment():
    assert Unjudged(cutoff=4).of([0, -2, 3, None]) == 0.5


def test_ranks_left_empty_are_not_unjudged():
    assert Unjudged(cutoff=10).of([1, None]) == 0.1
