"""Precision of all that was retrieved."""

from assay.measures.p import P
from assay.measures.setp import SetP
from oracles.sets import set_p
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(SetP, "SetP(rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, set_p, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(SetP(rel=rel), case, "set_P", rel)


def test_precision_at_the_number_of_documents_retrieved():
    ranking = [1, 0, None, 1, 1]
    assert SetP().of(ranking) == P(cutoff=5).of(ranking) == 0.6
