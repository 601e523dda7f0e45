"""NERR8."""

import random

import pytest

from assay.errors import MeasureError
from assay.measures.nerr8 import NERR8
from oracles.nearly import nerr8
from strategies import agrees, close, collections, often, scored, settings_of

MEASURES = settings_of(
    NERR8, "NERR8@1", "NERR8@3", "NERR8(gains=binary, rel=2)@5", "NERR8(gains=exp-unit)@1000", "NERR8(rel=2)@4"
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, nerr8, collection)


@often(case=scored())
def test_cwl_eval(case):
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_nerr")
    collection = case.collection()
    gains = [(grade or 0) / 3 for grade in collection.rankings[0][1]]
    theirs = peer.NERReq8CWLMetric(6).measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
    ours = NERR8(cutoff=6, max_rel=3).score(collection.judged())[0]
    assert close(ours, theirs)


def test_a_long_ranking():
    rng = random.Random(8)
    ranking = [rng.choice([None, 0, 0, 0, 1, 2]) for _ in range(2000)]
    counts = {0: 2000, 1: 1000, 2: 1000, 50: 1}
    assert NERR8(cutoff=6).of(ranking, counts) == pytest.approx(nerr8(ranking, counts, cutoff=6), rel=1e-10)


def test_gains_above_1_are_refused():
    with pytest.raises(MeasureError, match="measure 'NERR8': gains=exp are not all within 0 and 1"):
        NERR8(cutoff=6, gains="exp")


def test_a_huge_cutoff():
    assert NERR8(cutoff=10**9).of([0, 1]) == 0.5
    assert NERR8(cutoff=10**9).of([0, 0]) == 0
