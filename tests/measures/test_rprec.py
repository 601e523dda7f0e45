"""R-precision."""

from assay.measures.rprec import Rprec
from oracles.precision import rprec
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(Rprec, "Rprec(rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, rprec, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(Rprec(rel=rel), case, "Rprec", rel)
