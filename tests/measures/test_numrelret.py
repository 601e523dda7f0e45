"""The number of relevant documents retrieved."""

from assay.measures.numrelret import NumRelRet
from oracles.precision import num_rel_ret
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(NumRelRet, "NumRelRet(rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, num_rel_ret, collection)


@often(case=scored(low=-1))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(NumRelRet(rel=rel), case, "num_rel_ret", rel)


def test_topics_are_added_up():
    assert NumRelRet.aggregate == "sum"
