"""Interpolated precision averaged over recall levels."""

import pytest

from assay.measures.iprec import IPrec
from assay.measures.iprec_avg import IPrecAvg
from oracles.iprec import iprec_avg
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(IPrecAvg, "IPrecAvg(points=11, rounding=trec_eval-10)", "IPrecAvg(points=3, rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, iprec_avg, collection)


@often(case=scored(low=-1))
def test_trec_eval(case):
    for rel in (1, 2):
        # pytrec_eval holds trec_eval 9.
        as_trec_eval(IPrecAvg(points=11, rel=rel, rounding="trec_eval-9"), case, "11pt_avg", rel)


def test_the_levels():
    ranking, counts = [0, 1, 0, 1, 0, 0, 1], {1: 4, 0: 4}
    at = {x: IPrec(recall=x / 10).of(ranking, counts) for x in range(11)}
    assert IPrecAvg(points=3).of(ranking, counts) == pytest.approx((at[2] + at[5] + at[8]) / 3)
    assert IPrecAvg(points=11).of(ranking, counts) == pytest.approx(sum(at.values()) / 11)
