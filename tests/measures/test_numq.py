"""The number of topics."""

from assay.measures.numq import NumQ
from oracles.precision import num_q
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(NumQ)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, num_q, collection)


@often(case=scored())
def test_trec_eval(case):
    as_trec_eval(NumQ(), case, "num_q")


def test_an_empty_ranking_counts_and_topics_are_added_up():
    assert NumQ().of([]) == 1.0
    assert NumQ.aggregate == "sum"
