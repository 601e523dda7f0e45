"""The number of unjudged documents retrieved."""

from assay.measures.numnonreljudgedret import NumNonrelJudgedRet
from assay.measures.numrelret import NumRelRet
from assay.measures.numret import NumRet
from assay.measures.numunjudgedret import NumUnjudgedRet
from oracles.sets import num_unjudged_ret
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(NumUnjudgedRet)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, num_unjudged_ret, collection)


@often(collection=collections())
def test_every_document_is_relevant_or_judged_otherwise_or_unjudged(collection):
    judged = collection.judged()
    for rel in (0.5, 1, 2):
        other = NumRelRet(rel=rel).score(judged) + NumNonrelJudgedRet(rel=rel).score(judged)
        assert (NumUnjudgedRet().score(judged) + other == NumRet().score(judged)).all()


def test_topics_are_added_up():
    assert NumUnjudgedRet.aggregate == "sum"
