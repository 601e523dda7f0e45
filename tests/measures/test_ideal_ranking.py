"""Measures that compare a ranking with the ideal ranking, rank by rank."""

import math

import pytest

from assay.errors import MeasureError
from assay.measures.dcg import nDCG
from assay.measures.ideal_ranking import BinG, G, RnDCG, nDCGrel
from oracles.ideal import bing, g, ndcg_rel, rndcg
from strategies import (
    check_against_oracle,
    check_against_trec_eval,
    collections,
    example_settings,
    many_examples,
    scored_topics,
)

DEFINITIONS = [
    pytest.param(
        example_settings(
            nDCGrel,
            "nDCGrel(gains=binary)",
            "nDCGrel(gains=unit)",
            "nDCGrel(gains=exp12, max_rel=1000001)",
            "nDCGrel(gains={0:0.5,1:3,2:9})",
            "nDCGrel(gains={-1:2,1:0.1})",
        ),
        ndcg_rel,
        id="nDCGrel",
    ),
    pytest.param(
        example_settings(
            RnDCG,
            "RnDCG(gains=binary)",
            "RnDCG(gains=unit)",
            "RnDCG(gains=exp12, max_rel=1000001)",
            "RnDCG(gains={0:0.5,1:3,2:9})",
            "RnDCG(gains={1:3,2:3})",
            "RnDCG(gains={-1:2,1:0.1})",
        ),
        rndcg,
        id="RnDCG",
    ),
    pytest.param(
        example_settings(
            G,
            "G(gains=binary)",
            "G(gains=unit)",
            "G(gains=exp12, max_rel=1000001)",
            "G(gains={0:0.5,1:3,2:9})",
            "G(gains={-1:2,1:0.1})",
        ),
        g,
        id="G",
    ),
    pytest.param(example_settings(BinG, "BinG(rel=0.5)"), bing, id="BinG"),
]


@pytest.mark.parametrize(("measures", "definition"), DEFINITIONS)
@many_examples(collection=collections())
def test_definition(measures, definition, collection):
    check_against_oracle(measures, definition, collection)


@many_examples(case=scored_topics(low=-2))
def test_ndcgrel_agrees_with_trec_eval(case):
    check_against_trec_eval(nDCGrel(), case, "ndcg_rel")


def test_ndcgrel_counts_missing_documents_at_the_end_of_the_ranking():
    ranking, counts = [0, 1, 0], {1: 3, 0: 2}
    at_two, at_end = nDCG(cutoff=2).of(ranking, counts), nDCG().of(ranking, counts)
    assert nDCGrel().of(ranking, counts) == pytest.approx((at_two + 2 * at_end) / 3)


@pytest.mark.parametrize("gains", ["negative", {0: -1, 1: 1}])
def test_ndcgrel_with_negative_gains_raises_an_error(gains):
    with pytest.raises(MeasureError, match=r"measure 'nDCGrel': gains=.* can be negative; nDCGrel needs"):
        nDCGrel(gains=gains)


@many_examples(case=scored_topics(low=-2))
def test_rndcg_agrees_with_trec_eval(case):
    check_against_trec_eval(RnDCG(), case, "Rndcg")


def test_rndcg_averages_over_the_ends_of_gain_levels():
    ranking, counts = [1, 0, 2, 0, 1], {2: 1, 1: 2, 0: 2}
    at = [nDCG(cutoff=cut).of(ranking, counts) for cut in (1, 3, 5)]
    assert RnDCG().of(ranking, counts) == pytest.approx(sum(at) / 3)
    assert RnDCG().of(ranking[:4], counts) == pytest.approx(sum(at[:2]) / 2), "rank R + 1 does not count"
    assert RnDCG(gains={1: 2}).of(ranking, counts) != RnDCG(gains={1: 1}).of(ranking, counts)


def test_rndcg_treats_equal_gains_as_one_level():
    ranking, counts = [0, 2, 1], {2: 1, 1: 2, 0: 1}
    whole = nDCG(gains="binary").of(ranking, counts)
    assert RnDCG(gains={1: 3, 2: 3}).of(ranking, counts) == pytest.approx(whole)


@pytest.mark.parametrize("gains", ["negative", {0: -1, 1: 1}])
def test_rndcg_with_negative_gains_raises_an_error(gains):
    with pytest.raises(MeasureError, match=r"measure 'RnDCG': gains=.* can be negative; RnDCG needs"):
        RnDCG(gains=gains)


@many_examples(case=scored_topics(low=-2))
def test_g_agrees_with_trec_eval(case):
    check_against_trec_eval(G(), case, "G")


def test_g_discounts_only_the_lag_to_the_ideal_ranking():
    assert G().of([3, 2, 1, 0]) == 1
    assert G().of([2, 3], {3: 1, 2: 1}) == pytest.approx((2 / math.log2(3) + 3) / 5)


def test_g_has_a_cost_of_at_least_1_at_every_rank():
    # After the end of the ideal ranking, and where ideal gains are small, the cost is 1.
    assert G().of([0, 1], {1: 1, 0: 1}) == pytest.approx(1 / math.log2(3))
    assert G(gains={1: 0.5}).of([1], {1: 1}) == pytest.approx(1 / math.log2(2.5))


def test_g_with_huge_gains_does_not_exceed_1_by_rounding():
    grades = [1] * 4 + [54]
    assert G(gains="exp").of(grades, {54: 1, 1: 4}) == 1


@pytest.mark.parametrize("gains", ["negative", {0: -1, 1: 1}])
def test_g_with_negative_gains_raises_an_error(gains):
    with pytest.raises(MeasureError, match=r"measure 'G': gains=.* can be negative; G needs gains of at least 0"):
        G(gains=gains)


@many_examples(case=scored_topics(low=-2))
def test_bing_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(BinG(rel=rel), case, "binG", rel)


@many_examples(collection=collections())
def test_bing_is_g_with_gains_0_and_1(collection):
    judged = collection.to_judged()
    for rel in (0.5, 1, 2):
        difference = BinG(rel=rel).score(judged) - G(gains="binary", rel=rel).score(judged)
        assert abs(difference).max(initial=0) < 1e-12


def test_bing_discounts_only_by_non_relevant_documents():
    assert BinG().of([1, 1, 1]) == 1
    assert BinG().of([None, 1, 1], {1: 2}) == BinG().of([0, 1], {1: 1, 0: 1})
