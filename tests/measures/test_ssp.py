"""The scaled sum of precisions."""

from assay.measures.ap import AP
from assay.measures.ssp import SSP
from oracles.ap import ssp
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(SSP, "SSP@1", "SSP@3", "SSP(rel=0.5)@5")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, ssp, collection)


@often(collection=collections())
def test_it_is_ap_divided_by_the_cutoff(collection):
    judged = collection.judged()
    assert (SSP(cutoff=4).score(judged) == AP(cutoff=4, norm="k").score(judged)).all()
