"""The F measure."""

import math

import pytest

from assay.measures.f import F
from assay.measures.p import P
from assay.measures.r import R
from oracles.precision import f
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(F, "F@3", "F(beta=0.5)@5", "F(beta=3)", "F(rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, f, collection)


@often(case=scored(low=-1))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(F(rel=rel), case, "set_F", rel)
        as_trec_eval(F(rel=rel, beta=math.sqrt(2)), case, "set_F_2.0", rel)


def test_harmonic_mean_of_precision_and_recall():
    ranking, counts = [1, 0, 1, 0, 1], {1: 7, 0: 2}
    precision, recall = P(cutoff=4).of(ranking, counts), R(cutoff=4).of(ranking, counts)
    assert F(cutoff=4).of(ranking, counts) == pytest.approx(2 * precision * recall / (precision + recall))


def test_a_large_beta_is_recall():
    assert F(cutoff=4, beta=1e6).of([1, 0, 1, 0], {1: 7, 0: 2}) == pytest.approx(2 / 7)
