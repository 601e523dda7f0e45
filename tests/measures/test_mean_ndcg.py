"""nDCG averaged over prefixes."""

import pytest

from assay.errors import MeasureError
from assay.measures.mean_ndcg import MeanNDCG
from assay.measures.ndcg import nDCG
from oracles.dcg import mean_ndcg
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(
    MeanNDCG,
    "MeanNDCG@1",
    "MeanNDCG@3",
    "MeanNDCG(gains=exp12, max_rel=4)@5",
    "MeanNDCG(rel=2)@4",
    "MeanNDCG(base=2)@6",
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, mean_ndcg, collection)


def test_it_is_the_mean_of_ndcg():
    ranking, counts = [1, 0, 3], {0: 2, 1: 1, 3: 2}
    cuts = [nDCG(cutoff=k).of(ranking, counts) for k in (1, 2, 3, 4, 5)]
    assert MeanNDCG(cutoff=5).of(ranking, counts) == pytest.approx(sum(cuts) / 5)


def test_negative_gains_are_refused():
    with pytest.raises(MeasureError, match="gains=negative can be negative"):
        MeanNDCG(cutoff=5, gains="negative")
