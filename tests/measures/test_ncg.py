"""Normalised cumulated gain."""

import pytest

from assay.errors import MeasureError
from assay.measures.ncg import nCG
from oracles.dcg import ncg
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(
    nCG, "nCG@3", "nCG(gains=unit)@5", "nCG(rel=2)@4", "nCG(gains={0:0.5,1:3,2:9})@4", "nCG(gains=binary)"
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, ncg, collection)


def test_the_ideal_is_cut_too():
    assert nCG(cutoff=2).of([3, 2, 1], {3: 1, 2: 1, 1: 9}) == 1.0
    assert nCG(cutoff=3).of([3, 2, 0], {3: 1, 2: 1, 1: 9, 0: 1}) == pytest.approx(5 / 6)


def test_negative_gains_are_refused_with_what_to_use_instead():
    with pytest.raises(MeasureError, match=r"measure 'nCG': gains=negative can be negative.*use CG"):
        nCG(gains="negative")
