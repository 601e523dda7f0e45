"""Counts and fractions of retrieved, relevant and judged documents."""

import pytest

from assay.measures.counts import (
    JudgedAt,
    NumNonrelJudgedRet,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    NumUnjudgedRet,
    Unjudged,
)
from oracles.precision import judged_share, num_q, num_rel, num_rel_ret, num_ret
from oracles.sets import num_nonrel_judged_ret, num_unjudged_ret, unjudged_share
from strategies import (
    check_against_oracle,
    check_against_trec_eval,
    collections,
    example_settings,
    many_examples,
    scored_topics,
)

DEFINITIONS = [
    pytest.param(example_settings(NumQ), num_q, id="NumQ"),
    pytest.param(example_settings(NumRet), num_ret, id="NumRet"),
    pytest.param(example_settings(NumRel, "NumRel(rel=0.5)"), num_rel, id="NumRel"),
    pytest.param(example_settings(NumRelRet, "NumRelRet(rel=0.5)"), num_rel_ret, id="NumRelRet"),
    pytest.param(
        example_settings(NumNonrelJudgedRet, "NumNonrelJudgedRet(rel=0.5)"),
        num_nonrel_judged_ret,
        id="NumNonrelJudgedRet",
    ),
    pytest.param(example_settings(NumUnjudgedRet), num_unjudged_ret, id="NumUnjudgedRet"),
    pytest.param(example_settings(JudgedAt, "Judged@3", "Judged@1"), judged_share, id="JudgedAt"),
    pytest.param(example_settings(Unjudged, "Unjudged@1", "Unjudged@3"), unjudged_share, id="Unjudged"),
]


@pytest.mark.parametrize(("measures", "definition"), DEFINITIONS)
@many_examples(collection=collections())
def test_definition(measures, definition, collection):
    check_against_oracle(measures, definition, collection)


@many_examples(case=scored_topics())
def test_numq_agrees_with_trec_eval(case):
    check_against_trec_eval(NumQ(), case, "num_q")


def test_numq_counts_empty_rankings_and_is_summed_over_topics():
    assert NumQ().of([]) == 1.0
    assert NumQ.aggregate == "sum"


@many_examples(case=scored_topics(low=-1))
def test_numret_agrees_with_trec_eval(case):
    check_against_trec_eval(NumRet(), case, "num_ret")


def test_numret_is_summed_over_topics():
    assert NumRet.aggregate == "sum"


@many_examples(case=scored_topics(low=-1))
def test_numrel_agrees_with_trec_eval(case):
    # trec_eval ignores the relevance level for num_rel.
    check_against_trec_eval(NumRel(), case, "num_rel")


def test_numrel_counts_documents_that_are_not_retrieved():
    assert NumRel(rel=2).of([], {2: 3, 1: 4, 0: 1}) == 3.0
    assert NumRel.aggregate == "sum"


@many_examples(case=scored_topics(low=-1))
def test_numrelret_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(NumRelRet(rel=rel), case, "num_rel_ret", rel)


def test_numrelret_is_summed_over_topics():
    assert NumRelRet.aggregate == "sum"


@many_examples(case=scored_topics(low=-2))
def test_numnonreljudgedret_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(NumNonrelJudgedRet(rel=rel), case, "num_nonrel_judged_ret", rel)


def test_numnonreljudgedret_is_summed_over_topics():
    assert NumNonrelJudgedRet.aggregate == "sum"


@many_examples(collection=collections())
def test_numunjudgedret_complements_the_judged_documents(collection):
    judged = collection.to_judged()
    for rel in (0.5, 1, 2):
        judged_retrieved = NumRelRet(rel=rel).score(judged) + NumNonrelJudgedRet(rel=rel).score(judged)
        assert (NumUnjudgedRet().score(judged) + judged_retrieved == NumRet().score(judged)).all()


def test_numunjudgedret_is_summed_over_topics():
    assert NumUnjudgedRet.aggregate == "sum"


def test_judged_at_counts_any_grade_as_a_judgment():
    assert JudgedAt().of([0, -2, 3, None]) == 0.75


def test_judged_at_ignores_missing_ranks():
    assert JudgedAt(cutoff=10).of([1, None]) == 0.5


def test_unjudged_counts_negative_grades():
    assert Unjudged(cutoff=4).of([0, -2, 3, None]) == 0.5


def test_unjudged_does_not_count_missing_ranks():
    assert Unjudged(cutoff=10).of([1, None]) == 0.1
