"""The number of judged documents retrieved that are not relevant."""

from assay.measures.numnonreljudgedret import NumNonrelJudgedRet
from oracles.sets import num_nonrel_judged_ret
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(NumNonrelJudgedRet, "NumNonrelJudgedRet(rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, num_nonrel_judged_ret, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(NumNonrelJudgedRet(rel=rel), case, "num_nonrel_judged_ret", rel)


def test_topics_are_added_up():
    assert NumNonrelJudgedRet.aggregate == "sum"
