"""How low the curve falls."""

import math

import numpy as np

from assay.measures.crpmin import CRPmin
from effort_cases import definition
from strategies import collections, often

test_definition = definition(CRPmin, "crp_min")


def test_ideal_worst_and_full_scale():
    counts = {2: 1, 1: 2, 0: 9}
    assert CRPmin(cutoff=9).of([2, 1, 1], counts) == 1
    assert CRPmin(cutoff=9).of([], counts) == 0
    assert CRPmin(cutoff=9).of([0] * 6 + [1, 1, 2], counts) == 0


@often(max_examples=100, collection=collections())
def test_it_lies_within_0_and_1(collection):
    # A-003-5: at the first minimum, the curve of the full-scale ranking is below the axis.
    judged = collection.judged()
    for given in ({}, {"cutoff": 4}, {"weights": "identity"}, {"persistence": 0.6, "cutoff": 20}):
        score = CRPmin(**given).score(judged)
        assert ((score >= -1e-12) & (score <= 1 + 1e-12)).all()


def test_a_full_scale_ranking_on_the_axis():
    assert math.isnan(CRPmin(cutoff=2, length="asis").of([1, 0], {1: 2, 0: 1}))
    assert math.isnan(CRPmin(cutoff=9, weights={1: 0}).of([1, 0], {1: 2, 0: 1}))
    assert np.isfinite(CRPmin(cutoff=9).of([1, 0], {1: 2, 0: 1}))
