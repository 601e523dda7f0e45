"""Recall."""

from assay.measures.ap import AP
from assay.measures.r import R
from oracles.precision import r
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(R, "R@3", "R(capped=true)@3", "R(capped=true)", "R(rel=0.5, capped=true)@2")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, r, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(R(cutoff=5, rel=rel), case, "recall_5", rel)
        as_trec_eval(R(rel=rel), case, "set_recall", rel)


@often(collection=collections())
def test_recall_bounds_average_precision(collection):
    # Stated in [002].
    judged = collection.judged()
    assert (AP().score(judged) <= R().score(judged) + 1e-12).all()
