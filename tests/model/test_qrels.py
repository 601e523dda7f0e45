"""Judgments: topics, levels, counts, and the grades of documents."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.io.document_hash import hash_documents
from assay.io.table import RowTable
from assay.model.qrels import Qrels, read_qrels

JUDGMENTS = {"q10": {"d1": 1, "d2": 0}, "q2": {"d1": 2.5}, "é": {"d9": -1, "d1": 0}, "Q": {"x": 1}}
TUPLES = [(topic, doc, grade) for topic, docs in JUDGMENTS.items() for doc, grade in docs.items()]
SORTED = [
    *[("Q", "x", 1.0), ("q10", "d1", 1.0), ("q10", "d2", 0.0), ("q2", "d1", 2.5)],
    *[("é", "d9", -1.0), ("é", "d1", 0.0)],
]
FRAME = pl.DataFrame(TUPLES, schema={"topic": pl.String, "doc": pl.String, "grade": pl.Float64}, orient="row")


@pytest.mark.parametrize(
    "qrels",
    [
        Qrels.from_dict(JUDGMENTS),
        Qrels.from_tuples(TUPLES),
        Qrels.from_frame(FRAME),
        Qrels.from_frame(FRAME.lazy()),
        Qrels.from_frame(FRAME.to_arrow()),
        Qrels.from_frame(pd.DataFrame(TUPLES, columns=["qid", "docno", "label"])),
    ],
    ids=["dict", "tuples", "polars", "lazy", "arrow", "pandas"],
)
def test_every_constructor_gives_the_same_qrels(qrels: Qrels) -> None:
    assert qrels.frame().columns == ["topic", "doc", "grade"]
    assert qrels.frame().rows() == SORTED
    assert len(qrels) == 6
    assert qrels.topics == ("Q", "q10", "q2", "é")
    assert qrels.levels.tolist() == [-1.0, 0.0, 1.0, 2.5]
    assert qrels.counts.tolist() == [[0, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 1], [1, 1, 0, 0]]
    assert (qrels.source, qrels.digest, qrels.notes) == ("qrels", None, ())
    assert repr(qrels) == "Qrels(6 judgments of 4 topics, grades -1 0 1 2.5)"


def test_interleaved_topics_keep_the_order_of_their_documents(tmp_path: Path) -> None:
    path = tmp_path / "f.qrels"
    path.write_text("".join(f"q{i % 3} 0 d{997 * i % 1000} {i % 2}\n" for i in range(1000)))
    rows = read_qrels(path).frame()
    for number in range(3):
        docs = [f"d{997 * i % 1000}" for i in range(number, 1000, 3)]
        assert rows.filter(pl.col("topic") == f"q{number}")["doc"].to_list() == docs


def test_read_qrels_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "f.qrels"
    path.write_text("q2 0 d1 2\nq1 0 d1 1\n")
    qrels = read_qrels(path)
    assert qrels.topics == ("q1", "q2")
    assert qrels.source == str(path)
    assert qrels.digest is not None
    assert len(qrels.digest) == 64
    assert read_qrels(str(path)).frame().equals(qrels.frame())


def test_lenient_reading_notes_skipped_lines(tmp_path: Path) -> None:
    path = tmp_path / "f.qrels"
    path.write_text("q1 0 d1 1\nq1 0 d1 1\n")
    with pytest.raises(InputError):
        read_qrels(path)
    assert "skipped duplicate judgments, keeping the first: 1" in read_qrels(path, lenient=True).notes[0]


def test_read_qrels_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"q1 0 d1 1\n")))
    assert read_qrels("-").frame().rows() == [("q1", "d1", 1.0)]


def test_from_ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = SimpleNamespace(query_id="q", doc_id="d", relevance=2)
    dataset = SimpleNamespace(qrels_iter=lambda: iter([judged]))
    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=lambda _: dataset))
    qrels = Qrels.from_ir_datasets("lab")
    assert (qrels.frame().rows(), qrels.source) == ([("q", "d", 2.0)], "irds:lab")


def test_written_qrels_can_be_read_back(tmp_path: Path) -> None:
    path = tmp_path / "f.qrels"
    for grades in ([1, 0, 2], [0.1, -1e300, 1 / 3], [2**53 + 2, 1e300, -3]):
        qrels = Qrels.from_tuples([("q2", "d1", grades[0]), ("q1", "001", grades[1]), ("q1", "é", grades[2])])
        qrels.write(path)
        assert read_qrels(path).frame().equals(qrels.frame())


def test_ids_with_blanks_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "f.qrels"
    with pytest.raises(InputError, match="the document id 'a b' cannot be written as TREC text; rename it"):
        Qrels.from_dict({"q": {"a b": 1}}).write(path)
    assert not path.exists()


def test_frame_returns_an_independent_copy() -> None:
    qrels = Qrels.from_dict(JUDGMENTS)
    qrels.frame().drop_in_place("doc")
    assert qrels.frame().rows() == SORTED


def test_repr_truncates_long_lists_of_grades() -> None:
    qrels = Qrels.from_dict({"q": {f"d{i}": i for i in range(20)}})
    assert repr(qrels) == "Qrels(20 judgments of 1 topics, grades 0 1 2 3 4 5 6 7 …)"


def lookup_codes(qrels: Qrels, pairs: list[tuple[str, str]]) -> list[int]:
    rows = make_table(*zip(*pairs, strict=True)) if pairs else make_table([], [])
    segments = qrels.segments(rows)
    result = qrels.grade_codes(rows.key, segments.row_topic, rows.doc)
    # Restricting the lookup to the topics that occur gives the same codes.
    assert np.array_equal(result, qrels.grade_codes(rows.key, segments.row_topic, rows.doc, segments.topic))
    return result.tolist()


def make_table(topics: Iterable[str], docs: Iterable[str]) -> RowTable:
    frame = pl.DataFrame({"topic": pl.Series(topics, dtype=pl.String), "doc": pl.Series(docs, dtype=pl.String)})
    return RowTable("run", frame, hash_documents(frame["topic"], frame["doc"]), str)


def test_segments_number_the_topics() -> None:
    qrels = Qrels.from_dict(JUDGMENTS)
    pairs = make_table(["q2", "q2", "unknown", "Q", "é", "q2"], list("abcdef"))
    assert qrels.segments(pairs).row_topic.tolist() == [2, 2, -1, 0, 3, 2]
    assert qrels.segments(pairs).length.tolist() == [2, 1, 1, 1, 1]
    assert qrels.segments(make_table([], [])).row_topic.tolist() == []
    for topics in (qrels.topics, qrels.topics[1:3], qrels.topics[::-1], (*qrels.topics, "zz"), ("a", *qrels.topics)):
        expected = [qrels.topics.index(topic) if topic in qrels.topics else -1 for topic in topics]
        assert qrels.segments(make_table(topics, topics)).row_topic.tolist() == expected


def test_lookup_of_few_topics_among_many() -> None:
    qrels = Qrels.from_dict({f"q{i:03}": {f"d{j}": j % 3 for j in range(i % 7 + 1)} for i in range(100)})
    for topics in (["q003"], ["q099", "q003", "q050"], ["q010", "nowhere", "q011"]):
        pairs = [(topic, f"d{j}") for topic in topics for j in range(8)]
        expected = [
            1 + j % 3 if topic in qrels.topics and j < int(topic[1:]) % 7 + 1 else 0
            for topic in topics
            for j in range(8)
        ]
        assert lookup_codes(qrels, pairs) == expected


@pytest.mark.parametrize("cache_size", [1, 4, 5, 1000])
def test_lookup_does_not_depend_on_the_cache_size(monkeypatch: pytest.MonkeyPatch, cache_size: int) -> None:
    monkeypatch.setattr("assay.model.qrels._CACHED_JUDGMENTS", cache_size)
    qrels = Qrels.from_dict({f"q{i:03}": {f"d{j}": j % 3 for j in range(i % 7 + 1)} for i in range(100)})
    for topics in ([10, 11, 12, 13], [3, 17, 18, 60, 99], [5]):
        pairs = [(f"q{i:03}", f"d{j}") for i in topics for j in range(8)]
        expected = [1 + j % 3 if j < i % 7 + 1 else 0 for i in topics for j in range(8)]
        assert lookup_codes(qrels, pairs) == expected
        assert lookup_codes(qrels, [("nowhere", "d0"), *pairs]) == [0, *expected]


def test_topic_numbers_of_many_topics_in_any_order() -> None:
    qrels = Qrels.from_tuples([(f"q{i}", "d", 1) for i in range(3000)])
    names = [f"q{i * 7 % 4001}" for i in range(12_000)]
    expected = [qrels.topics.index(topic) if topic in set(qrels.topics) else -1 for topic in names[:300]]
    assert qrels.topic_numbers(names)[:300].tolist() == expected
    assert qrels.topic_numbers(names[:300]).tolist() == expected


def test_levels_include_a_grade_that_occurs_late() -> None:
    judgments = [("q", f"d{i}", i % 2) for i in range(70_000)]
    assert Qrels.from_tuples([*judgments, ("q", "late", 5)]).levels.tolist() == [0, 1, 5]
    assert Qrels.from_tuples([*judgments, ("q", "late", 0.5)]).levels.tolist() == [0, 0.5, 1]


def test_grade_codes_of_known_and_unknown_documents() -> None:
    qrels = Qrels.from_dict(JUDGMENTS)
    pairs = [("q10", "d2"), ("q10", "d9"), ("é", "d9"), ("q2", "d1"), ("nowhere", "d1"), ("q10", "d1"), ("é", "x")]
    assert lookup_codes(qrels, pairs) == [2, 0, 1, 4, 0, 3, 0]
    assert lookup_codes(qrels, []) == []


def test_a_hash_collision_does_not_make_a_document_judged() -> None:
    qrels = Qrels.from_dict({"q": {"d": 1}})
    key = hash_documents(pl.Series(["q"]), pl.Series(["d"]))
    assert qrels.grade_codes(key, np.array([0]), pl.Series(["d"])).tolist() == [1]
    assert qrels.grade_codes(key, np.array([0]), pl.Series(["e"])).tolist() == [0]
    assert qrels.grade_codes(key, np.array([-1]), pl.Series(["d"])).tolist() == [0]


@pytest.mark.parametrize("size", [254, 255, 1000])
def test_grade_codes_support_more_than_255_levels(size: int) -> None:
    qrels = Qrels.from_dict({"q": {f"d{i}": i for i in range(size)}})
    assert lookup_codes(qrels, [("q", f"d{i}") for i in range(size)]) == list(range(1, size + 1))


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from("abcd"),
        st.dictionaries(st.sampled_from("uvwxyz"), st.integers(-2, 3), min_size=1),
        min_size=1,
    )
)
def test_grades_agree_with_the_dictionary(judgments: dict[str, dict[str, int]]) -> None:
    qrels = Qrels.from_dict(judgments)
    pairs = [(topic, doc) for topic in "abcde" for doc in "uvwxyz!"]
    levels: list[Any] = [None, *qrels.levels.tolist()]
    assert [levels[code] for code in lookup_codes(qrels, pairs)] == [
        judgments.get(topic, {}).get(doc) for topic, doc in pairs
    ]
    for topic, counts in zip(qrels.topics, qrels.counts, strict=True):
        grades = list(judgments[topic].values())
        assert counts.tolist() == [grades.count(level) for level in qrels.levels]


def test_with_grades_replaces_grades():
    qrels = Qrels.from_dict({"q1": {"d1": 4, "d2": -2, "d3": 1}, "q2": {"d1": 4}})
    regraded = qrels.with_grades({4: 3, -2: 0})
    assert regraded.levels.tolist() == [0, 1, 3]
    assert regraded.counts.tolist() == [[1, 1, 1], [0, 0, 1]]
    assert qrels.levels.tolist() == [-2, 1, 4]
    assert regraded.topics == qrels.topics
    with pytest.raises(InputError, match="has no grade 7; it has -2 1 4"):
        qrels.with_grades({7: 1})
