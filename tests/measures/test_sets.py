"""Set-based measures of the retrieved documents or of the top k."""

import math

import pytest

from assay.measures import measure
from assay.measures.average_precision import AP
from assay.measures.precision import P
from assay.measures.sets import F, R, SetAP, SetP, SetRelP, Shaw, Utility
from oracles.precision import f, r, shaw
from oracles.sets import set_ap, set_p, set_rel_p, utility
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
        example_settings(R, "R@3", "R(capped=true)@3", "R(capped=true)", "R(rel=0.5, capped=true)@2"), r, id="R"
    ),
    pytest.param(example_settings(F, "F@3", "F(beta=0.5)@5", "F(beta=3)", "F(rel=0.5)"), f, id="F"),
    pytest.param(example_settings(Shaw, "Shaw@1", "Shaw@3", "Shaw(rel=0.5)@5"), shaw, id="Shaw"),
    pytest.param(example_settings(SetP, "SetP(rel=0.5)"), set_p, id="SetP"),
    pytest.param(example_settings(SetRelP, "SetRelP(rel=0.5)"), set_rel_p, id="SetRelP"),
    pytest.param(example_settings(SetAP, "SetAP(rel=0.5)"), set_ap, id="SetAP"),
    pytest.param(
        example_settings(
            Utility,
            "Utility(rel_missed=-0.3)",
            "Utility(nonrel_missed=0.01, docs=1000)",
            "Utility(nonrel_missed=1)",
            "Utility(rel_ret=2.5, nonrel_ret=-0.1, rel_missed=-3, nonrel_missed=0.5, docs=7, rel=0.5)",
        ),
        utility,
        id="Utility",
    ),
]


@pytest.mark.parametrize(("measures", "definition"), DEFINITIONS)
@many_examples(collection=collections())
def test_definition(measures, definition, collection):
    check_against_oracle(measures, definition, collection)


@many_examples(case=scored_topics(low=-2))
def test_r_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(R(cutoff=5, rel=rel), case, "recall_5", rel)
        check_against_trec_eval(R(rel=rel), case, "set_recall", rel)


@many_examples(collection=collections())
def test_r_is_an_upper_bound_of_ap(collection):
    # Stated in [002].
    judged = collection.to_judged()
    assert (AP().score(judged) <= R().score(judged) + 1e-12).all()


@many_examples(case=scored_topics(low=-1))
def test_f_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(F(rel=rel), case, "set_F", rel)
        check_against_trec_eval(F(rel=rel, beta=math.sqrt(2)), case, "set_F_2.0", rel)


def test_f_is_the_harmonic_mean_of_precision_and_recall():
    ranking, counts = [1, 0, 1, 0, 1], {1: 7, 0: 2}
    precision, recall = P(cutoff=4).of(ranking, counts), R(cutoff=4).of(ranking, counts)
    assert F(cutoff=4).of(ranking, counts) == pytest.approx(2 * precision * recall / (precision + recall))


def test_f_with_a_large_beta_is_recall():
    assert F(cutoff=4, beta=1e6).of([1, 0, 1, 0], {1: 7, 0: 2}) == pytest.approx(2 / 7)


def test_shaw_is_the_overlap_of_two_sets():
    # 2 documents are both retrieved and relevant, 2 only retrieved, 1 only relevant.
    assert Shaw(cutoff=4).of([1, 1, 0, None], {1: 3, 0: 1}) == 2 / 5


@many_examples(case=scored_topics(low=-2))
def test_setp_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(SetP(rel=rel), case, "set_P", rel)


def test_setp_is_precision_at_the_number_of_retrieved_documents():
    ranking = [1, 0, None, 1, 1]
    assert SetP().of(ranking) == P(cutoff=5).of(ranking) == 0.6


@many_examples(case=scored_topics(low=-2))
def test_setrelp_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(SetRelP(rel=rel), case, "set_relative_P", rel)


@many_examples(case=scored_topics(low=-2))
def test_setrelp_at_a_cutoff_is_capped_recall(case):
    assert measure("relative_P_5") == R(cutoff=5, capped=True)
    for rel in (1, 2):
        check_against_trec_eval(R(cutoff=5, rel=rel, capped=True), case, "relative_P_5", rel)


def test_setrelp_of_a_small_set_can_be_1():
    assert SetRelP().of([1, 1], {1: 9}) == 1
    assert SetRelP().of([1, 1, 0, 0], {1: 2, 0: 2}) == 1


@many_examples(case=scored_topics(low=-2))
def test_setap_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(SetAP(rel=rel), case, "set_map", rel)


def test_setap_is_precision_times_recall():
    ranking, counts = [1, 0, 1], {1: 7, 0: 2}
    assert SetAP().of(ranking, counts) == pytest.approx(SetP().of(ranking) * R().of(ranking, counts))


@many_examples(case=scored_topics(low=-2))
def test_utility_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(Utility(rel=rel), case, "utility", rel)


def test_utility_of_an_empty_ranking():
    assert Utility(rel_missed=-2, nonrel_missed=1, docs=10).of([], {1: 3, 0: 4}) == -2 * 3 + (10 - 3)


@pytest.mark.parametrize(
    ("cell", "number"), [("rel_ret", 2), ("nonrel_ret", 3), ("rel_missed", 1), ("nonrel_missed", 4)]
)
def test_utility_weights_each_cell_of_the_table(cell, number):
    zero_weights = dict.fromkeys(("rel_ret", "nonrel_ret", "rel_missed", "nonrel_missed"), 0)
    assert Utility(**zero_weights | {cell: 1}, docs=10).of([1, None, 0, 1, -1], {1: 3, 0: 2, -1: 1}) == number
