"""Inferred average precision."""

import pytest

from assay.measures.ap import AP
from assay.measures.infap import infAP
from oracles.infap import infap
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(infAP, "infAP(rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, infap, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(infAP(rel=rel), case, "infAP", rel)


def test_a_pool_judged_completely_gives_ap():
    ranking, counts = [1, 0, 1, 0, 0, 1], {1: 4, 0: 5}
    assert infAP().of(ranking, counts) == pytest.approx(AP().of(ranking, counts), abs=1e-4)


def test_documents_pooled_but_not_judged_count_half_when_nothing_else_is_known():
    # Above the relevant document stand one of the pool, not judged, and one that was not pooled.
    assert infAP().of([-1, None, 1], {1: 1, -1: 1}) == pytest.approx(1 / 3 + 1 / 3 * 0.5)
