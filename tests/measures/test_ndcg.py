"""Normalised discounted cumulated gain."""

import pytest

from assay.errors import MeasureError
from assay.measures.ndcg import nDCG
from oracles.dcg import ndcg
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(
    nDCG,
    "nDCG@3",
    "nDCG(gains=exp)@5",
    "nDCG(gains=exp-unit)@5",
    "nDCG(gains=unit, max_rel=4)",
    "nDCG(gains=binary)@4",
    "nDCG(gains=binary, rel=0.5)",
    "nDCG(gains={0:0.5,1:3,2:9})@4",
    "nDCG(gains={-1:2,1:1})",
    "nDCG(base=2, rel=2)@6",
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, ndcg, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    as_trec_eval(nDCG(), case, "ndcg")
    as_trec_eval(nDCG(cutoff=5), case, "ndcg_cut_5")


def test_the_ideal_holds_every_judged_document():
    assert nDCG(cutoff=1).of([1], {1: 1, 2: 1}) == 0.5


def test_an_unjudged_document_is_never_worth_more_than_a_judged_one_could_be():
    # Even if grade 0 is given a gain, unjudged documents have none; else the value could pass 1.
    assert nDCG(gains={0: 0.5, 1: 1}).of([None, None, None, 1], {1: 1}) < 0.5


@pytest.mark.parametrize("gains", ["negative", {0: -1, 1: 1}])
def test_negative_gains_are_refused_with_what_to_use_instead(gains):
    with pytest.raises(MeasureError, match=r"measure 'nDCG': gains=.* can be negative.*use DCG"):
        nDCG(gains=gains)
