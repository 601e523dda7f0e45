"""Reciprocal rank."""

import pytest
from oracles.rr import rr
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

from assay.measures.rr import RR


@settings_of(RR, "RR@2", "RR(rel=0.5)@3")
@often(collection=collections())
def test_definition(measure, collection):
    agrees(measure, rr, collection)


@pytest.mark.parametrize("rel", [1, 2])
@often(case=scored(low=-2))
def test_trec_eval(rel, case):
    as_trec_eval(RR(rel=rel), case, "recip_rank", rel)
