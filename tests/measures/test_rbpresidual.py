"""The residual of rank-biased precision."""

import numpy as np
import pytest

from assay.measures.rbp import RBP
from assay.measures.rbpresidual import RBPresidual
from oracles.rbp_kin import rbp_residual
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(RBPresidual, "RBPresidual(p=0)", "RBPresidual(p=0.999)", "RBPresidual(p=0.5)@3")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, rbp_residual, collection)


@often(collection=collections())
def test_rbp_cannot_pass_1(collection):
    judged = collection.judged()
    assert (RBP(p=0.8).score(judged) + RBPresidual(p=0.8).score(judged) <= 1 + 1e-12).all()
    assert (RBPresidual(p=0.8).score(judged) <= RBPresidual(p=0.8, cutoff=3).score(judged) + 1e-12).all()


def test_the_best_that_unknown_documents_can_do():
    ranking = [1, None, 0, None, 1, -1]
    best = [1 if grade in (None, -1) else grade for grade in ranking] + [1] * 1000
    apart = RBP(p=0.8).of(best) - RBP(p=0.8).of(ranking)
    assert RBPresidual(p=0.8).of(ranking) == pytest.approx(apart)


def test_the_tail_is_unknown_even_if_all_was_judged():
    assert RBPresidual(p=0.5).of([1, 0, 1]) == 0.125
    assert np.isclose(RBPresidual(p=0.5).of([]), 1)
