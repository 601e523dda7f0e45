"""NERR11."""

import random

import pytest

from assay.errors import MeasureError
from assay.measures.nerr11 import NERR11
from oracles.nearly import nerr11
from strategies import agrees, collections, often, scored, settings_of

MEASURES = settings_of(
    NERR11, "NERR11(T=0.25)", "NERR11(T=1, rel=2)", "NERR11(T=10, gains=exp12)", "NERR11(T=1.5, gains=exp-unit)"
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, nerr11, collection)


@often(case=scored())
def test_cwl_eval(case):
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_nerr")
    collection = case.collection()
    gains = [(grade or 0) / 3 for grade in collection.rankings[0][1]]
    theirs = peer.NERReq11CWLMetric(1.5).measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
    ours = NERR11(T=1.5, max_rel=3).score(collection.judged())[0]
    # cwl_eval leaves the walk behind rank 1000 out: less than (2T)^2/999 of a divisor of at least 1.
    assert ours <= theirs + 1e-12
    assert theirs <= ours * (1 + 9 / 999) + 1e-12


def test_a_long_ranking():
    rng = random.Random(11)
    ranking = [rng.choice([None, 0, 0, 0, 1, 2]) for _ in range(2000)]
    counts = {0: 2000, 1: 1000, 2: 1000, 50: 1}
    assert NERR11(T=1.5).of(ranking, counts) == pytest.approx(nerr11(ranking, counts, T=1.5), rel=1e-10)


def test_gains_above_1_are_refused():
    with pytest.raises(MeasureError, match="measure 'NERR11': gains=exp are not all within 0 and 1"):
        NERR11(T=1.5, gains="exp")


def test_a_satisfied_user_stops():
    assert NERR11(T=1).of([1, 0, 0]) == pytest.approx(1, abs=1e-14)
    assert NERR11(T=1).of([1, 1, 1]) == pytest.approx(1, abs=1e-14)
