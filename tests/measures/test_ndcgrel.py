"""nDCG averaged over the relevant documents."""

import pytest

from assay.errors import MeasureError
from assay.measures.ndcg import nDCG
from assay.measures.ndcgrel import nDCGrel
from oracles.ideal import ndcg_rel
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(
    nDCGrel,
    "nDCGrel(gains=binary)",
    "nDCGrel(gains=unit)",
    "nDCGrel(gains=exp12, max_rel=1000001)",
    "nDCGrel(gains={0:0.5,1:3,2:9})",
    "nDCGrel(gains={-1:2,1:0.1})",
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, ndcg_rel, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    as_trec_eval(nDCGrel(), case, "ndcg_rel")


def test_documents_that_were_not_retrieved_count_as_at_the_end():
    ranking, counts = [0, 1, 0], {1: 3, 0: 2}
    at_two, at_end = nDCG(cutoff=2).of(ranking, counts), nDCG().of(ranking, counts)
    assert nDCGrel().of(ranking, counts) == pytest.approx((at_two + 2 * at_end) / 3)


@pytest.mark.parametrize("gains", ["negative", {0: -1, 1: 1}])
def test_negative_gains_are_refused(gains):
    with pytest.raises(MeasureError, match=r"measure 'nDCGrel': gains=.* can be negative; nDCGrel needs"):
        nDCGrel(gains=gains)
