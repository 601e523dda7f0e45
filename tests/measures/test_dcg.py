"""Cumulated gain: CG, DCG and their normalised forms."""

import math

import numpy as np
import pytest

from assay.errors import MeasureError
from assay.measures import measure
from assay.measures.dcg import CG, DCG, SDCG, IdealDCG, MeanNDCG, nCG, nDCG
from oracles.dcg import cg, dcg, mean_ndcg, ncg, ndcg, sdcg
from oracles.ideal import ideal_dcg
from strategies import (
    check_against_oracle,
    check_against_trec_eval,
    collections,
    example_settings,
    many_examples,
    refuses,
    scored_topics,
)

DEFINITIONS = [
    pytest.param(
        example_settings(
            CG,
            "CG@3",
            "CG(gains=exp)@4",
            "CG(gains=binary)",
            "CG(gains=base5, rel=2)@5",
            "CG(gains=unit)@5",
            "CG(gains=exp12, max_rel=4)",
            "CG(gains=exp-unit)",
            "CG(gains={0:-1,1:3,2:9})@5",
            "CG(gains={0:0.5,-1:-2,1:3})",
            "CG(gains={0:0.5,1:3}, rel=1)",
            "CG(gains=negative, rel=2)@4",
        ),
        cg,
        id="CG",
    ),
    pytest.param(
        example_settings(
            nCG, "nCG@3", "nCG(gains=unit)@5", "nCG(rel=2)@4", "nCG(gains={0:0.5,1:3,2:9})@4", "nCG(gains=binary)"
        ),
        ncg,
        id="nCG",
    ),
    pytest.param(
        example_settings(
            DCG,
            "DCG@3",
            "DCG(base=3)",
            "DCG(base=1.5)@6",
            "DCG(base=10)",
            "DCG(gains=unit, max_rel=4)",
            "DCG(gains=exp12)@4",
            "DCG(gains={0:-1,1:3,2:9})",
            "DCG(rel=2)@5",
        ),
        dcg,
        id="DCG",
    ),
    pytest.param(
        example_settings(
            nDCG,
            "nDCG@3",
            "nDCG(gains=exp)@5",
            "nDCG(gains=exp-unit)@5",
            "nDCG(gains=unit, max_rel=4)",
            "nDCG(gains=binary)@4",
            "nDCG(gains=binary, rel=0.5)",
            "nDCG(gains={0:0.5,1:3,2:9})@4",
            "nDCG(gains={-1:2,1:1})",
            "nDCG(base=2, rel=2)@6",
        ),
        ndcg,
        id="nDCG",
    ),
    pytest.param(
        example_settings(
            MeanNDCG,
            "MeanNDCG@1",
            "MeanNDCG@3",
            "MeanNDCG(gains=exp12, max_rel=4)@5",
            "MeanNDCG(rel=2)@4",
            "MeanNDCG(base=2)@6",
        ),
        mean_ndcg,
        id="MeanNDCG",
    ),
    pytest.param(
        example_settings(
            SDCG, "SDCG@1", "SDCG@3", "SDCG(gains=exp12)@5", "SDCG(gains=exp-unit, max_rel=4)@5", "SDCG(rel=2)@4"
        ),
        sdcg,
        id="SDCG",
    ),
    pytest.param(
        example_settings(
            IdealDCG,
            "IdealDCG@3",
            "IdealDCG(gains=unit)",
            "IdealDCG(gains=negative)",
            "IdealDCG(gains=binary, rel=2)",
            "IdealDCG(gains={0:-1,1:3,2:9})@4",
        ),
        ideal_dcg,
        id="IdealDCG",
    ),
]


@pytest.mark.parametrize(("measures", "definition"), DEFINITIONS)
@many_examples(collection=collections())
def test_definition(measures, definition, collection):
    check_against_oracle(measures, definition, collection)


def test_cg_does_not_penalize_missing_ranks():
    # docs/papers/crp.md: a short list is not padded.
    assert CG(cutoff=10, gains="negative").of([2, 0, None]) == 0.0
    assert CG(cutoff=10, gains="negative").of([2]) == 2.0


def test_ncg_truncates_the_ideal_ranking_as_well():
    assert nCG(cutoff=2).of([3, 2, 1], {3: 1, 2: 1, 1: 9}) == 1.0
    assert nCG(cutoff=3).of([3, 2, 0], {3: 1, 2: 1, 1: 9, 0: 1}) == pytest.approx(5 / 6)


def test_ncg_with_negative_gains_raises_an_error_that_suggests_cg():
    with pytest.raises(MeasureError, match=r"measure 'nCG': gains=negative can be negative.*use CG"):
        nCG(gains="negative")


def test_dcg_has_no_discount_up_to_rank_b():
    assert DCG(base=3).of([1, 1, 1]) == 3.0
    assert DCG(base=3).of([0, 0, 0, 1]) == pytest.approx(math.log(3) / math.log(4))


def test_dcg_accepts_rankings_shorter_than_the_base():
    # docs/papers/twist.md: all ranks are undiscounted.
    assert DCG(base=10).of([2, 1]) == 3.0


def test_dcg_raises_an_error_if_exponential_gains_overflow():
    with pytest.raises(MeasureError, match=r"gains exp: 2\^5000 is too large; use exp12 or exp-unit"):
        DCG(gains="exp").of([5000])


@many_examples(case=scored_topics(low=-2))
def test_ndcg_agrees_with_trec_eval(case):
    check_against_trec_eval(nDCG(), case, "ndcg")
    check_against_trec_eval(nDCG(cutoff=5), case, "ndcg_cut_5")


def test_ndcg_ideal_ranking_holds_every_judged_document():
    assert nDCG(cutoff=1).of([1], {1: 1, 2: 1}) == 0.5


def test_ndcg_gives_unjudged_documents_no_gain():
    # Unjudged documents have no gain even if grade 0 has one; otherwise the value could exceed 1.
    assert nDCG(gains={0: 0.5, 1: 1}).of([None, None, None, 1], {1: 1}) < 0.5


@pytest.mark.parametrize("gains", ["negative", {0: -1, 1: 1}])
def test_ndcg_with_negative_gains_raises_an_error_that_suggests_dcg(gains):
    with pytest.raises(MeasureError, match=r"measure 'nDCG': gains=.* can be negative.*use DCG"):
        nDCG(gains=gains)


def test_mean_ndcg_is_the_mean_of_ndcg():
    ranking, counts = [1, 0, 3], {0: 2, 1: 1, 3: 2}
    cuts = [nDCG(cutoff=k).of(ranking, counts) for k in (1, 2, 3, 4, 5)]
    assert MeanNDCG(cutoff=5).of(ranking, counts) == pytest.approx(sum(cuts) / 5)


def test_mean_ndcg_with_negative_gains_raises_an_error():
    with pytest.raises(MeasureError, match="gains=negative can be negative"):
        MeanNDCG(cutoff=5, gains="negative")


def test_sdcg_does_not_depend_on_the_recall_base():
    assert SDCG(cutoff=2).of([1, 0], {1: 1, 0: 1}) == SDCG(cutoff=2).of([1, 0], {1: 50, 0: 50})


def test_sdcg_requires_gains_between_0_and_1():
    with pytest.raises(MeasureError, match="measure 'SDCG': gains=identity are not all between 0 and 1"):
        SDCG(cutoff=10, gains="identity")


@many_examples(collection=collections())
def test_idealdcg_times_ndcg_is_dcg(collection):
    judged = collection.to_judged()
    for parameters_text in ("", "@3", "(gains=exp)@5", "(base=2)", "(gains={0:0.5,1:3})"):
        ideal = measure("IdealDCG" + parameters_text)
        if not refuses(ideal, collection.top):
            expected = measure("nDCG" + parameters_text).score(judged) * ideal.score(judged)
            assert np.allclose(expected, measure("DCG" + parameters_text).score(judged), rtol=1e-12, atol=0)
