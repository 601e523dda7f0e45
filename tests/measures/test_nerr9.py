"""NERR9."""

import random

import pytest

from assay.errors import MeasureError
from assay.measures.nerr9 import NERR9
from oracles.nearly import nerr9
from strategies import agrees, close, collections, often, scored, settings_of

MEASURES = settings_of(
    NERR9, "NERR9@1", "NERR9@3", "NERR9(gains=binary, rel=2)@5", "NERR9(gains=exp-unit)@1000", "NERR9(rel=2)@4"
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, nerr9, collection)


@often(case=scored())
def test_cwl_eval(case):
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_nerr")
    collection = case.collection()
    gains = [(grade or 0) / 3 for grade in collection.rankings[0][1]]
    theirs = peer.NERReq9CWLMetric(6).measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
    ours = NERR9(cutoff=6, max_rel=3).score(collection.judged())[0]
    assert close(ours, theirs)


def test_a_long_ranking():
    rng = random.Random(9)
    ranking = [rng.choice([None, 0, 0, 0, 1, 2]) for _ in range(2000)]
    counts = {0: 2000, 1: 1000, 2: 1000, 50: 1}
    assert NERR9(cutoff=6).of(ranking, counts) == pytest.approx(nerr9(ranking, counts, cutoff=6), rel=1e-10)


def test_gains_above_1_are_refused():
    with pytest.raises(MeasureError, match="measure 'NERR9': gains=exp are not all within 0 and 1"):
        NERR9(cutoff=6, gains="exp")


def test_a_huge_cutoff():
    assert NERR9(cutoff=10**9).of([0, 1]) == pytest.approx(1 / 3, abs=1e-14)
    assert NERR9(cutoff=10**9).of([0, 0]) == 0
