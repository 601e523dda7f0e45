"""The DCG of the ideal ranking."""

import numpy as np

from assay.measures import measure
from assay.measures.idealdcg import IdealDCG
from oracles.ideal import ideal_dcg
from strategies import agrees, collections, often, refuses, settings_of

MEASURES = settings_of(
    IdealDCG,
    "IdealDCG@3",
    "IdealDCG(gains=unit)",
    "IdealDCG(gains=negative)",
    "IdealDCG(gains=binary, rel=2)",
    "IdealDCG(gains={0:-1,1:3,2:9})@4",
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, ideal_dcg, collection)


@often(collection=collections())
def test_ndcg_is_dcg_divided_by_it(collection):
    judged = collection.judged()
    for rest in ("", "@3", "(gains=exp)@5", "(base=2)", "(gains={0:0.5,1:3})"):
        ideal = measure("IdealDCG" + rest)
        if not refuses(ideal, collection.top):
            whole = measure("nDCG" + rest).score(judged) * ideal.score(judged)
            assert np.allclose(whole, measure("DCG" + rest).score(judged), rtol=1e-12, atol=0)
