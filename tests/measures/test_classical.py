"""Sliding ratio, satisfaction-frustration-total, normalised recall, expected search length and RankPower."""

import math

import pytest

import assay
from assay.errors import MeasureError
from assay.measures import measure
from assay.measures._values import compute_values
from assay.measures.classical import ESL, SFT, Frustration, NormalizedRecall, RankPower, SlidingRatio
from assay.model.judged import Judged
from oracles.classical import esl, frustration, normalized_recall, rank_power, sft, sliding_ratio
from strategies import check_against_oracle, close, collections, example_settings, many_examples, parameters

DEFINITIONS = [
    pytest.param(example_settings(SlidingRatio, "SlidingRatio@1", "SlidingRatio@3"), sliding_ratio, id="SlidingRatio"),
    pytest.param(example_settings(Frustration, "Frustration@1", "Frustration@3"), frustration, id="Frustration"),
    pytest.param(example_settings(SFT, "SFT(w=0)@3", "SFT(w=1)@2"), sft, id="SFT"),
    pytest.param(example_settings(ESL, "ESL(n=2)", "ESL(n=3, rel=0.5)"), esl, id="ESL"),
    pytest.param(example_settings(RankPower, "RankPower@2", "RankPower(rel=0.5)@3"), rank_power, id="RankPower"),
]


@pytest.mark.parametrize(("measures", "definition"), DEFINITIONS)
@many_examples(collection=collections())
def test_definition(measures, definition, collection):
    check_against_oracle(measures, definition, collection)


@many_examples(collection=collections())
def test_normalized_recall_is_the_area_between_recall_curves(collection):
    judged = collection.to_judged()
    for fast in (NormalizedRecall(), NormalizedRecall(documents=40), NormalizedRecall(documents=3, rel=2)):
        for value, (topic, ranking) in zip(fast.score(judged).tolist(), collection.rankings, strict=True):
            given = {**parameters(fast, collection.top), "depth": judged.max_depth}
            assert close(value, normalized_recall(list(ranking), collection.counts[topic], **given)), fast


def test_normalized_recall_of_the_first_and_the_last_ranks():
    assert NormalizedRecall(documents=5).of([1, 1, 0, 0, 0]) == 1
    assert NormalizedRecall(documents=5).of([0, 0, 0], {1: 2, 0: 3}) == 0
    # Rocchio's formula for a complete ranking: 1 - ((2 + 4) - (1 + 2)) / (2 * (5 - 2)); N is raised to 5 + 2.
    assert NormalizedRecall(documents=5).of([0, 1, 0, 1, 0]) == pytest.approx(1 - 3 / (2 * 5))


def test_the_sliding_ratio_ideal_contains_retrieved_documents_only():
    judged = {3: 2, 1: 1, 0: 1}
    assert SlidingRatio(cutoff=2).of([1, 0], judged) == 1.0
    assert measure("nCG@2").of([1, 0], judged) == pytest.approx(1 / 6)


def test_documents_at_the_end_change_the_sliding_ratio():
    assert SlidingRatio(cutoff=1).of([1, 0]) == 1
    assert SlidingRatio(cutoff=1).of([1, 0, 2]) == 0.5


def test_negative_gains_have_no_sliding_ratio():
    with pytest.raises(MeasureError, match="gains=negative can be negative"):
        measure("SlidingRatio(gains=negative)@5")


def test_expected_search_length_follows_cooper():
    """A group of 2 relevant and 3 non-relevant documents after 1 non-relevant: 1 + 3 s / (2 + 1) for s = 1, 2."""
    qrels = {"q": {"a": 1, "b": 1}}
    run = {"q": {"x": 9.0, "a": 5.0, "b": 5.0, "u": 5.0, "v": 5.0, "w": 5.0}}
    results = assay.evaluate(qrels, {"r": run}, ["ESL", "ESL(n=2)", "ESL(n=7)"], ties="expected")
    assert results.values[:, 0, 0].tolist() == [2.0, 3.0, 3.0]


def test_search_without_success_is_infinite():
    assert ESL().of([0, 0], {1: 1, 0: 2}) == math.inf
    assert RankPower().of([0, 0], {1: 1, 0: 2}) == math.inf
    assert compute_values(ESL(), Judged.from_grades([[0]], {0: 3})).undefined.all()


def test_rank_power_approaches_one_half():
    assert RankPower().of([1] * 50) == pytest.approx(51 / 100)
