"""INSQ."""

import numpy as np
import pytest

from assay.errors import MeasureError
from assay.measures.insq import INSQ
from oracles.inst import insq
from strategies import agrees, collections, often, scored, settings_of

MEASURES = settings_of(
    INSQ, "INSQ(T=0.25)", "INSQ(T=10, gains=exp12)", "INSQ(T=1, rel=2)", "INSQ(T=1.5, gains=exp-unit)"
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, insq, collection)


@pytest.mark.parametrize("T", [0.5, 3])
def test_the_definition_is_the_limit_of_a_long_walk(T):
    # The rest behind 200000 ranks is about 1/200000, of which half a rank in 200000 is not known.
    ranking, counts = [1, 0, 2, 1], {0: 1, 1: 2, 2: 1}
    assert insq(ranking, counts, T, walk=200_000) == pytest.approx(insq(ranking, counts, T), abs=1e-12)


@often(case=scored())
def test_cwl_eval(case):
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_insq")
    collection = case.collection()
    gains = [(grade or 0) / 3 for grade in collection.rankings[0][1]]
    for T in (0.5, 1, 2.5):
        theirs = peer.INSQCWLMetric(T).measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
        ours = INSQ(T=T, max_rel=3).score(collection.judged())[0]
        # cwl_eval leaves the weights behind rank 1000 out of the divisor: less than 1/(999 + 2T) of a sum above 1/2T.
        assert ours <= theirs + 1e-12
        assert theirs <= ours * (1 + 2 * T / 999) + 1e-12


@pytest.mark.parametrize(("T", "percent"), [(0.5, 0.061), (1, 0.155), (2, 0.352), (3, 0.552), (5, 0.951), (10, 1.950)])
def test_how_much_larger_the_values_of_cwl_eval_are(T, percent):
    """The numbers of docs/differences.md: the same for every ranking."""
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_insq")
    for gains in ([1, 0, 0, 1], [0] * 400 + [1]):
        theirs = peer.INSQCWLMetric(T).measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
        assert 100 * (theirs / INSQ(T=T).of(gains) - 1) == pytest.approx(percent, abs=0.001)


def test_the_weights_of_all_ranks_add_up_to_1():
    weights = INSQ(T=2).weight(np.arange(1, 100_001))
    assert weights.sum() == pytest.approx(1, abs=1e-4)


def test_gains_above_1_are_refused():
    with pytest.raises(MeasureError, match="measure 'INSQ': gains=base5 are not all within 0 and 1"):
        INSQ(T=1, gains="base5")
