"""Cumulated gain."""

from assay.measures.cg import CG
from oracles.dcg import cg
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(
    CG,
    "CG@3",
    "CG(gains=exp)@4",
    "CG(gains=binary)",
    "CG(gains=base5, rel=2)@5",
    "CG(gains=unit)@5",
    "CG(gains=exp12, max_rel=4)",
    "CG(gains=exp-unit)",
    "CG(gains={0:-1,1:3,2:9})@5",
    "CG(gains={0:0.5,-1:-2,1:3})",
    "CG(gains={0:0.5,1:3}, rel=1)",
    "CG(gains=negative, rel=2)@4",
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, cg, collection)


def test_documents_that_were_not_retrieved_are_not_punished():
    # A-003-3: a short list is not padded.
    assert CG(cutoff=10, gains="negative").of([2, 0, None]) == 0.0
    assert CG(cutoff=10, gains="negative").of([2]) == 2.0
