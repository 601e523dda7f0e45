"""Query records: one JSON object for each query with lists of retrieved and relevant documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.cli import main
from assay.errors import InputError
from assay.io import files
from assay.io.source import Source

RECORDS: list[dict[str, Any]] = [
    {"query_id": "q1", "query": "what?", "retrieved": ["d1", "d2", "d3"], "relevant": ["d2"]},
    {"query_id": "q2", "query": "why?", "retrieved": ["d3"], "relevant": ["d4", "d3"]},
]
RUN = [("q1", "d1", 3.0), ("q1", "d2", 2.0), ("q1", "d3", 1.0), ("q2", "d3", 1.0)]
QRELS = [("q1", "d2", 1.0), ("q2", "d4", 1.0), ("q2", "d3", 1.0)]


def write(path: Path, *records: Any) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def read_run(tmp_path: Path, *records: Any, **options: Any) -> list[tuple[str, str, float]]:
    rows: Any = assay.model.read_run(write(tmp_path / "f.jsonl", *records), **options).frame().rows()
    return rows


def read_qrels(tmp_path: Path, *records: Any, **options: Any) -> list[tuple[str, str, float]]:
    rows: Any = assay.model.read_qrels(write(tmp_path / "f.jsonl", *records), **options).frame().rows()
    return rows


def test_one_file_is_the_qrels_and_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "rag.jsonl", *RECORDS)
    assert assay.model.read_run(path).frame().rows() == RUN
    assert assay.model.read_qrels(path).frame().rows() == QRELS
    results = assay.evaluate(path, path, ["RR", "R@1"])
    assert results.runs == ("rag",)
    assert results.values.tolist() == [[[0.5, 1.0]], [[0.0, 0.5]]]
    assert assay.evaluate(path, path, "RR", ties="rank").values.tolist() == [[[0.5, 1.0]]]
    assert main(["eval", path, f"new={path}", "-m", "RR", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("new,")


IDS = st.lists(st.sampled_from("abcdef"), max_size=4, unique=True)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(IDS, st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3))), min_size=1, max_size=4))
def test_measures_equal_those_of_dicts(queries: list[tuple[list[str], dict[str, int]]]) -> None:
    """The definition: a document at rank i of n has the score n - i + 1."""
    run = {
        f"q{i}": {doc: float(len(docs) - rank) for rank, doc in enumerate(docs)} for i, (docs, _) in enumerate(queries)
    }
    qrels = {f"q{i}": grades for i, (_, grades) in enumerate(queries)}
    if not any(run.values()) or not any(qrels.values()):
        return
    records = [{"id": f"q{i}", "retrieved": docs, "relevant": grades} for i, (docs, grades) in enumerate(queries)]
    source = Source("f.jsonl", "".join(json.dumps(record) + "\n" for record in records).encode(), "")
    (table,) = files.read_source_runs(source)
    rows = table.frame.drop("rank").rows()
    assert rows == [(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()]
    judged = files.read_source_qrels(source).frame.rows()
    assert judged == [(topic, doc, grade) for topic, grades in qrels.items() for doc, grade in grades.items()]


def test_a_json_array_of_records(tmp_path: Path) -> None:
    (tmp_path / "rag.json").write_text(json.dumps(RECORDS))
    assert assay.model.read_run(tmp_path / "rag.json").frame().rows() == RUN


KEYS = [  # as written by ragas, LlamaIndex, MLflow, and scripts
    ("user_input", "retrieved_context_ids", "reference_context_ids"),
    ("query", "retrieved_ids", "expected_ids"),
    ("questions_id", "retrieved_doc_ids", "ground_truth_doc_ids"),
    ("question_id", "retrieved_chunk_ids", "gold_chunk_ids"),
    ("qid", "ranked_doc_ids", "relevant_doc_ids"),
    ("id", "results", "ground_truth"),
    ("_id", "contexts", "gold_doc_ids"),
    ("query-id", "Retrieved Documents", "relevant documents"),
]


@pytest.mark.parametrize(("query", "retrieved", "relevant"), KEYS)
def test_keys_of_other_tools(tmp_path: Path, query: str, retrieved: str, relevant: str) -> None:
    columns = {"topic": "questions_id"} if query == "questions_id" else None
    records = [
        {query: record["query_id"], retrieved: record["retrieved"], relevant: record["relevant"]} for record in RECORDS
    ]
    assert read_run(tmp_path, *records, columns=columns) == RUN
    assert read_qrels(tmp_path, *records, columns=columns) == QRELS


def test_an_id_takes_precedence_over_a_text_and_a_list_over_an_answer(tmp_path: Path) -> None:
    record = {"topic": "billing", "question": "how?", "id": 7, "ground_truth": "by card", "expected_doc_id": "d1"}
    record |= {"expected_answer": "by card", "retrieved": ["d1"], "retrieved_contexts": ["a text " * 40]}
    assert read_qrels(tmp_path, record) == [("7", "d1", 1.0)]
    record["retrieved_doc_ids"] = ["d2"]
    assert read_run(tmp_path, record) == [("7", "d2", 1.0)]


def test_entries_may_have_scores_and_grades(tmp_path: Path) -> None:
    retrieved = [{"doc_id": "a", "score": 0.9, "text": "…"}, {"id": 5, "score": 0.9}, {"node_id": "c"}]
    record = {"qid": "q", "retrieved": retrieved, "relevant": {"a": 2, "b": 0}}
    assert read_run(tmp_path, record) == [("q", "a", 3.0), ("q", "5", 2.0), ("q", "c", 1.0)]
    assert read_qrels(tmp_path, record) == [("q", "a", 2.0), ("q", "b", 0.0)]
    record = {"qid": "q", "retrieved": [["a", 0.9], ["b", 0.8]], "relevant": [{"id": "a", "grade": 3}, {"id": "b"}]}
    assert read_run(tmp_path, record) == [("q", "a", 2.0), ("q", "b", 1.0)]
    assert read_qrels(tmp_path, record) == [("q", "a", 3.0), ("q", "b", 1.0)]


def test_lists_by_topic(tmp_path: Path) -> None:
    assert read_run(tmp_path, {"q1": ["a", "b"], "q2": [5]}) == [("q1", "a", 2.0), ("q1", "b", 1.0), ("q2", "5", 1.0)]
    dataset = {"queries": {"q1": "text"}, "corpus": {"a": "text"}, "relevant_docs": {"q1": ["a"]}, "mode": "text"}
    assert read_qrels(tmp_path, dataset) == [("q1", "a", 1.0)]
    with pytest.raises(InputError, match=r"expected \{topic"):
        read_qrels(tmp_path, {"queries": 1, "relevant_docs": "a"})


def test_empty_lists_are_empty_rankings(tmp_path: Path) -> None:
    records = [*RECORDS, {"query_id": "q3", "retrieved": [], "relevant": ["d1"]}]
    records.append({"query_id": "q4", "retrieved": None, "relevant": None})
    path = write(tmp_path / "f.jsonl", *records)
    campaign = assay.read(path, path)
    assert campaign.topics == ("q1", "q2", "q3")
    assert campaign.whole.length.tolist() == [3, 1, 0]


def test_several_runs(tmp_path: Path) -> None:
    records = [{**record, "run": run} for run in ("a", "b") for record in RECORDS]
    runs = assay.model.read_runs(write(tmp_path / "f.jsonl", *records))
    assert [(run.name, run.frame().rows()) for run in runs] == [("a", RUN), ("b", RUN)]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"qid": "q1", "retrieved": ["d9"]}, r"f.jsonl:2: query 'q1' occurs again \(first: .*f.jsonl:1\); give each"),
        ({"qid": "q", "retrieved": ["a", "a"]}, r"document a was already retrieved for topic q"),
        ({"qid": "q", "retrieved": [{"text": "x"}]}, r"f.jsonl:2: documents need an id, such as 'id' or 'doc_id'"),
        ({"qid": "q", "retrieved": ["long text " * 20]}, r"f.jsonl:2: texts instead of ids under 'retrieved'"),
        ({"qid": "q", "retrieved": [["a", 1, 2]]}, r"f.jsonl:2: expected the id of a document, found"),
        ({"qid": "q", "relevant": ["a"]}, r"f.jsonl:2: has relevant documents \(key 'relevant'\) but no retrieved"),
        (
            {"qid": "q", "retrieved": [{"id": "a", "score": 1}, {"id": "b", "score": 2}]},
            r"f.jsonl:2: query 'q': the scores contradict the order",
        ),
    ],
)
def test_invalid_records(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_run(tmp_path, RECORDS[0], record)
    run = assay.model.read_run(tmp_path / "f.jsonl", lenient=True)
    assert run.frame().rows()[:3] == RUN[:3]
    assert len(run.notes) == 1


def test_chosen_keys(tmp_path: Path) -> None:
    record = {"name": "q", "found": ["a"], "wanted": "a"}
    columns = {"topic": "name", "retrieved": "found", "relevant": "wanted"}
    assert read_run(tmp_path, record, columns=columns) == [("q", "a", 1.0)]
    assert read_qrels(tmp_path, record, columns=columns) == [("q", "a", 1.0)]


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "arrow"])
def test_frames_with_lists(kind: str) -> None:
    frame = pl.DataFrame(RECORDS)
    table: Any = {
        "polars": frame,
        "lazy": frame.lazy(),
        "pandas": pd.DataFrame(RECORDS),
        "arrow": frame.to_arrow(),
    }[kind]
    assert assay.evaluate(table, table, "RR", ties="rank").values.tolist() == [[[0.5, 1.0]]]
    assert assay.model.Run.from_frame(table).frame().rows() == RUN


def test_parquet_with_lists(tmp_path: Path) -> None:
    pl.DataFrame(RECORDS).write_parquet(tmp_path / "f.parquet")
    assert assay.model.read_run(tmp_path / "f.parquet").frame().rows() == RUN
    assert assay.model.read_qrels(tmp_path / "f.parquet").frame().rows() == QRELS
    bad = [{"qid": "q", "retrieved": [{"text": "x"}]}]
    pl.DataFrame(bad).write_parquet(tmp_path / "bad.parquet")
    with pytest.raises(InputError, match=r"bad.parquet, row 1: documents need an id"):
        assay.model.read_run(tmp_path / "bad.parquet")
