"""Rank-biased precision with grades scaled by the topic."""

from assay.measures.rbp import RBP
from assay.measures.rbpnorm import RBPnorm
from oracles.rbp_kin import rbp_norm
from strategies import Collection, agrees, collections, often, settings_of

MEASURES = settings_of(RBPnorm, "RBPnorm(p=0)", "RBPnorm(p=0.999)", "RBPnorm(p=0.5)@3", "RBPnorm(p=0.7, rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, rbp_norm, collection)


def test_each_topic_has_its_own_scale():
    both = Collection(({2: 1, 0: 1}, {4: 1, 2: 1, 0: 1}), ((0, (2, 0)), (1, (2, 0))))
    assert RBPnorm(p=0.5).score(both.judged()).tolist() == [0.5, 0.25]
    assert RBP(p=0.5, gains="unit").score(both.judged()).tolist() == [0.25, 0.25]


def test_small_grades_are_not_made_larger():
    assert RBPnorm(p=0.5).of([0.5], {0.5: 2}) == 0.25


@often(collection=collections(((0, 1), (-1, 0, 1), (1,))))
def test_it_is_rbp_when_grades_are_0_and_1(collection):
    judged = collection.judged()
    assert (RBPnorm(p=0.8).score(judged) == RBP(p=0.8).score(judged)).all()
