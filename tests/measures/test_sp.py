"""The sum of precisions."""

from assay.measures.sp import SP
from oracles.ap import sp
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(SP, "SP@3", "SP(rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, sp, collection)


def test_it_is_not_bounded_by_1():
    assert SP().of([1, 1, 1]) == 3.0
