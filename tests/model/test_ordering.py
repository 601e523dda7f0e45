"""Order of tied documents under each policy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.io import source, trec
from assay.io.table import RowTable
from assay.model.ordering import Segments, count_contradicted_topics, order_by_rank
from assay.model.run import Run


def run_of(lines: list[tuple[str, str, int, float]]) -> RowTable:
    text = "\n".join(f"{topic} Q0 {doc} {rank} {score!r} t" for topic, doc, rank, score in lines)
    [table] = trec.read_runs(source.Source("t.run", text.encode(), ""))
    return table


def segments_of(run: RowTable) -> Segments:
    names = sorted(set(run.topic.to_list()))
    rle = run.topic.rle().struct.unnest()
    topic = np.array([names.index(value) for value in rle["value"].to_list()])
    return Segments(topic, rle["len"].to_numpy().astype(np.int64))


def order_documents(run: RowTable, ties: str) -> list[tuple[str, str]]:
    """Return the documents in order; each row gets its own code, so that the codes identify the rows."""
    rows, _ = order_by_rank(run, segments_of(run), np.arange(len(run)), ties)
    return [(run.topic[int(i)], run.doc[int(i)]) for i in rows]


TIED = [("2", "a", 3, 1.0), ("1", "b", 2, 0.5), ("1", "é", 1, 0.5), ("1", "B", 3, 0.5), ("1", "c", 4, 0.75)]


def test_ties_are_broken_by_descending_bytes_of_the_document_id() -> None:
    expected = [("1", "c"), ("1", "é"), ("1", "b"), ("1", "B"), ("2", "a")]
    assert order_documents(run_of(TIED), "trec_eval-10") == expected
    assert order_documents(run_of(TIED), "trec_eval-9") == expected


def test_ties_are_broken_by_ascending_id_or_by_input_order() -> None:
    assert order_documents(run_of(TIED), "score-id") == [("1", "c"), ("1", "B"), ("1", "b"), ("1", "é"), ("2", "a")]
    assert order_documents(run_of(TIED), "score-file") == [("1", "c"), ("1", "b"), ("1", "é"), ("1", "B"), ("2", "a")]


@pytest.mark.parametrize(("ties", "topics"), [("rank", 1), ("file", 1), ("score-file", 0), ("trec_eval-10", 0)])
def test_topics_whose_order_contradicts_their_scores_are_counted(ties: str, topics: int) -> None:
    run = run_of(TIED)
    assert count_contradicted_topics(run, segments_of(run), ties) == topics
    unjudged = Segments(np.array([-1, -1]), np.array([1, 4]))  # Topics without judgments are ignored.
    assert count_contradicted_topics(run, unjudged, ties) == 0


def test_ties_within_one_grade_are_not_reordered() -> None:
    run = run_of(TIED)
    code, _ = order_by_rank(run, segments_of(run), np.array([9, 1, 1, 1, 4]), "trec_eval-10")
    assert code.tolist() == [4, 1, 1, 1, 9]
    code, _ = order_by_rank(run, segments_of(run), np.array([9, 1, 1, 2, 4]), "trec_eval-10")
    assert code.tolist() == [4, 1, 1, 2, 9]


def test_order_by_rank_or_by_file_position() -> None:
    assert order_documents(run_of(TIED), "rank") == [("1", "é"), ("1", "b"), ("1", "B"), ("1", "c"), ("2", "a")]
    assert order_documents(run_of(TIED), "file") == [("1", "b"), ("1", "é"), ("1", "B"), ("1", "c"), ("2", "a")]


def test_scores_that_differ_only_as_doubles_tie_in_trec_eval_9() -> None:
    nearly_equal = [("1", "a", 1, 0.100000001), ("1", "b", 2, 0.1000000001)]
    assert order_documents(run_of(nearly_equal), "trec_eval-10") == [("1", "a"), ("1", "b")]
    assert order_documents(run_of(nearly_equal), "trec_eval-9") == [("1", "b"), ("1", "a")]


def test_scores_beyond_float32_tie_at_infinity() -> None:
    big = [("1", "a", 1, 1e300), ("1", "b", 2, 1e200)]
    assert order_documents(run_of(big), "trec_eval-9") == [("1", "b"), ("1", "a")]


def test_minus_zero_ties_with_zero() -> None:
    assert order_documents(run_of([("1", "a", 1, 0.0), ("1", "b", 2, -0.0)]), "trec_eval-10") == [
        ("1", "b"),
        ("1", "a"),
    ]


def test_tie_flags_exist_only_for_policies_that_use_scores() -> None:
    run = run_of(TIED)
    assert order_by_rank(run, segments_of(run), np.arange(5), "file")[1] is None
    for ties in ("trec_eval-10", "expected"):
        tied = order_by_rank(run, segments_of(run), np.arange(5), ties)[1]
        assert tied is not None
        assert tied.tolist() == [False, False, True, True, False]


def test_an_invalid_rank_raises_an_error_with_its_line() -> None:
    [table] = trec.read_runs(source.Source("t.run", b"1 Q0 a 1 2.0 t\n1 Q0 b first 1.0 t\n", ""))
    with pytest.raises(InputError, match=r"^t\.run:2: the rank must be a whole number, found 'first'$"):
        order_by_rank(table, segments_of(table), np.array([0, 0]), "rank")


def test_ordering_a_run_without_ranks_by_rank_raises_an_error() -> None:
    run = Run.from_dict({"1": {"a": 1.0}}, name="dict")
    with pytest.raises(InputError, match="has no rank column"):
        order_by_rank(run, segments_of(run), np.array([0]), "rank")


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.lists(
        st.tuples(st.sampled_from("12"), st.integers(0, 30), st.sampled_from([0.0, 1.0, 1.5, -2.0, 1e-9])),
        unique_by=lambda row: row[:2],
        min_size=1,
    )
)
def test_order_agrees_with_python_sort(rows: list[tuple[str, int, float]]) -> None:
    lines = [(topic, f"d{doc}", i, score) for i, (topic, doc, score) in enumerate(rows)]
    plain = sorted(lines, key=lambda row: row[1], reverse=True)
    plain = sorted(plain, key=lambda row: (row[0], -row[3]))
    assert order_documents(run_of(lines), "trec_eval-10") == [(topic, doc) for topic, doc, _, _ in plain]
