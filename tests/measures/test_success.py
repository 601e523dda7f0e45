"""Success at a cutoff."""

import pytest
from oracles.precision import success
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

from assay.measures.success import Success


@settings_of(Success, "Success@1", "Success@3", "Success(rel=0.5)@2")
@often(collection=collections())
def test_definition(measure, collection):
    agrees(measure, success, collection)


@pytest.mark.parametrize("rel", [1, 2])
@often(case=scored(low=-2))
def test_trec_eval(rel, case):
    as_trec_eval(Success(cutoff=5, rel=rel), case, "success_5", rel)
