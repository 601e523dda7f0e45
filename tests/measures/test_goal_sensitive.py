"""Goal-sensitive measures, in which the user has a target gain T: INSQ, INST and BPM."""

import random

import numpy as np
import pytest

from assay.errors import MeasureError
from assay.measures.goal_sensitive import BPM, INSQ, INST
from oracles.bpm import bpm
from oracles.inst import insq, inst
from strategies import check_against_oracle, close, collections, example_settings, many_examples, scored_topics

DEFINITIONS = [
    pytest.param(
        example_settings(
            INSQ, "INSQ(T=0.25)", "INSQ(T=10, gains=exp12)", "INSQ(T=1, rel=2)", "INSQ(T=1.5, gains=exp-unit)"
        ),
        insq,
        id="INSQ",
    ),
    pytest.param(
        example_settings(
            INST,
            "INST(T=0.5)",
            "INST(T=0.5, gains=binary)",
            "INST(T=10, gains=exp12)",
            "INST(T=1, rel=2)",
            "INST(T=1.5, gains=exp-unit)",
        ),
        inst,
        id="INST",
    ),
    pytest.param(
        example_settings(
            BPM,
            "BPM(T=1)@3",
            "BPM(T=0.5)@5",
            "BPM(T=2, max_rel=4)@3",
            "BPM(T=1, gains=exp12)@6",
            "BPM(T=1.5, gains=exp-unit)@12",
            "BPM(T=2, gains=binary, rel=2)@5",
            "BPM(T=1, rel=2)@5",
            "BPM(T=100)@7",
        ),
        bpm,
        id="BPM",
    ),
]


@pytest.mark.parametrize(("measures", "definition"), DEFINITIONS)
@many_examples(collection=collections())
def test_definition(measures, definition, collection):
    check_against_oracle(measures, definition, collection)


@pytest.mark.parametrize("T", [0.5, 3])
def test_insq_oracle_is_the_limit_of_a_long_sum(T):
    # The tail after 200000 ranks is about 1/200000; its error is a fraction of about 1/400000 of that.
    ranking, counts = [1, 0, 2, 1], {0: 1, 1: 2, 2: 1}
    assert insq(ranking, counts, T, walk=200_000) == pytest.approx(insq(ranking, counts, T), abs=1e-12)


@many_examples(case=scored_topics())
def test_insq_agrees_with_cwl_eval(case):
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_insq")
    collection = case.collection()
    gains = [(grade or 0) / 3 for grade in collection.rankings[0][1]]
    for T in (0.5, 1, 2.5):
        theirs = peer.INSQCWLMetric(T).measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
        ours = INSQ(T=T, max_rel=3).score(collection.to_judged())[0]
        # cwl_eval omits the weights after rank 1000 from the divisor: less than 1/(999 + 2T) of a sum above 1/2T.
        assert ours <= theirs + 1e-12
        assert theirs <= ours * (1 + 2 * T / 999) + 1e-12


@pytest.mark.parametrize(("T", "percent"), [(0.5, 0.061), (1, 0.155), (2, 0.352), (3, 0.552), (5, 0.951), (10, 1.950)])
def test_insq_excess_of_cwl_eval_in_percent(T, percent):
    """Check the numbers of docs/differences.md, which are the same for every ranking."""
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_insq")
    for gains in ([1, 0, 0, 1], [0] * 400 + [1]):
        theirs = peer.INSQCWLMetric(T).measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
        assert 100 * (theirs / INSQ(T=T).of(gains) - 1) == pytest.approx(percent, abs=0.001)


def test_insq_weights_sum_to_1():
    weights = INSQ(T=2).weight(np.arange(1, 100_001))
    assert weights.sum() == pytest.approx(1, abs=1e-4)


def test_insq_requires_gains_between_0_and_1():
    with pytest.raises(MeasureError, match="measure 'INSQ': gains=base5 are not all between 0 and 1"):
        INSQ(T=1, gains="base5")


@pytest.mark.parametrize("T", [0.5, 3])
def test_inst_oracle_is_the_limit_of_a_long_sum(T):
    ranking, counts = [1, 0, 2, 1], {0: 1, 1: 2, 2: 1}
    assert inst(ranking, counts, T, walk=200_000) == pytest.approx(inst(ranking, counts, T), abs=1e-12)


def test_inst_on_a_long_ranking():
    rng = random.Random(1)
    ranking = [rng.choice([None, 0, 0, 1, 2, 3]) for _ in range(3000)]
    counts = {grade: ranking.count(grade) for grade in (0, 1, 2, 3)}
    assert INST(T=5).of(ranking, counts) == pytest.approx(inst(ranking, counts, 5), rel=1e-10)


@many_examples(case=scored_topics())
def test_inst_agrees_with_cwl_eval(case):
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_inst")
    collection = case.collection()
    gains = [(grade or 0) / 3 for grade in collection.rankings[0][1]]
    for T in (0.5, 1, 2.5):
        theirs = peer.INSTCWLMetric(T).measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
        ours = INST(T=T, max_rel=3).score(collection.to_judged())[0]
        # cwl_eval truncates at rank 1000. After the last document, at rank 16 at most, V decreases as
        # (x / (x + m))^2 with x <= 16 + 2T, so truncation omits less than x^2/980 of a divisor of at least 1.
        assert ours <= theirs + 1e-12
        assert theirs <= ours * (1 + (16 + 2 * T) ** 2 / 980) + 1e-12


@pytest.mark.parametrize(("T", "percent"), [(0.5, 0.061), (1, 0.155), (3, 0.552), (10, 1.950)])
def test_inst_excess_of_cwl_eval_in_percent(T, percent):
    """The excess is at most that of INSQ, and nearly equal if the only relevant document is ranked late."""
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_inst")

    def excess_percent(gains):
        theirs = peer.INSTCWLMetric(T).measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
        return 100 * (theirs / INST(T=T).of(gains) - 1)

    assert excess_percent([0] * 900 + [1]) == pytest.approx(percent, rel=0.01)
    assert 0 <= excess_percent([1, 0, 0, 1]) < percent


def test_inst_stops_when_the_target_is_reached():
    # T = 1/2: C(1) = 0 after the first relevant document, so the user stops there.
    assert INST(T=0.5).of([1, 0, 0]) == INST(T=0.5).of([1, 1, 1]) == 1.0


def test_inst_requires_gains_between_0_and_1():
    with pytest.raises(MeasureError, match="measure 'INST': gains=exp are not all between 0 and 1"):
        INST(T=1, gains="exp")


@many_examples(case=scored_topics())
def test_bpm_agrees_with_cwl_eval(case):
    ranking = pytest.importorskip("cwl.ruler.ranking")
    peer = pytest.importorskip("cwl.ruler.measures.cwl_bpm")
    collection = case.collection()
    gains = [(grade or 0) / 3 for grade in collection.rankings[0][1]]
    for T in (0.5, 1, 2):
        theirs = peer.BPMCWLMetric(T, 6).measure(ranking.Ranking("t", gains, [1.0] * len(gains)))
        assert close(BPM(T=T, cutoff=6, max_rel=3).score(collection.to_judged())[0], theirs)


def test_bpm_stops_at_the_target_gain_or_at_the_cutoff():
    assert BPM(T=2, cutoff=10).of([1, 0, 1, 1]) == pytest.approx(2 / 3)
    assert BPM(T=4, cutoff=10).of([1, 0, 1, 1]) == pytest.approx(3 / 10)
    assert BPM(T=4, cutoff=3).of([1, 0, 1, 1]) == pytest.approx(2 / 3)


def test_bpm_requires_gains_between_0_and_1():
    with pytest.raises(MeasureError, match="measure 'BPM': gains=exp are not all between 0 and 1"):
        BPM(T=1, cutoff=10, gains="exp")
