"""The Bejeweled player model."""

import pytest

from assay.errors import MeasureError
from assay.measures.bpm import BPM
from oracles.bpm import bpm
from strategies import agrees, close, collections, often, scored, settings_of

MEASURES = settings_of(
    BPM,
    "BPM(T=1)@3",
    "BPM(T=0.5)@5",
    "BPM(T=2, max_rel=4)@3",
    "BPM(T=1, gains=exp12)@6",
    "BPM(T=1.5, gains=exp-unit)@12",
    "BPM(T=2, gains=binary, rel=2)@5",
    "BPM(T=1, rel=2)@5",
    "BPM(T=100)@7",
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, bpm, collection)


@often(case=scored())
def test_cwl_eval(case):
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_bpm")
    collection = case.collection()
    gains = [(grade or 0) / 3 for grade in collection.rankings[0][1]]
    for T in (0.5, 1, 2):
        theirs = peer.BPMCWLMetric(T, 6).measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
        assert close(BPM(T=T, cutoff=6, max_rel=3).score(collection.judged())[0], theirs)


def test_the_user_stops_with_enough_gain_or_at_the_cutoff():
    assert BPM(T=2, cutoff=10).of([1, 0, 1, 1]) == pytest.approx(2 / 3)
    assert BPM(T=4, cutoff=10).of([1, 0, 1, 1]) == pytest.approx(3 / 10)
    assert BPM(T=4, cutoff=3).of([1, 0, 1, 1]) == pytest.approx(2 / 3)


def test_gains_above_1_are_refused():
    with pytest.raises(MeasureError, match="measure 'BPM': gains=exp are not all within 0 and 1"):
        BPM(T=1, cutoff=10, gains="exp")
