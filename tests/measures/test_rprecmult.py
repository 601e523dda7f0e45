"""Precision at a multiple of R."""

from assay.measures.rprec import Rprec
from assay.measures.rprecmult import RprecMult
from oracles.sets import rprec_mult
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(RprecMult, "RprecMult@0.01", "RprecMult@1.4", "RprecMult(rel=0.5)@1.15", "RprecMult@1000000")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, rprec_mult, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    for rel in (1, 2):
        for multiple in (0.05, 0.2, 0.6, 1.4, 2):
            as_trec_eval(RprecMult(multiple=multiple, rel=rel), case, f"Rprec_mult_{multiple}", rel)


@often(collection=collections())
def test_once_r_is_r_precision(collection):
    judged = collection.judged()
    assert (RprecMult(multiple=1).score(judged) == Rprec().score(judged)).all()


def test_no_rank_is_looked_at_below_a_tenth_of_a_document():
    assert RprecMult(multiple=0.09).of([1], {1: 1}) == 0
    assert RprecMult(multiple=0.11).of([1], {1: 1}) == 1
