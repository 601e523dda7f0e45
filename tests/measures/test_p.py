"""Precision."""

from assay.measures.p import P
from oracles.precision import p
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(P, "P@1", "P@3", "P(rel=0.5)@4", "P@1000")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, p, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(P(cutoff=5, rel=rel), case, "P_5", rel)


def test_ranks_left_empty_count_as_not_relevant():
    assert P(cutoff=10).of([1, 1]) == 0.2
