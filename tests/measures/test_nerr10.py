"""NERR10."""

import random

import pytest

from assay.errors import MeasureError
from assay.measures.nerr10 import NERR10
from oracles.nearly import nerr10
from strategies import agrees, close, collections, often, scored, settings_of

MEASURES = settings_of(
    NERR10, "NERR10(p=0)", "NERR10(p=0.5, rel=2)", "NERR10(p=0.99, gains=exp12)", "NERR10(p=0.7, gains=exp-unit)"
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, nerr10, collection)


@often(case=scored())
def test_cwl_eval(case):
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_nerr")
    collection = case.collection()
    gains = [(grade or 0) / 3 for grade in collection.rankings[0][1]]
    theirs = peer.NERReq10CWLMetric(0.9).measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
    ours = NERR10(p=0.9, max_rel=3).score(collection.judged())[0]
    assert close(ours, theirs)


def test_a_long_ranking():
    rng = random.Random(10)
    ranking = [rng.choice([None, 0, 0, 0, 1, 2]) for _ in range(2000)]
    counts = {0: 2000, 1: 1000, 2: 1000, 50: 1}
    assert NERR10(p=0.9).of(ranking, counts) == pytest.approx(nerr10(ranking, counts, p=0.9), rel=1e-10)


def test_gains_above_1_are_refused():
    with pytest.raises(MeasureError, match="measure 'NERR10': gains=exp are not all within 0 and 1"):
        NERR10(p=0.9, gains="exp")
