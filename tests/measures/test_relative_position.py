"""Indicators of the curve of cumulated relative positions."""

import math

import numpy as np
import pytest
from hypothesis import strategies as st

from assay.errors import MeasureError
from assay.measures import measure
from assay.measures.relative_position import CRP, CRPN, BalanceRatio, CRPmin, LossAtR, RhoW, TurnAround
from assay.measures.twist import RecoveryRatio
from assay.model.judged import Judged
from effort_cases import equal_or_close, oracle_test
from oracles.effort import crp_at
from strategies import collections, many_examples

test_turnaround_definition = oracle_test(TurnAround, "turn")


@pytest.mark.parametrize(
    ("run", "rank"),
    [
        ([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], 9),
        ([3, 3, 1, 0, 2, 1, 0, 0, 2, 1, 2, 0, 3, 1], 8),
        ([3, 3, 3, 2, 2, 2, 1, 1, 1, 1], 1),
        ([], 10),
        ([0] * 12 + [1], 10),
    ],
)
def test_turnaround_is_the_first_rank_of_the_minimum(run, rank):
    # The runs of the CRP paper; docs/papers/crp.md: for the ideal ranking it is 1.
    assert TurnAround(cutoff=20).of(run, {3: 3, 2: 3, 1: 4, 0: 12}) == rank


def test_turnaround_ignores_documents_without_weight():
    # Grade 1 has the weight of non-relevant documents, so nothing is lost after rank 1.
    assert TurnAround(cutoff=20, weights={1: 0, 2: 1}).of([0, 0], {2: 1, 1: 2, 0: 9}) == 1
    assert TurnAround(cutoff=20, weights={1: 0, 2: 1}).of([1, 0, 2], {2: 1, 1: 2, 0: 9}) == 1
    assert TurnAround(cutoff=20, weights={1: 0}).of([0, 0], {1: 2, 0: 9}) == 1


def test_turnaround_does_not_depend_on_rounding():
    # The curve sums 0.1 + 0.2 + ... up to rank 3; the documents below are where the ideal ranking has them.
    run, counts = [0, 0, 0, 1, 1, 1], {1: 6, 0: 6}
    for weight in (0.1, 0.7, 1e-9, 1e9):
        assert TurnAround(weights={1: weight}).of(run, counts) == TurnAround().of(run, counts) == 3


test_lossatr_definition = oracle_test(LossAtR, "loss")


def test_lossatr_is_the_height_at_rank_r_instead_of_the_minimum():
    b, counts = [3, 3, 1, 0, 2, 1, 0, 0, 2, 1, 2, 0, 3, 1], {3: 3, 2: 3, 1: 4, 0: 4}
    assert LossAtR(cutoff=20).of(b, counts) == -16


def test_lossatr_of_an_empty_ranking_is_the_largest_loss():
    assert LossAtR(cutoff=20).of([], {2: 3, 1: 4}) == -7 * 8 / 2


def test_lossatr_can_be_positive_with_graded_relevance():
    # See docs/papers/crp.md.
    assert LossAtR(cutoff=20).of([1, 1, 2, 1], {2: 1, 1: 3}) == 1


CRP_COUNTS = {3: 3, 2: 3, 1: 4, 0: 10}
A, B = [3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], [3, 3, 1, 0, 2, 1, 0, 0, 2, 1, 2, 0, 3, 1]
CRP_PARAMETERS = [
    {},
    {"norm": "R"},
    {"norm": "full-scale"},
    {"norm": "full-scale", "depth": 40},
    {"norm": "full-scale", "length": "asis"},
    {"weights": "identity", "persistence": 0.9},
    {"norm": "R", "persistence": 0.5, "rel": 2},
]


@many_examples(collection=collections(), rank=st.sampled_from([1, 2, 3, 5, 8, 13, 30]))
def test_crp_definition(collection, rank):
    judged = collection.to_judged()
    for parameters in CRP_PARAMETERS:
        values = CRP(cutoff=rank, **parameters).score(judged).tolist()
        for value, (topic, ranking) in zip(values, collection.rankings, strict=True):
            expected = crp_at(list(ranking), collection.counts[topic], rank, **parameters, top=collection.top)
            weight = collection.top if "weights" in parameters else 0
            assert equal_or_close(value, expected, weight), (rank, parameters, ranking, collection.counts[topic])


def test_crp_of_the_runs_of_the_paper():
    assert [CRP(cutoff=20).of(run, CRP_COUNTS) for run in (A, B)] == [-11, 3]
    position = [0, 0, -1, -7, -2, 0, -4, -3, -2, 0, 8, 0, 0, 0]
    assert [CRP(cutoff=rank).of(A, CRP_COUNTS) for rank in range(1, 15)] == np.cumsum(position).tolist()
    assert [CRP(cutoff=20, norm="R").of(run, CRP_COUNTS) for run in (A, B)] == [-1.1, 0.3]


def test_crp_is_the_height_at_the_rank_even_if_the_curve_is_extended():
    # R is 10, so the curves have at least 20 ranks; the value at rank 3 is still that of rank 3.
    assert CRP(cutoff=3).of(A, CRP_COUNTS) == -1
    assert CRP(cutoff=3, norm="full-scale").of([0] * 3, CRP_COUNTS) == 0


def test_crpmin_and_crpn_are_special_cases_of_crp():
    turn = int(TurnAround(cutoff=50).of(A, CRP_COUNTS))
    at_turn = CRP(cutoff=turn, norm="full-scale", depth=50)
    assert at_turn.of(A, CRP_COUNTS) == CRPmin(cutoff=50).of(A, CRP_COUNTS)
    assert CRP(cutoff=50, norm="full-scale").of(A, CRP_COUNTS) == CRPN(cutoff=50).of(A, CRP_COUNTS)


def test_crp_of_the_ideal_ranking():
    ideal = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
    for rank in (1, 5, 10, 30):
        assert CRP(cutoff=rank).of(ideal, CRP_COUNTS) == CRP(cutoff=rank, norm="R").of(ideal, CRP_COUNTS) == 0
        assert CRP(cutoff=rank, norm="full-scale", depth=100).of(ideal, CRP_COUNTS) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CRP", "CRP needs cutoff"),
        ("CRP(depth=30)@20", "depth has no effect without norm=full-scale"),
        ("CRP(norm=full-scale, depth=10)@20", "depth must be at least the rank 20, got 10"),
        ("CRP(norm=r)@20", "norm must be one of none, R, full-scale"),
    ],
)
def test_crp_rejects_invalid_parameters(text, message):
    with pytest.raises(MeasureError, match=message):
        measure(text)


test_crpmin_definition = oracle_test(CRPmin, "crp_min")


def test_crpmin_of_the_ideal_worst_and_full_scale_rankings():
    counts = {2: 1, 1: 2, 0: 9}
    assert CRPmin(cutoff=9).of([2, 1, 1], counts) == 1
    assert CRPmin(cutoff=9).of([], counts) == 0
    assert CRPmin(cutoff=9).of([0] * 6 + [1, 1, 2], counts) == 0


@many_examples(max_examples=100, collection=collections())
def test_crpmin_is_between_0_and_1(collection):
    # docs/papers/crp.md: at the first minimum, the curve of the full-scale ranking is below the axis.
    judged = collection.to_judged()
    for parameters in ({}, {"cutoff": 4}, {"weights": "identity"}, {"persistence": 0.6, "cutoff": 20}):
        score = CRPmin(**parameters).score(judged)
        assert ((score >= -1e-12) & (score <= 1 + 1e-12)).all()


def test_crpmin_is_nan_if_the_full_scale_curve_is_on_the_axis():
    assert math.isnan(CRPmin(cutoff=2, length="asis").of([1, 0], {1: 2, 0: 1}))
    assert math.isnan(CRPmin(cutoff=9, weights={1: 0}).of([1, 0], {1: 2, 0: 1}))
    assert np.isfinite(CRPmin(cutoff=9).of([1, 0], {1: 2, 0: 1}))


test_crpn_definition = oracle_test(CRPN, "crp_n")
CRPN_COUNTS = {3: 3, 2: 3, 1: 4, 0: 4}


def test_crpn_can_exceed_the_range_stated_in_the_paper():
    # docs/papers/crp.md: above 1 for a curve that ends below the axis, negative near N = 2 R, and not a number there.
    assert CRPN(cutoff=20).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], CRPN_COUNTS) == pytest.approx(4 / 3)
    assert CRPN(cutoff=6).of([1, 1, 0, 0, 0, 2], {2: 1, 1: 2, 0: 3}) == -0.5
    assert math.isnan(CRPN(cutoff=4).of([1, 0, 0, 1], {1: 2, 0: 2}))
    assert math.isnan(CRPN(cutoff=4).of([], {1: 2, 0: 2}))


def test_crpn_clipped_is_between_0_and_1():
    assert CRPN(cutoff=20, clipped=True).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], CRPN_COUNTS) == 1
    assert CRPN(cutoff=6, clipped=True).of([1, 1, 0, 0, 0, 2], {2: 1, 1: 2, 0: 3}) == 0
    assert math.isnan(CRPN(cutoff=4, clipped=True).of([1, 0, 0, 1], {1: 2, 0: 2}))


@pytest.mark.parametrize("weight", [0.1, 1 / 3, 0.7, 1e-12])
def test_crpn_is_nan_despite_rounding(weight):
    assert math.isnan(CRPN(cutoff=6, weights={1: weight}).of([1, 0, 0, 1], {1: 3, 0: 2}))
    assert CRPN(cutoff=7, weights={1: weight}).of([1, 0, 0, 1], {1: 3, 0: 2}) == pytest.approx(
        CRPN(cutoff=7).of([1, 0, 0, 1], {1: 3, 0: 2})
    )


test_balanceratio_definition = oracle_test(BalanceRatio, "b_ratio")
BALANCERATIO_LATE = [0, 0, 0, 0, 0, 1], {1: 2, 0: 6}


def test_balanceratio_can_exceed_the_range_stated_in_the_paper():
    # docs/papers/crp.md: minus infinity, below 0, and far from 1 for the ideal ranking.
    counts = {3: 3, 2: 3, 1: 4, 0: 4}
    assert BalanceRatio(cutoff=20).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], counts) == -math.inf
    assert BalanceRatio(cutoff=6).of(*BALANCERATIO_LATE) < 0
    ideal = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
    assert BalanceRatio(cutoff=20).of(ideal, counts) == pytest.approx(1 - 10 / 17)


def test_balanceratio_clipped_is_between_0_and_1():
    assert BalanceRatio(cutoff=6, clipped=True).of(*BALANCERATIO_LATE) == 0
    assert BalanceRatio(cutoff=6, clipped=True).of([], BALANCERATIO_LATE[1]) == 0
    assert (
        BalanceRatio(cutoff=9, clipped=True).of([1, 1], BALANCERATIO_LATE[1])
        == BalanceRatio(cutoff=9).of([1, 1], BALANCERATIO_LATE[1])
        > 0
    )


def test_balanceratio_if_the_full_scale_ranking_never_recovers():
    # In MATTERS the curve must rise above the axis, but with one grade and 2 R ranks it ends on the axis.
    parameters = {"cutoff": 4, "crossing": "matters"}
    counts = {1: 2, 0: 3}
    assert BalanceRatio(**parameters).of([0, 0, 1, 1], counts) == 0
    assert BalanceRatio(**parameters).of([], counts) == 0
    assert BalanceRatio(**parameters).of([1, 1], counts) == BalanceRatio(**parameters).of([1, 0, 0, 1], counts) == 1


test_rhow_definition = oracle_test(RhoW, "rho_w")


@pytest.mark.parametrize("parameters", [{}, {"endpoint": "right"}, {"crossing": "matters"}, {"weights": "exp"}])
def test_rhow_is_the_recovery_ratio_of_the_full_scale_ranking(parameters):
    counts = {3: 2, 2: 2, 1: 3, 0: 20}
    full_scale = [0] * 14 + [1, 1, 1, 2, 2, 3, 3]
    assert (
        RhoW(cutoff=21, **parameters).of([], counts)
        == RecoveryRatio(cutoff=21, **parameters).of(full_scale, counts)
        > 0
    )


def test_rhow_depends_only_on_the_topic_and_the_length():
    judged = Judged.from_grades([[], [1, 0], [0, 1, 1]], {1: 2, 0: 2})
    assert len(set(RhoW(cutoff=10).score(judged).tolist())) == 1
    assert not np.array_equal(RhoW(cutoff=10).score(judged), RhoW(cutoff=20).score(judged))
