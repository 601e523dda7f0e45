"""Average precision of a set."""

import pytest

from assay.measures.r import R
from assay.measures.setap import SetAP
from assay.measures.setp import SetP
from oracles.sets import set_ap
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(SetAP, "SetAP(rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, set_ap, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(SetAP(rel=rel), case, "set_map", rel)


def test_precision_times_recall():
    ranking, counts = [1, 0, 1], {1: 7, 0: 2}
    assert SetAP().of(ranking, counts) == pytest.approx(SetP().of(ranking) * R().of(ranking, counts))
