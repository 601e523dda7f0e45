"""The number of relevant documents."""

from assay.measures.numrel import NumRel
from oracles.precision import num_rel
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(NumRel, "NumRel(rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, num_rel, collection)


@often(case=scored(low=-1))
def test_trec_eval(case):
    # trec_eval does not let the relevance level through to num_rel.
    as_trec_eval(NumRel(), case, "num_rel")


def test_retrieved_or_not():
    assert NumRel(rel=2).of([], {2: 3, 1: 4, 0: 1}) == 3.0
    assert NumRel.aggregate == "sum"
