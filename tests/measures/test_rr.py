"""Reciprocal rank."""

from assay.measures.rr import RR
from oracles.rr import rr
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(RR, "RR@2", "RR(rel=0.5)@3")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, rr, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(RR(rel=rel), case, "recip_rank", rel)
