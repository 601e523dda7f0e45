"""Rank-biased precision, its residual, and its variant in trec_eval."""

import numpy as np
import pytest

from assay.errors import MeasureError
from assay.measures.precision import P
from assay.measures.rank_biased import RBP, RBPnorm, RBPresidual
from assay.measures.reciprocal_rank import RR
from oracles.rbp import rbp
from oracles.rbp_variants import rbp_norm, rbp_residual
from strategies import Collection, check_against_oracle, collections, example_settings, many_examples

DEFINITIONS = [
    pytest.param(
        example_settings(
            RBP,
            "RBP(p=0)",
            "RBP(p=0.999)",
            "RBP(p=0.5)@3",
            "RBP(p=0.8, rel=0.5)",
            "RBP(p=0.8, gains=exp12)@5",
            "RBP(p=0.8, gains=exp-unit)",
            "RBP(p=0.8, gains=unit, max_rel=4)",
            "RBP(p=0.8, gains=unit, rel=2)",
            "RBP(p1=0.5, p2=0.9)@3",
            "RBP(p1=0.5, p2=0.9, rel=2)",
            "RBP(p1=0, p2=1)",
            "RBP(p1=0, p2=1)@3",
            "RBP(p1=0, p2=0)",
            "RBP(p1=1, p2=0)",
            "RBP(p1=1, p2=0.5)",
            "RBP(p1=1, p2=1)",
            "RBP(p1=0.3, p2=1)",
        ),
        rbp,
        id="RBP",
    ),
    pytest.param(
        example_settings(RBPnorm, "RBPnorm(p=0)", "RBPnorm(p=0.999)", "RBPnorm(p=0.5)@3", "RBPnorm(p=0.7, rel=0.5)"),
        rbp_norm,
        id="RBPnorm",
    ),
    pytest.param(
        example_settings(RBPresidual, "RBPresidual(p=0)", "RBPresidual(p=0.999)", "RBPresidual(p=0.5)@3"),
        rbp_residual,
        id="RBPresidual",
    ),
]


@pytest.mark.parametrize(("measures", "definition"), DEFINITIONS)
@many_examples(collection=collections())
def test_definition(measures, definition, collection):
    check_against_oracle(measures, definition, collection)


@many_examples(collection=collections())
def test_rbp_special_cases_equal_rr_and_p(collection):
    judged = collection.to_judged()
    difference = RBP(p=0.7).score(judged) - RBP(p1=0.7, p2=0.7).score(judged)
    assert abs(difference).max(initial=0) < 1e-12
    assert (RBP(p1=0, p2=1).score(judged) == RR().score(judged)).all()
    assert (RBP(p=0).score(judged) == P(cutoff=1).score(judged)).all()


def test_rbp_with_invalid_parameters_raises_an_error():
    with pytest.raises(MeasureError) as error:
        RBP()
    assert (
        str(error.value) == "measure 'RBP': RBP needs p (persistence: probability of continuing to the next document)"
    )
    for invalid in (
        {"p": 0.5, "p1": 0.5},
        {"p": 0.5, "p2": 0.5},
        {"p": 0.5, "p1": 0.5, "p2": 0.5},
        {"p1": 0.5},
        {"p2": 0.5},
    ):
        with pytest.raises(MeasureError, match="measure 'RBP': write either p, or both p1 and p2"):
            RBP(**invalid)
    with pytest.raises(MeasureError, match="measure 'RBP': p1 and p2 need binary gains"):
        RBP(p1=0.5, p2=0.5, gains="unit")
    with pytest.raises(MeasureError, match="measure 'RBP': gains=exp are not all between 0 and 1"):
        RBP(p=0.5, gains="exp")


def test_rbpnorm_scales_each_topic_separately():
    collection_of_two = Collection(({2: 1, 0: 1}, {4: 1, 2: 1, 0: 1}), ((0, (2, 0)), (1, (2, 0))))
    assert RBPnorm(p=0.5).score(collection_of_two.to_judged()).tolist() == [0.5, 0.25]
    assert RBP(p=0.5, gains="unit").score(collection_of_two.to_judged()).tolist() == [0.25, 0.25]


def test_rbpnorm_does_not_scale_up_small_grades():
    assert RBPnorm(p=0.5).of([0.5], {0.5: 2}) == 0.25


@many_examples(collection=collections(((0, 1), (-1, 0, 1), (1,))))
def test_rbpnorm_of_binary_grades_is_rbp(collection):
    judged = collection.to_judged()
    assert (RBPnorm(p=0.8).score(judged) == RBP(p=0.8).score(judged)).all()


@many_examples(collection=collections())
def test_rbpresidual_plus_rbp_is_at_most_1(collection):
    judged = collection.to_judged()
    assert (RBP(p=0.8).score(judged) + RBPresidual(p=0.8).score(judged) <= 1 + 1e-12).all()
    assert (RBPresidual(p=0.8).score(judged) <= RBPresidual(p=0.8, cutoff=3).score(judged) + 1e-12).all()


def test_rbpresidual_is_the_largest_possible_increase():
    ranking = [1, None, 0, None, 1, -1]
    best = [1 if grade in (None, -1) else grade for grade in ranking] + [1] * 1000
    difference_to_best = RBP(p=0.8).of(best) - RBP(p=0.8).of(ranking)
    assert RBPresidual(p=0.8).of(ranking) == pytest.approx(difference_to_best)


def test_rbpresidual_includes_the_tail():
    assert RBPresidual(p=0.5).of([1, 0, 1]) == 0.125
    assert np.isclose(RBPresidual(p=0.5).of([]), 1)
