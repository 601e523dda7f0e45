"""Scaled discounted cumulated gain."""

import pytest

from assay.errors import MeasureError
from assay.measures.sdcg import SDCG
from oracles.dcg import sdcg
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(
    SDCG, "SDCG@1", "SDCG@3", "SDCG(gains=exp12)@5", "SDCG(gains=exp-unit, max_rel=4)@5", "SDCG(rel=2)@4"
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, sdcg, collection)


def test_it_needs_no_recall_base():
    assert SDCG(cutoff=2).of([1, 0], {1: 1, 0: 1}) == SDCG(cutoff=2).of([1, 0], {1: 50, 0: 50})


def test_gains_that_are_not_scaled_are_refused():
    with pytest.raises(MeasureError, match="measure 'SDCG': gains=identity are not all within 0 and 1"):
        SDCG(cutoff=10, gains="identity")
