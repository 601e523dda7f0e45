"""Normalised expected reciprocal rank."""

import pytest

from assay.errors import MeasureError
from assay.measures.nerr import nERR
from oracles.err import nerr
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(nERR, "nERR@3", "nERR(gains=unit)@4", "nERR(gains=binary)", "nERR(rel=2)", "nERR(max_rel=4)@2")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, nerr, collection)


def test_the_ideal_is_cut_too():
    assert nERR(cutoff=1).of([2, 1, 1], {2: 1, 1: 5}) == 1.0
    assert nERR().of([2, 1, 1], {2: 1, 1: 5}) < 1.0


def test_gains_that_are_no_probabilities_are_refused():
    with pytest.raises(MeasureError, match="gains=exp are not all within 0 and 1"):
        nERR(gains="exp")
