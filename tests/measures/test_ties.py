"""Expected values over tied documents, compared with the mean over all orders."""

from __future__ import annotations

import math
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import strategies as st

from assay.measures import measure
from assay.measures._values import compute_values
from assay.measures.average_precision import AP
from assay.measures.cascade import ERR
from assay.measures.preferences import Bpref
from assay.measures.rank_biased import RBP
from assay.measures.reciprocal_rank import RR, Success, find_first_ranks
from assay.model.judged import Judged
from assay.model.policies import Policies
from oracles.accuracy import accuracy
from oracles.ap import ap, ap_star, sp, ssp
from oracles.bpm import bpm
from oracles.bpref import bpref
from oracles.classical import esl, frustration, sft, sliding_ratio
from oracles.compat import compat
from oracles.dcg import cg, dcg, mean_ndcg, ncg, ndcg, sdcg
from oracles.effort import crp_at, effort
from oracles.err import err, nerr
from oracles.ideal import bing, g, ideal_dcg, ndcg_rel, rndcg
from oracles.infap import infap
from oracles.inst import insq, inst
from oracles.iprec import iprec, iprec_avg
from oracles.nerr import nerr8, nerr9, nerr10, nerr11
from oracles.precision import f, judged_share, num_q, num_rel, num_rel_ret, num_ret, p, r, rprec, shaw, success
from oracles.q import q
from oracles.rbp import rbp, rbp_ties
from oracles.rbp_variants import rbp_norm, rbp_residual
from oracles.rr import damped_rr, rr, rr2
from oracles.sets import (
    num_nonrel_judged_ret,
    num_unjudged_ret,
    rprec_mult,
    set_ap,
    set_p,
    set_rel_p,
    unjudged_share,
    utility,
)
from oracles.ties import mean_over_orders, orders
from oracles.yaap import yaap
from strategies import Collection, close, examples, many_examples, parameters

# Measures with a closed form of the expected value, with more settings than their examples.
EXACT = {
    "Accuracy": accuracy,
    "Accuracy(rel=2)": accuracy,
    "AP": ap,
    "AP@3": ap,
    "AP(norm=min)@3": ap,
    "AP(norm=k)@2": ap,
    "AP(rel=2)": ap,
    "AP*": ap_star,
    "AP*(rel=2)": ap_star,
    "SP": sp,
    "SP@3": sp,
    "SSP@2": ssp,
    "SSP@5": ssp,
    "SlidingRatio@3": sliding_ratio,
    "SlidingRatio(gains=exp, rel=2)@2": sliding_ratio,
    "Frustration@3": frustration,
    "SFT(w=0.7)@3": sft,
    "ESL": esl,
    "ESL(n=2)": esl,
    "ESL(n=3, rel=2)": esl,
    "RR": rr,
    "RR@2": rr,
    "RR(rel=2)": rr,
    "DampedRR(k=2)": damped_rr,
    "DampedRR(k=0.5)@3": damped_rr,
    "Success@1": success,
    "Success@3": success,
    "P@1": p,
    "P@4": p,
    "R@3": r,
    "R(capped=true)@2": r,
    "Rprec": rprec,
    "F@3": f,
    "F": f,
    "CG@2": cg,
    "CG(gains=negative)@3": cg,
    "DCG": dcg,
    "DCG(gains=exp)@3": dcg,
    "DCG(base=2, gains=negative)@4": dcg,
    "nCG@3": ncg,
    "nDCG": ndcg,
    "nDCG(gains=exp)@3": ndcg,
    "nDCG(gains={0:0.5,1:3,2:9})@2": ndcg,
    "MeanNDCG@4": mean_ndcg,
    "SDCG@3": sdcg,
    "RBP(p=0.8)": rbp,
    "RBP(p=0.5, gains=unit)@3": rbp,
    "INSQ(T=2)": insq,
    "Judged@2": judged_share,
    "NumRelRet": num_rel_ret,
    "NumRet": num_ret,
    "NumRel": num_rel,
    "NumQ": num_q,
    "NumNonrelJudgedRet": num_nonrel_judged_ret,
    "NumUnjudgedRet": num_unjudged_ret,
    "Unjudged@2": unjudged_share,
    "SetP": set_p,
    "SetRelP(rel=2)": set_rel_p,
    "SetAP": set_ap,
    "Utility(rel_missed=-0.5, nonrel_missed=0.1, docs=30)": utility,
    "RprecMult@0.5": rprec_mult,
    "RprecMult(rel=2)@1.3": rprec_mult,
    "IdealDCG@3": ideal_dcg,
    "RnDCG": rndcg,
    "RnDCG(gains=exp)": rndcg,
    "RBPnorm(p=0.8)": rbp_norm,
    "RBPnorm(p=0.5, rel=2)@3": rbp_norm,
    "RBPresidual(p=0.8)": rbp_residual,
    "RBPresidual(p=0.5)@2": rbp_residual,
    "RhoW@9": effort("rho_w"),
}
# Measures whose expected value is estimated from samples.
SAMPLED = {
    "Accuracy@3": accuracy,
    "Compat": compat,
    "Compat(p=0.5, normalize=false)": compat,
    "NERR8@3": nerr8,
    "NERR9@4": nerr9,
    "NERR10(p=0.8)": nerr10,
    "NERR11(T=1)": nerr11,
    "bpref": bpref,
    "bpref(k=1)": bpref,
    "BPM(T=1)@3": bpm,
    "ERR@3": err,
    "nERR": nerr,
    "infAP": infap,
    "INST(T=1)": inst,
    "IPrec@0.5": iprec,
    "IPrecAvg(points=11)": iprec_avg,
    "Q": q,
    "Q(gains=exp)@3": q,
    "RBP(p1=0.9, p2=0.5)": rbp,
    "RR2": rr2,
    "Shaw@2": shaw,
    "BinG": bing,
    "G": g,
    "nDCGrel": ndcg_rel,
    "YAAP": yaap,
}
EFFORT_MEASURES = {
    "BackwardSpace@9": effort("s_minus"),
    "BackwardSpaceRatio@9": effort("sigma_minus"),
    "BalanceRatio(clipped=true)@9": effort("b_ratio"),
    "CRP@9": crp_at,
    "CRPmin@9": effort("crp_min"),
    "CRPN@30": effort("crp_n"),
    "ForwardSpace@9": effort("s_plus"),
    "ForwardSpaceRatio@9": effort("sigma_plus"),
    "LossAtR@9": effort("loss"),
    "RecoveryRatio(endpoint=right)@9": effort("rho"),
    "SpaceRatio(length=asis)@9": effort("sigma"),
    "TurnAround@9": effort("turn"),
    "Twist@9": effort("twist"),
    "Twist(weights=exp, persistence=0.9)@4": effort("twist"),
}
EVERY_SAMPLED = {**SAMPLED, **EFFORT_MEASURES}
MEASURES = [example.values[0] for example in examples()]
EXPECTED = Policies(ties="expected")
GROUP = st.lists(st.sampled_from([None, -1, 0, 0, 1, 1, 2, 3]), min_size=1, max_size=4)
# Two rankings of one topic, to detect interference; few enough documents to enumerate all orders.
RANKING = st.lists(GROUP, max_size=4).filter(lambda groups: math.prod(map(_orders, groups)) <= 120)
TIED = st.tuples(*[RANKING] * 2)
# Sampling takes as long for four rankings as for two.
SEVERAL_TIED = st.tuples(*[RANKING] * 4)


def _orders(group: list[float | None]) -> int:
    return math.factorial(len(group))


def collection(rankings: tuple[list[list[float | None]], ...]) -> Collection:
    """Return rankings of tied groups as a collection, with one more judged document of each grade."""
    flat = [[grade for group in groups for grade in group] for groups in rankings]
    counts = {grade: 1 + max(ranking.count(grade) for ranking in flat) for grade in (-1, 0, 1, 2, 3)}
    return Collection((counts,), tuple((0, tuple(ranking)) for ranking in flat))


def tied_rankings(rankings: tuple[list[list[float | None]], ...], policies: Policies = EXPECTED) -> Judged:
    """Return the rankings as a Judged with tie flags."""
    tied = [index > 0 for groups in rankings for group in groups for index in range(len(group))]
    return collection(rankings).to_judged(policies, tied)


def means(text: str, oracle, rankings) -> list[float]:
    """Return the mean over all orders for each ranking."""
    source = collection(rankings)
    settings = parameters(measure(text), source.top)
    return [mean_over_orders(oracle, groups, source.counts[0], **settings) for groups in rankings]


def condense(rankings):
    """Return the groups without unjudged documents and negative grades."""
    judged_groups = [
        [[grade for grade in group if grade is not None and grade >= 0] for group in groups] for groups in rankings
    ]
    return tuple([group for group in groups if group] for groups in judged_groups)


# Exact -------------------------------------------------------------------------------------------------------


@many_examples(max_examples=100, rankings=TIED)
def test_closed_forms_equal_the_mean_over_all_orders(rankings):
    tied = tied_rankings(rankings)
    for text, oracle in EXACT.items():
        result = compute_values(measure(text), tied)
        assert result.error is None
        for value, expected_value in zip(result.value, means(text, oracle, rankings), strict=True):
            assert close(value, expected_value, 1e-12), text


@many_examples(max_examples=50, rankings=TIED)
def test_closed_forms_on_condensed_rankings(rankings):
    # Removing documents leaves smaller groups of tied documents, and changes the number of retrieved documents.
    tied = tied_rankings(rankings).condense()
    assert not (tied.code == 0).any()
    condensed = condense(rankings)
    source = collection(rankings)
    for text, oracle in EXACT.items():
        settings = parameters(measure(text), source.top)
        for value, groups in zip(compute_values(measure(text), tied).value, condensed, strict=True):
            assert close(value, mean_over_orders(oracle, groups, source.counts[0], **settings), 1e-12), text


@many_examples(max_examples=100, rankings=TIED)
def test_tied_documents_share_their_rbp_weight(rankings):
    # docs/reference/measures.md states this as a separate formula.
    values = compute_values(RBP(p=0.7), tied_rankings(rankings)).value
    binary = [[[int(grade is not None and grade >= 1) for grade in group] for group in groups] for groups in rankings]
    for value, groups in zip(values, binary, strict=True):
        assert close(value, rbp_ties(groups, 0.7), 1e-12)


@many_examples(max_examples=40, rankings=TIED)
def test_every_closed_form_equals_the_mean_of_its_measure(rankings):
    """Compare every closed form of the catalogue with the measure's own values for all orders."""
    tied = tied_rankings(rankings)
    closed = [one for one in MEASURES if one.expected_values(tied) is not None]
    for number, groups in enumerate(rankings):
        every = tuple((0, tuple(order)) for order in orders(groups))
        all_orders = Collection(collection(rankings).counts, every).to_judged()
        all_orders = all_orders.with_max_depth(tied.max_depth, tied.max_condensed_depth)
        for one in closed:
            assert close(compute_values(one, tied).value[number], one.score(all_orders).mean(), 1e-12), one


def test_measures_with_and_without_closed_forms():
    tied = tied_rankings(([[0, 1], [2]], []))
    assert all(measure(text).expected_values(tied) is not None for text in EXACT)
    assert all(measure(text).expected_values(tied) is None for text in EVERY_SAMPLED)


def test_geometric_means_use_the_expected_value_of_the_measure():
    tied = tied_rankings(([[0, 1, 1], [2, 0]], [[1, 0]]))
    assert np.array_equal(compute_values(measure("GM(AP)"), tied).value, compute_values(AP(), tied).value)
    assert np.array_equal(compute_values(measure("GM(bpref)"), tied).value, compute_values(Bpref(), tied).value)


@pytest.mark.parametrize(("size", "relevant"), [(1, 1), (7, 3), (1000, 1), (1000, 999), (5000, 40), (100_000, 2)])
def test_first_relevant_rank_in_large_tie_groups(size, relevant):
    """P(first relevant document at rank i) = C(n - i, r - 1) / C(n, r), in exact arithmetic."""
    ranking = [0] * (size - relevant) + [1] * relevant
    counts = {0: size - relevant, 1: relevant}
    tied = Collection((counts,), ((0, tuple(ranking)),)).to_judged(EXPECTED, [i > 0 for i in range(size)])
    all_selections = math.comb(size, relevant)
    first = {}
    selections = math.comb(size - 1, relevant - 1)
    for i in range(1, size - relevant + 2):
        first[i] = selections / all_selections
        selections = selections * (size - i - relevant + 1) // (size - i) if i < size else 0
    assert compute_values(RR(), tied).value[0] == pytest.approx(
        math.fsum(c / i for i, c in first.items()), rel=1e-12, abs=0
    )
    top = math.fsum(c for i, c in first.items() if i <= 10)
    assert compute_values(Success(cutoff=10), tied).value[0] == pytest.approx(top, rel=1e-12, abs=0)
    assert find_first_ranks(tied, 1)[2].sum() == pytest.approx(1, rel=1e-12)


# Sampled -----------------------------------------------------------------------------------------------------


@many_examples(max_examples=10, rankings=SEVERAL_TIED)
def test_samples_agree_with_the_mean_over_all_orders(rankings):
    check_samples(SAMPLED, rankings)


@many_examples(max_examples=5, rankings=SEVERAL_TIED)
def test_samples_of_effort_agree_with_the_mean_over_all_orders(rankings):
    check_samples(EFFORT_MEASURES, rankings)


def check_samples(measures, rankings):
    tied = tied_rankings(rankings, Policies(ties="expected", samples=100, seed=7))
    mixed = [any(len(set(group)) > 1 for group in groups) for groups in rankings]
    counts = collection(rankings).counts[0]
    for text, oracle in measures.items():
        result = compute_values(measure(text), tied)
        settings = parameters(measure(text), 3)
        for value, error, groups, differ in zip(result.value, result.error, rankings, mixed, strict=True):
            every = [oracle(ranking, counts, **settings) for ranking in orders(groups)]
            expected_value = sum(every) / len(every)
            if not differ:
                assert error == 0
                assert close(value, expected_value), text
            # Orders rarer than 1 in 100 may be missing from the samples; the oracle gives their spread.
            spread = max(error, float(np.std(every)) / math.sqrt(100))
            assert abs(value - expected_value) <= 6 * spread + 1e-10, text
            assert error <= (max(every) - min(every)) / math.sqrt(99) + 1e-12, text


@many_examples(max_examples=10, rankings=SEVERAL_TIED)
def test_samples_of_condensed_rankings(rankings):
    tied = tied_rankings(rankings, Policies(ties="expected", samples=200, seed=3)).condense()
    counts = collection(rankings).counts[0]
    for text in ("bpref", "Q", "ERR@3"):
        settings = parameters(measure(text), 3)
        for value, groups in zip(compute_values(measure(text), tied).value, condense(rankings), strict=True):
            every = [SAMPLED[text](ranking, counts, **settings) for ranking in orders(groups)]
            assert abs(value - sum(every) / len(every)) <= 6 * np.std(every) / math.sqrt(200) + 1e-10, text


MIXED = ([[0, 1, 2, 0], [1, 0], [3]], [[1, 1], [0, 0, None]], [[2, 0, 1]])


@pytest.mark.parametrize("text", EVERY_SAMPLED)
def test_the_same_seed_gives_the_same_samples(text):
    first = compute_values(measure(text), tied_rankings(MIXED, Policies(ties="expected", seed=1)))
    repeated = compute_values(measure(text), tied_rankings(MIXED, Policies(ties="expected", seed=1)))
    assert np.array_equal(first.value, repeated.value)
    assert np.array_equal(first.error, repeated.error)


@pytest.mark.parametrize("text", ["bpref", "Q", "ERR@3", "nERR", "INST(T=1)", "RR2", "IPrecAvg(points=11)", "Twist@9"])
def test_another_seed_gives_different_samples(text):
    first = compute_values(measure(text), tied_rankings(MIXED, Policies(ties="expected", seed=1)))
    other = compute_values(measure(text), tied_rankings(MIXED, Policies(ties="expected", seed=2)))
    assert (first.value[[0, 2]] != other.value[[0, 2]]).any()
    assert (first.error[[0, 2]] > 0).any()


def test_more_samples_reduce_the_error():
    few = compute_values(ERR(), tied_rankings(MIXED, Policies(ties="expected", samples=50))).error
    many = compute_values(ERR(), tied_rankings(MIXED, Policies(ties="expected", samples=5000))).error
    assert many[0] < few[0] / 5


def test_the_error_is_the_standard_error_of_the_samples():
    tied = tied_rankings(MIXED, Policies(ties="expected", samples=10, seed=4))
    result = compute_values(Bpref(), tied)
    mixed_rankings = tied.select_rankings(tied.find_mixed_ties())
    samples = np.stack([Bpref().score(mixed_rankings.shuffle_ties(sample)) for sample in range(10)])
    assert np.array_equal(result.value[tied.find_mixed_ties()], samples.mean(axis=0))
    assert np.allclose(
        result.error[tied.find_mixed_ties()], samples.std(axis=0, ddof=1) / np.sqrt(10), rtol=0, atol=1e-15
    )
    assert result.error[tied.find_mixed_ties()].tolist()[1] == 0, (
        "no order of these documents changes the value, not even by rounding"
    )


def test_equal_grades_need_no_samples():
    tied = tied_rankings(([[1, 1, 1], [0, 0], [None, None]], [[2], [0]]), Policies(ties="expected"))
    for text in EVERY_SAMPLED:
        result = compute_values(measure(text), tied)
        assert result.error.tolist() == [0, 0]
        assert np.array_equal(result.value, measure(text).score(tied.without_ties()))


# No ties, and policies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure_", examples())
def test_without_ties_the_expected_value_is_the_value(measure_):
    rankings = ([[2], [0], [1], [None], [3]], [], [[0], [1]])
    alone = compute_values(measure_, tied_rankings(rankings)).value
    fixed = compute_values(measure_, tied_rankings(rankings).without_ties())
    assert np.allclose(alone, fixed.value, rtol=1e-12, atol=1e-12)
    assert fixed.error is None


def test_undefined_and_missing_topics_with_expected_ties():
    policies = Policies(ties="expected", undefined="exclude", missing="exclude")
    source = Collection(({0: 3, 1: 1}, {0: 3}), ((0, (0, 1)), (1, (0, 0)), (0, ()), (1, ())))
    tied = source.to_judged(policies, [False, True, False, True])
    for text in ("AP", "bpref"):
        result = compute_values(measure(text), tied)
        assert result.undefined.tolist() == [False, True, False, True]
        assert np.isnan(result.value).tolist() == [False, True, True, True]
    assert compute_values(measure("P@1"), tied).value[:2].tolist() == [0.5, 0.0]
    assert np.isnan(compute_values(measure("P@1"), tied).value[2:]).all()


def test_tie_groups_do_not_cross_rankings():
    rankings = ([[0, 1]], [[1, 0], [1]])
    group, first = tied_rankings(rankings).tie_groups()
    assert group.tolist() == [0, 0, 1, 1, 2]
    assert first.tolist() == list(accumulate([0, 2, 2]))
