"""Expected reciprocal rank."""

import pytest

from assay.errors import MeasureError
from assay.measures.err import ERR
from oracles.err import err
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(
    ERR, "ERR@3", "ERR(max_rel=4)@3", "ERR(gains=unit)", "ERR(gains=binary)", "ERR(gains=exp-unit)", "ERR(rel=2)"
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, err, collection)


def test_the_top_of_the_scale_is_that_of_the_qrels_or_said():
    assert ERR().of([1, 0], judged={1: 1, 0: 1}) == 0.5
    assert ERR(max_rel=4).of([1, 0], judged={1: 1, 0: 1}) == 1 / 16


def test_a_grade_above_the_scale_is_refused():
    with pytest.raises(MeasureError, match="gains exp12: the qrels hold grade 3, above max_rel=2"):
        ERR(max_rel=2).of([3, 1])


def test_gains_that_are_no_probabilities_are_refused():
    with pytest.raises(MeasureError, match="measure 'ERR': gains=identity are not all within 0 and 1"):
        ERR(gains="identity")
