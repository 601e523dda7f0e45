"""The number of documents retrieved."""

from assay.measures.numret import NumRet
from oracles.precision import num_ret
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(NumRet)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, num_ret, collection)


@often(case=scored(low=-1))
def test_trec_eval(case):
    as_trec_eval(NumRet(), case, "num_ret")


def test_topics_are_added_up():
    assert NumRet.aggregate == "sum"
