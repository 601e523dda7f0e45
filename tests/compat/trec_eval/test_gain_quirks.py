"""Gains given by the user, as trec_eval computes them."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.compat.trec_eval import gain_quirks
from assay.compat.trec_eval.parameters import Gain
from assay.model.judged import Judged
from oracles import trec_eval_gains as oracle

GAINS = st.sampled_from([-2.0, -0.5, 0.0, 0.25, 0.5, 0.9, 1.0, 1.4, 2.0, 3.0, 4.5, 9.0])
PAIRS = st.lists(st.tuples(st.integers(-2, 5), GAINS), max_size=4, unique_by=lambda pair: pair[0])
RANKINGS = st.lists(st.sampled_from([None, -1, 0, 1, 2, 3]), max_size=9)
COUNTS = st.dictionaries(st.integers(0, 3), st.integers(1, 4), min_size=1)
FUNCTIONS = [
    (gain_quirks.ndcg, oracle.ndcg),
    (gain_quirks.ndcg_rel, oracle.ndcg_rel),
    (gain_quirks.rndcg, oracle.rndcg),
    (gain_quirks.g, oracle.lagging),
    (gain_quirks.dcg, lambda gains, best: oracle.dcg_at(gains, len(gains))),
    (gain_quirks.ideal_dcg, lambda gains, best: oracle.dcg_at(best, len(best))),
]


def build_judged(ranking, counts):
    """Return a judged ranking, with enough judgments of each grade, and its counts of non-negative grades."""
    grades = [grade for grade in ranking if grade is not None]
    sufficient = {grade: max(counts.get(grade, 0), grades.count(grade)) for grade in {*counts, *grades}}
    return Judged.from_grades([ranking], sufficient), {g: n for g, n in sufficient.items() if g >= 0}


def to_gains(pairs):
    return tuple(Gain(str(grade), gain) for grade, gain in pairs)


@settings(max_examples=300)
@given(PAIRS, RANKINGS, COUNTS)
def test_functions_match_the_oracle(pairs, ranking, counts):
    judged, counted = build_judged(ranking, counts)
    best = oracle.ideal_gains(pairs, counted)
    assume(best)
    code = {None: -1, -1: -2}
    gains = [dict(pairs).get(code.get(g, g), 0.0 if g is None or g < 0 else float(g)) for g in ranking]
    # If a ranking gains more than the ranking that trec_eval considers ideal, G divides by an undefined logarithm.
    lead = np.cumsum(np.maximum(np.array([*best, *np.zeros(len(gains))])[: len(gains)], 1)) - np.cumsum(gains)
    for fast, slow in FUNCTIONS:
        if fast is not gain_quirks.g or (lead > -0.9).all():
            assert gain_quirks.score_rankings(fast, to_gains(pairs), judged)[0] == pytest.approx(
                slow(gains, best), abs=1e-12
            )


@settings(max_examples=200)
@given(PAIRS, RANKINGS, COUNTS, st.sampled_from([0.5, 0.8, 0.9]))
def test_rbp_is_bitwise_equal(pairs, ranking, counts, p):
    judged, counted = build_judged(ranking, counts)
    assert gain_quirks.rbp(judged, p, to_gains(pairs))[0] == oracle.rbp(ranking, pairs, counted, p)


@settings(max_examples=200)
@given(st.lists(st.sampled_from([None, -1, 0, 1, 2, 3]), max_size=60), st.sampled_from([0.5, 0.8, 0.9]))
def test_rbp_resid_is_bitwise_equal(ranking, p):
    judged, _ = build_judged(ranking, {0: 1})
    assert gain_quirks.rbp_resid(judged, p)[0] == oracle.rbp_resid(ranking, p)


@settings(max_examples=200)
@given(PAIRS)
def test_merge_sort_matches_the_oracle(pairs):
    assert gain_quirks.merge_sort([gain_quirks.GradeGain(*pair) for pair in pairs]) == oracle.merge_sort(pairs)


def test_gains_closer_than_1_make_the_ideal_ranking_empty():
    # trec_eval prints 0.0000 for an ideal ranking with these gains; nDCG(gains={1:0.5,2:0.9}) is 1.
    judged = Judged.from_grades([[2, 1, 0]])
    assert gain_quirks.score_rankings(gain_quirks.ndcg, (Gain("1", 0.5), Gain("2", 0.9)), judged)[0] == 0


def test_huge_grade_needs_no_loop_over_grades():
    judged = Judged.from_grades([[10**8, 0, 1]])
    value = gain_quirks.score_rankings(gain_quirks.ndcg, (Gain("1", 3.0),), judged)[0]
    assert value == pytest.approx((1e8 + 3 / 2) / (1e8 + 3 / math.log2(3)))


def test_rbp_is_0_with_only_negative_grades():
    assert gain_quirks.rbp(Judged.from_grades([[-1, None]]), 0.9, ())[0] == 0
