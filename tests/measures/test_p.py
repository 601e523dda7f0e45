"""Precision."""

import pytest
from oracles.precision import p
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

from assay.measures.p import P


@settings_of(P, "P@1", "P@3", "P(rel=0.5)@4", "P@1000")
@often(collection=collections())
def test_definition(measure, collection):
    agrees(measure, p, collection)


@pytest.mark.parametrize("rel", [1, 2])
@often(case=scored(low=-2))
def test_trec_eval(rel, case):
    as_trec_eval(P(cutoff=5, rel=rel), case, "P_5", rel)


def test_ranks_left_empty_count_as_not_relevant():
    assert P(cutoff=10).of([1, 1]) == 0.2
