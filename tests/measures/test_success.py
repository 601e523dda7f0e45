"""Success at a cutoff."""

from assay.measures.success import Success
from oracles.precision import success
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(Success, "Success@1", "Success@3", "Success(rel=0.5)@2")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, success, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(Success(cutoff=5, rel=rel), case, "success_5", rel)
