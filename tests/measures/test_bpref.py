"""Binary preference."""

from assay.measures.bpref import Bpref
from oracles.bpref import bpref
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(Bpref, "bpref(k=1)", "bpref(k=2, rel=2)", "bpref(rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, bpref, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(Bpref(rel=rel), case, "bpref", rel)


def test_without_judged_nonrelevant_documents_each_relevant_one_counts_fully():
    assert Bpref().of([None, 1, None, 1], judged={1: 4}) == 0.5


def test_unjudged_and_negative_documents_are_passed_over():
    counts = {1: 2, 0: 2, -1: 2}
    assert Bpref().of([1, None, -1, 1], counts) == Bpref().of([1, 1], counts) == 1.0
    assert Bpref().of([1, 0, 1], counts) == 0.75
