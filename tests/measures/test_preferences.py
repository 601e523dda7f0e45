"""Measures of pairs of a relevant and a non-relevant document."""

import random

import pytest

from assay.measures._values import compute_values
from assay.measures.preferences import Accuracy, Bpref
from assay.model.policies import Policies
from oracles.accuracy import accuracy
from oracles.bpref import bpref
from oracles.ties import mean_over_orders
from strategies import (
    Collection,
    check_against_oracle,
    check_against_trec_eval,
    collections,
    example_settings,
    many_examples,
    scored_topics,
)

DEFINITIONS = [
    pytest.param(example_settings(Bpref, "bpref(k=1)", "bpref(k=2, rel=2)", "bpref(rel=0.5)"), bpref, id="Bpref"),
    pytest.param(
        example_settings(Accuracy, "Accuracy@1", "Accuracy@3", "Accuracy(rel=0.5)", "Accuracy(rel=2)@4"),
        accuracy,
        id="Accuracy",
    ),
]


@pytest.mark.parametrize(("measures", "definition"), DEFINITIONS)
@many_examples(collection=collections())
def test_definition(measures, definition, collection):
    check_against_oracle(measures, definition, collection)


@many_examples(case=scored_topics(low=-2))
def test_bpref_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(Bpref(rel=rel), case, "bpref", rel)


def test_bpref_without_judged_non_relevant_documents_is_recall():
    assert Bpref().of([None, 1, None, 1], judged={1: 4}) == 0.5


def test_bpref_ignores_unjudged_documents_and_negative_grades():
    counts = {1: 2, 0: 2, -1: 2}
    assert Bpref().of([1, None, -1, 1], counts) == Bpref().of([1, 1], counts) == 1.0
    assert Bpref().of([1, 0, 1], counts) == 0.75


@pytest.mark.parametrize(
    ("ranking", "value"),
    [([1, 1, 0, 0], 1), ([0, 0, 1], 0), ([0, 1, None, 1, -1], 0.5), ([1, 1], 1), ([0, None], 0), ([], 0)],
)
def test_accuracy_of_small_rankings(ranking, value):
    assert Accuracy().of(ranking) == value


def test_accuracy_considers_only_the_top_k():
    assert Accuracy(cutoff=2).of([1, 0, 0, 1]) == 1
    assert Accuracy().of([1, 0, 0, 1]) == 0.5


def test_accuracy_ties_are_exact_without_a_cutoff_and_sampled_with_one():
    groups = [[0, 1, 1], [None], [2, 0, 1, 0]]
    flat = tuple(grade for group in groups for grade in group)
    tied = Collection(({0: 3, 1: 3, 2: 1},), ((0, flat),)).to_judged(
        Policies(ties="expected"), [index > 0 for group in groups for index in range(len(group))]
    )
    assert compute_values(Accuracy(), tied).value[0] == pytest.approx(mean_over_orders(accuracy, groups, {}), abs=1e-14)
    assert compute_values(Accuracy(), tied).error is None
    assert compute_values(Accuracy(cutoff=5), tied).error[0] > 0


def test_accuracy_ties_of_a_large_group_do_not_disturb_the_count():
    # A third of the group each: shared gains do not add up to whole numbers.
    ranking = tuple([1] * 3333 + [0] * 6667)
    tied = Collection(({0: 6667, 1: 3333},), ((0, ranking),)).to_judged(
        Policies(ties="expected"), [False] + [True] * 9999
    )
    assert compute_values(Accuracy(), tied).value[0] == pytest.approx(0.5, abs=1e-10)
    alone = Collection(({1: 7},), ((0, (1,) * 7),)).to_judged(Policies(ties="expected"), [False] + [True] * 6)
    assert compute_values(Accuracy(), alone).value[0] == 1


def test_accuracy_of_a_long_ranking():
    rng = random.Random(2)
    ranking = [rng.choice([None, 0, 1]) for _ in range(400)]
    assert Accuracy().of(ranking) == pytest.approx(accuracy(ranking, {}), abs=1e-14)
