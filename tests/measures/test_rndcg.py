"""nDCG averaged over the ranks where the ideal gain drops."""

import pytest

from assay.errors import MeasureError
from assay.measures.ndcg import nDCG
from assay.measures.rndcg import RnDCG
from oracles.ideal import rndcg
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(
    RnDCG,
    "RnDCG(gains=binary)",
    "RnDCG(gains=unit)",
    "RnDCG(gains=exp12, max_rel=1000001)",
    "RnDCG(gains={0:0.5,1:3,2:9})",
    "RnDCG(gains={1:3,2:3})",
    "RnDCG(gains={-1:2,1:0.1})",
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, rndcg, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    as_trec_eval(RnDCG(), case, "Rndcg")


def test_where_it_looks():
    ranking, counts = [1, 0, 2, 0, 1], {2: 1, 1: 2, 0: 2}
    at = [nDCG(cutoff=cut).of(ranking, counts) for cut in (1, 3, 5)]
    assert RnDCG().of(ranking, counts) == pytest.approx(sum(at) / 3)
    assert RnDCG().of(ranking[:4], counts) == pytest.approx(sum(at[:2]) / 2), "one more than R is not looked at"
    assert RnDCG(gains={1: 2}).of(ranking, counts) != RnDCG(gains={1: 1}).of(ranking, counts)


def test_equal_gains_are_one_level():
    ranking, counts = [0, 2, 1], {2: 1, 1: 2, 0: 1}
    whole = nDCG(gains="binary").of(ranking, counts)
    assert RnDCG(gains={1: 3, 2: 3}).of(ranking, counts) == pytest.approx(whole)


@pytest.mark.parametrize("gains", ["negative", {0: -1, 1: 1}])
def test_negative_gains_are_refused(gains):
    with pytest.raises(MeasureError, match=r"measure 'RnDCG': gains=.* can be negative; RnDCG needs"):
        RnDCG(gains=gains)
