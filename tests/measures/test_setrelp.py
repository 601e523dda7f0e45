"""Precision of all that was retrieved, relative to the best possible."""

from assay.measures import measure
from assay.measures.r import R
from assay.measures.setrelp import SetRelP
from oracles.sets import set_rel_p
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(SetRelP, "SetRelP(rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, set_rel_p, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(SetRelP(rel=rel), case, "set_relative_P", rel)


@often(case=scored(low=-2))
def test_at_a_cutoff_it_is_capped_recall(case):
    assert measure("relative_P_5") == R(cutoff=5, capped=True)
    for rel in (1, 2):
        as_trec_eval(R(cutoff=5, rel=rel, capped=True), case, "relative_P_5", rel)


def test_a_small_set_can_reach_1():
    assert SetRelP().of([1, 1], {1: 9}) == 1
    assert SetRelP().of([1, 1, 0, 0], {1: 2, 0: 2}) == 1
