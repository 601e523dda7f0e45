"""Binary G."""

from assay.measures.bing import BinG
from assay.measures.g import G
from oracles.ideal import bing
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(BinG, "BinG(rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, bing, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(BinG(rel=rel), case, "binG", rel)


@often(collection=collections())
def test_it_is_g_with_gains_0_and_1(collection):
    judged = collection.judged()
    for rel in (0.5, 1, 2):
        apart = BinG(rel=rel).score(judged) - G(gains="binary", rel=rel).score(judged)
        assert abs(apart).max(initial=0) < 1e-12


def test_relevant_documents_take_nothing_from_each_other():
    assert BinG().of([1, 1, 1]) == 1
    assert BinG().of([None, 1, 1], {1: 2}) == BinG().of([0, 1], {1: 1, 0: 1})
