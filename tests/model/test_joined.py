"""One run joined with the qrels."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.io.table import RowTable
from assay.model.joined import join_run
from assay.model.qrels import Qrels
from assay.model.run import Run

QRELS = Qrels.from_tuples([(t, f"d{i}", (i + int(t)) % 3) for t in "123" for i in range(0, 12, 2)])


def run_of(rows: list[tuple[str, int, float]]) -> RowTable:
    return Run.from_tuples([(topic, f"d{doc}", score) for topic, doc, score in rows]).table


rows = st.lists(
    st.tuples(st.sampled_from("1239"), st.integers(0, 12), st.sampled_from([0.0, 1.0, 2.0])),
    unique_by=lambda row: row[:2],
    min_size=1,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(rows, st.sampled_from(["trec_eval-10", "trec_eval-9", "score-id", "score-file", "file", "expected"]))
def test_grades_do_not_depend_on_keep(rows: list[tuple[str, int, float]], ties: str) -> None:
    run = run_of(rows)
    plain, with_judgments, with_documents = (
        join_run(QRELS, run, ties, keep) for keep in ("grades", "judgments", "documents")
    )
    assert np.array_equal(plain.code, with_judgments.code)
    assert plain.judgment is None
    assert with_judgments.judgment is not None
    assert np.array_equal(with_judgments.judgment > 0, with_judgments.code > 0)
    start = dict(zip(with_documents.topics, np.cumsum(with_documents.length) - with_documents.length, strict=True))
    length = dict(zip(with_documents.topics, with_documents.length, strict=True))
    ranges = [np.arange(start[topic], start[topic] + length[topic]) for topic in QRELS.topics if topic in start]
    rows_of_judged_topics = np.concatenate([np.zeros(0, dtype=np.int64), *ranges])
    assert with_documents.documents is not None
    assert np.array_equal(with_documents.code[rows_of_judged_topics], plain.code)
    documents = with_documents.documents.doc.gather(rows_of_judged_topics).to_list()
    topics = [topic for topic in QRELS.topics for _ in range(length.get(topic, 0))]
    grades = {(topic, doc): row + 1 for row, (topic, doc, _) in enumerate(QRELS.frame().rows())}
    assert [grades.get(pair, 0) for pair in zip(topics, documents, strict=True)] == with_judgments.judgment.tolist()
    for joined in (with_judgments, with_documents):
        assert (joined.unjudged_topics, joined.unjudged_document_count) == (
            plain.unjudged_topics,
            plain.unjudged_document_count,
        )
        assert joined.contradicted_topic_count == plain.contradicted_topic_count
