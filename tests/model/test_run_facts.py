"""Facts about runs: contradictions between ranks and scores, and signatures of rankings."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.io.source import Source
from assay.io.trec import read_runs
from assay.model.run_facts import RunFacts, describe_run

Row = tuple[str, str, str, float]  # topic, document, rank, score
row = st.tuples(
    st.sampled_from("12"), st.sampled_from("abcdef"), st.sampled_from("12345"), st.sampled_from([1.0, 2, 3])
)
each_rows = st.lists(row, min_size=1, max_size=12, unique_by=lambda one: one[:2])


def describe(rows: list[Row]) -> RunFacts:
    text = "".join(f"{topic} Q0 {doc} {rank} {score} x\n" for topic, doc, rank, score in rows)
    return describe_run(read_runs(Source("x.run", text.encode(), ""))[0])


def contradicted(rows: list[Row]) -> set[str]:
    """The definition: a document with a lower rank number has a lower score."""
    return {a[0] for a in rows for b in rows if a[0] == b[0] and int(a[2]) < int(b[2]) and a[3] < b[3]}


def rankings(rows: list[Row]) -> dict[str, list[set[str]]]:
    """The definition: for each topic, the groups of tied documents by descending score."""
    return {
        topic: [
            {doc for one, doc, _, score in rows if one == topic and score == level}
            for level in sorted({score for one, _, _, score in rows if one == topic}, reverse=True)
        ]
        for topic, *_ in rows
    }


@given(each_rows)
def test_contradicted_topics(rows: list[Row]) -> None:
    assert set(describe(rows).contradicted_topics) == contradicted(rows)


@given(each_rows, each_rows)
def test_signatures_are_equal_for_equal_rankings_and_scores(rows: list[Row], others: list[Row]) -> None:
    facts, other = describe(rows), describe(others)
    assert (facts.rankings == other.rankings) == (rankings(rows) == rankings(others))
    same = {(topic, doc, score) for topic, doc, _, score in rows} == {(t, d, score) for t, d, _, score in others}
    assert (facts.scores == other.scores) == same


@given(each_rows, st.randoms())
def test_signatures_do_not_depend_on_the_order_of_lines(rows: list[Row], random) -> None:  # type: ignore[no-untyped-def]
    shuffled = random.sample(rows, len(rows))
    assert describe(shuffled)[3:] == describe(rows)[3:]


@given(each_rows)
def test_chunks_merge_to_the_facts_of_the_run(rows: list[Row]) -> None:
    chunks = [[one for one in rows if one[0] == topic] for topic in sorted({one[0] for one in rows})]
    merged, whole = reduce(RunFacts.merge, map(describe, chunks)), describe(rows)
    assert merged[0:2] + merged[3:] == whole[0:2] + whole[3:]
    assert set(merged.contradicted_topics) == set(whole.contradicted_topics)


@pytest.mark.parametrize(("rank", "invalid"), [("1", 0), ("x", 1), ("1.5", 1), ("-3", 0)])
def test_ranks_must_be_whole_numbers(rank: str, invalid: int) -> None:
    assert describe([("1", "a", rank, 1.0)]).invalid_ranks == invalid


def test_a_source_without_ranks() -> None:
    table = read_runs(Source("x.run", b"1 Q0 a 1 2 x\n", ""), rank=False)[0]
    facts = describe_run(table)
    assert facts.invalid_ranks is None
    assert facts.merge(facts).invalid_ranks is None
