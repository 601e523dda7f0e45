"""Numbers and shares of topics and documents: retrieved, relevant, judged."""

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
def test_numq_trec_eval(case):
    check_against_trec_eval(NumQ(), case, "num_q")


def test_numq_an_empty_ranking_counts_and_topics_are_added_up():
    assert NumQ().of([]) == 1.0
    assert NumQ.aggregate == "sum"


@many_examples(case=scored_topics(low=-1))
def test_numret_trec_eval(case):
    check_against_trec_eval(NumRet(), case, "num_ret")


def test_numret_topics_are_added_up():
    assert NumRet.aggregate == "sum"


@many_examples(case=scored_topics(low=-1))
def test_numrel_trec_eval(case):
    # trec_eval does not let the relevance level through to num_rel.
    check_against_trec_eval(NumRel(), case, "num_rel")


def test_numrel_retrieved_or_not():
    assert NumRel(rel=2).of([], {2: 3, 1: 4, 0: 1}) == 3.0
    assert NumRel.aggregate == "sum"


@many_examples(case=scored_topics(low=-1))
def test_numrelret_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(NumRelRet(rel=rel), case, "num_rel_ret", rel)


def test_numrelret_topics_are_added_up():
    assert NumRelRet.aggregate == "sum"


@many_examples(case=scored_topics(low=-2))
def test_numnonreljudgedret_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(NumNonrelJudgedRet(rel=rel), case, "num_nonrel_judged_ret", rel)


def test_numnonreljudgedret_topics_are_added_up():
    assert NumNonrelJudgedRet.aggregate == "sum"


@many_examples(collection=collections())
def test_numunjudgedret_every_document_is_relevant_or_judged_otherwise_or_unjudged(collection):
    judged = collection.to_judged()
    for rel in (0.5, 1, 2):
        other = NumRelRet(rel=rel).score(judged) + NumNonrelJudgedRet(rel=rel).score(judged)
        assert (NumUnjudgedRet().score(judged) + other == NumRet().score(judged)).all()


def test_numunjudgedret_topics_are_added_up():
    assert NumUnjudgedRet.aggregate == "sum"


def test_judged_at_any_grade_is_a_judgment():
    assert JudgedAt().of([0, -2, 3, None]) == 0.75


def test_judged_at_only_ranks_that_were_filled_count():
    assert JudgedAt(cutoff=10).of([1, None]) == 0.5


def test_unjudged_a_negative_grade_is_no_judgment():
    assert Unjudged(cutoff=4).of([0, -2, 3, None]) == 0.5


def test_unjudged_ranks_left_empty_are_not_unjudged():
    assert Unjudged(cutoff=10).of([1, None]) == 0.1
