"""Measures of the rank of the first or second relevant document."""

import pytest

from assay.measures.reciprocal_rank import RR, RR2, DampedRR, Success
from oracles.precision import success
from oracles.rr import damped_rr, rr, rr2
from strategies import (
    check_against_oracle,
    check_against_trec_eval,
    collections,
    example_settings,
    many_examples,
    scored_topics,
)

DEFINITIONS = [
    pytest.param(example_settings(RR, "RR@2", "RR(rel=0.5)@3"), rr, id="RR"),
    pytest.param(example_settings(RR2, "RR2@2", "RR2(rel=0.5)@3"), rr2, id="RR2"),
    pytest.param(
        example_settings(DampedRR, "DampedRR(k=0)", "DampedRR(k=0.5)@3", "DampedRR(k=60)"), damped_rr, id="DampedRR"
    ),
    pytest.param(example_settings(Success, "Success@1", "Success@3", "Success(rel=0.5)@2"), success, id="Success"),
]


@pytest.mark.parametrize(("measures", "definition"), DEFINITIONS)
@many_examples(collection=collections())
def test_definition(measures, definition, collection):
    check_against_oracle(measures, definition, collection)


@many_examples(case=scored_topics(low=-2))
def test_rr_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(RR(rel=rel), case, "recip_rank", rel)


def test_rr2_needs_two_relevant_documents():
    assert RR2().of([1, 0, 0]) == 0.0
    assert RR2().of([1, 1]) == 0.5


def test_damped_rr_with_k_0_is_rr():
    for ranking in ([1], [0, 1], [0, 0, None, 1], [0]):
        assert DampedRR(k=0).of(ranking) == RR().of(ranking)


@many_examples(case=scored_topics(low=-2))
def test_success_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(Success(cutoff=5, rel=rel), case, "success_5", rel)
