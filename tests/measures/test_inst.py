"""INST."""

import random

import pytest

from assay.errors import MeasureError
from assay.measures.inst import INST
from oracles.inst import inst
from strategies import agrees, collections, often, scored, settings_of

MEASURES = settings_of(
    INST,
    "INST(T=0.5)",
    "INST(T=0.5, gains=binary)",
    "INST(T=10, gains=exp12)",
    "INST(T=1, rel=2)",
    "INST(T=1.5, gains=exp-unit)",
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, inst, collection)


@pytest.mark.parametrize("T", [0.5, 3])
def test_the_definition_is_the_limit_of_a_long_walk(T):
    ranking, counts = [1, 0, 2, 1], {0: 1, 1: 2, 2: 1}
    assert inst(ranking, counts, T, walk=200_000) == pytest.approx(inst(ranking, counts, T), abs=1e-12)


def test_a_long_ranking():
    rng = random.Random(1)
    ranking = [rng.choice([None, 0, 0, 1, 2, 3]) for _ in range(3000)]
    counts = {grade: ranking.count(grade) for grade in (0, 1, 2, 3)}
    assert INST(T=5).of(ranking, counts) == pytest.approx(inst(ranking, counts, 5), rel=1e-10)


@often(case=scored())
def test_cwl_eval(case):
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_inst")
    collection = case.collection()
    gains = [(grade or 0) / 3 for grade in collection.rankings[0][1]]
    for T in (0.5, 1, 2.5):
        theirs = peer.INSTCWLMetric(T).measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
        ours = INST(T=T, max_rel=3).score(collection.judged())[0]
        # cwl_eval leaves the walk behind rank 1000 out. Behind the last document, at rank 16 at most, V falls as
        # (x / (x + m))^2 with x <= 16 + 2T: less than x^2/980 is left out of a divisor of at least 1.
        assert ours <= theirs + 1e-12
        assert theirs <= ours * (1 + (16 + 2 * T) ** 2 / 980) + 1e-12


@pytest.mark.parametrize(("T", "percent"), [(0.5, 0.061), (1, 0.155), (3, 0.552), (10, 1.950)])
def test_how_much_larger_the_values_of_cwl_eval_can_be(T, percent):
    """At most as much as those of INSQ, and nearly as much if the only relevant document comes late."""
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_inst")

    def larger(gains):
        theirs = peer.INSTCWLMetric(T).measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
        return 100 * (theirs / INST(T=T).of(gains) - 1)

    assert larger([0] * 900 + [1]) == pytest.approx(percent, rel=0.01)
    assert 0 <= larger([1, 0, 0, 1]) < percent


def test_a_satisfied_user_stops():
    # T = 1/2: after the first relevant document C(1) = 0, so nothing further is seen.
    assert INST(T=0.5).of([1, 0, 0]) == INST(T=0.5).of([1, 1, 1]) == 1.0


def test_gains_above_1_are_refused():
    with pytest.raises(MeasureError, match="measure 'INST': gains=exp are not all within 0 and 1"):
        INST(T=1, gains="exp")
