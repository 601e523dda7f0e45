"""Reciprocal rank of the second relevant document."""

from assay.measures.rr2 import RR2
from oracles.rr import rr2
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(RR2, "RR2@2", "RR2(rel=0.5)@3")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, rr2, collection)


def test_one_relevant_document_is_not_enough():
    assert RR2().of([1, 0, 0]) == 0.0
    assert RR2().of([1, 1]) == 0.5
