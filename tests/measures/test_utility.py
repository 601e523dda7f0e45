"""Utility of a set."""

import pytest

from assay.measures.utility import Utility
from oracles.sets import utility
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(
    Utility,
    "Utility(rel_missed=-0.3)",
    "Utility(nonrel_missed=0.01, docs=1000)",
    "Utility(nonrel_missed=1)",
    "Utility(rel_ret=2.5, nonrel_ret=-0.1, rel_missed=-3, nonrel_missed=0.5, docs=7, rel=0.5)",
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, utility, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(Utility(rel=rel), case, "utility", rel)


def test_an_empty_ranking_misses_everything():
    assert Utility(rel_missed=-2, nonrel_missed=1, docs=10).of([], {1: 3, 0: 4}) == -2 * 3 + (10 - 3)


@pytest.mark.parametrize(
    ("cell", "number"), [("rel_ret", 2), ("nonrel_ret", 3), ("rel_missed", 1), ("nonrel_missed", 4)]
)
def test_each_cell_of_the_table(cell, number):
    nothing = dict.fromkeys(("rel_ret", "nonrel_ret", "rel_missed", "nonrel_missed"), 0)
    assert Utility(**nothing | {cell: 1}, docs=10).of([1, None, 0, 1, -1], {1: 3, 0: 2, -1: 1}) == number
