from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay.errors import InputError
from assay.io import frames

DATA: dict[str, list[Any]] = {"qid": ["q1", "001"], "docno": ["d1", "é"], "score": [2.5, -1.0]}
ROWS = [("q1", "d1", 2.5), ("001", "é", -1.0)]


class Stream:
    """A table of an unknown library with nothing but the Arrow PyCapsule interface."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


INTEGERS: dict[str, list[Any]] = {"qid": [1, 2], "docno": [7, -8], "score": [2.5, -1.0]}
INTEGER_TABLES = {
    "polars": pl.DataFrame(INTEGERS),
    "polars int8": pl.DataFrame(INTEGERS, schema_overrides={"qid": pl.UInt8}),
    "pandas": pd.DataFrame(INTEGERS),
    "pandas object": pd.DataFrame(INTEGERS, dtype=object),
    "pandas nullable": pd.DataFrame(INTEGERS).convert_dtypes(),
    "arrow": pa.table(INTEGERS),
}


@pytest.mark.parametrize("kind", INTEGER_TABLES)
def test_integer_ids_become_decimal_text(kind: str) -> None:
    table = frames.read_run(INTEGER_TABLES[kind], "bm25")
    assert table.frame.rows() == [("1", "7", 2.5), ("2", "-8", -1.0)]


LARGE = pa.schema([("qid", pa.large_string()), ("docno", pa.large_string()), ("score", pa.float32())])
KINDS = {
    "polars": pl.DataFrame(DATA),
    "polars lazy": pl.LazyFrame(DATA),
    "polars categorical": pl.DataFrame(DATA, schema_overrides={"qid": pl.Categorical, "docno": pl.Enum(["d1", "é"])}),
    "polars float32": pl.DataFrame(DATA, schema_overrides={"score": pl.Float32}),
    "polars decimal": pl.DataFrame(DATA).with_columns(pl.col("score").cast(pl.Decimal(10, 2))),
    "pandas": pd.DataFrame(DATA),
    "pandas object": pd.DataFrame(DATA, dtype=object),
    "pandas string": pd.DataFrame(DATA).astype({"qid": "string", "docno": "string", "score": "Float64"}),
    "pandas category": pd.DataFrame(DATA).astype({"qid": "category", "docno": "category"}),
    "pandas arrow": pd.DataFrame(DATA).convert_dtypes(dtype_backend="pyarrow"),
    "pandas with an index": pd.DataFrame(DATA, index=[7, 7]),
    "arrow table": pa.table(DATA),
    "arrow batch": pa.RecordBatch.from_pydict(DATA),
    "arrow large": pa.table(DATA).cast(LARGE),
    "arrow dictionary": pa.table({**DATA, "qid": pa.array(DATA["qid"]).dictionary_encode()}),
    "arrow reader": pa.table(DATA).to_reader(),
    "arrow capsule": Stream(pa.table(DATA)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_supported_table_types(kind: str) -> None:
    table = frames.read_run(KINDS[kind], "bm25")
    assert table.frame.rows() == ROWS
    assert (table.source, table.tag, table.digest, table.notes) == ("bm25", "bm25", None, ())
    assert table.locate(1) == "run 'bm25', row 2"


TOPIC = ["topic", "query_id", "query-id", "qid", "q_id", "query", "topic_id", "QID", "Query ID"]
DOC = ["doc", "doc_id", "docid", "docno", "document", "document_id", "pid", "corpus-id", "corpus_id", "DocNo"]
GRADE = ["grade", "rel", "relevance", "label", "score"]


@pytest.mark.parametrize("topic", TOPIC)
@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame])
def test_names_of_the_topic_column(topic: str, library: Any) -> None:
    assert frames.read_run(library({topic: ["q"], "doc": ["d"], "score": [1.0]})).frame.rows() == [("q", "d", 1.0)]


@pytest.mark.parametrize("doc", DOC)
def test_names_of_the_document_column(doc: str) -> None:
    assert frames.read_run(pl.DataFrame({"topic": ["q"], doc: ["d"], "score": [1.0]})).frame.rows() == [("q", "d", 1.0)]


@pytest.mark.parametrize("score", ["score", "sim", "similarity", "Score"])
def test_names_of_the_score_column(score: str) -> None:
    assert frames.read_run(pl.DataFrame({"topic": ["q"], "doc": ["d"], score: [1]})).frame.rows() == [("q", "d", 1.0)]


@pytest.mark.parametrize("grade", GRADE)
def test_names_of_the_grade_column(grade: str) -> None:
    table = frames.read_qrels(pl.DataFrame({"topic": ["q"], "doc": ["d"], grade: [1]}))
    assert table.frame.rows() == [("q", "d", 1.0)]
    assert (table.source, table.locate(0)) == ("qrels", "qrels, row 1")


def test_columns_of_pyterrier() -> None:
    results = pd.DataFrame(
        {"qid": ["1"], "docid": [77], "docno": ["d1"], "rank": [0], "score": [2.5], "query": ["some words"]}
    )
    assert frames.read_run(results).frame.rows() == [("1", "d1", 2.5, "0")]
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["d1"], "label": [2], "iteration": ["0"]})
    assert frames.read_qrels(qrels).frame.rows() == [("1", "d1", 2.0)]


def test_grade_column_takes_precedence_in_qrels() -> None:
    frame = pl.DataFrame({"score": [0.3], "rel": [2], "topic": ["q"], "doc": ["d"]})
    assert frames.read_qrels(frame).frame.rows() == [("q", "d", 2.0)]
    assert frames.read_run(frame).frame.rows() == [("q", "d", 0.3)]


def test_other_columns_are_ignored() -> None:
    frame = pd.DataFrame({**DATA, "text": [object(), None], 5: [1, 2], "score2": ["a", "b"]})
    assert frames.read_run(frame).frame.rows() == ROWS


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame, pa.table])
def test_rank_column_is_read(library: Any) -> None:
    assert frames.read_run(library({**DATA, "rank": [2, 1]})).frame["rank"].cast(pl.Int64).to_list() == [2, 1]


def test_name_of_a_run() -> None:
    frame = pl.DataFrame({**DATA, "tag": ["bm25"] * 2})
    assert frames.read_run(frame).tag == "bm25"
    assert frames.read_run(frame).source == "bm25"
    assert frames.read_run(frame, "mine").tag == "mine"
    assert frames.read_run(pl.DataFrame(DATA)).tag == "run"
    assert frames.read_run(pd.DataFrame({**DATA, "run": [3, 3]})).tag == "3"


TWO_RUNS = {**DATA, "qid": ["q1", "q1"], "system": ["a", "b"]}
COLUMNS = "expected a table of polars, pandas, pyarrow or another library with the Arrow interface"
NAMES_OF_DOC = "doc, docno, doc-id, document, document-id, corpus-id, pid, or write columns 'doc=NAME'"
NAMES_OF_TOPIC = "topic, query-id, qid, topic-id, query, or write columns 'topic=NAME'"
IDS = "read it as text, so that ids such as 001 keep their zeros"
DUPLICATE_COLUMN = pd.DataFrame([["q", "q", "d", 1.0]], columns=["qid", "qid", "doc", "score"])
BAD_TABLES = [
    ({"q1": {"d1": 1}}, f"frame: {COLUMNS}, got {{'q1': {{'d1': 1}}}} (dict)"),
    (None, f"frame: {COLUMNS}, got None (NoneType)"),
    (pd.Series([1]), "frame: expected a table with columns, got a pandas Series"),
    (pa.array([1]), "frame: expected a table with columns, got a single column"),
    (
        pl.DataFrame({"qid": ["q"], "score": [1]}),
        f"frame: no column for the document among 'qid', 'score'; name it one of {NAMES_OF_DOC}",
    ),
    (
        pd.DataFrame({"id": ["q"], "doc": ["d"], "score": [1]}),
        f"frame: no column for the topic among 'id', 'doc', 'score'; name it one of {NAMES_OF_TOPIC}",
    ),
    (
        pl.LazyFrame({"qid": ["q"], "doc": ["d"]}),
        (
            "frame: no column for the score among 'qid', 'doc'; name it one of score, sim, similarity, or "
            "write columns 'score=NAME'"
        ),
    ),
    (
        pl.DataFrame(),
        f"frame: no column for the topic among none; name it one of {NAMES_OF_TOPIC}",
    ),
    (
        pl.DataFrame({"qid": ["q"], "QID": ["r"], "doc": ["d"], "score": [1]}),
        "frame: columns 'qid' and 'QID' both name the topic; keep one",
    ),
    (DUPLICATE_COLUMN, "frame: columns 'qid' and 'qid' both name the topic; keep one"),
    (
        pl.DataFrame({"qid": [True], "doc": ["d"], "score": [1]}),
        f"frame: topic ids must be text or integers, but column 'qid' is Boolean; {IDS}",
    ),
    (
        pd.DataFrame({"qid": ["1"], "doc": [7.0], "score": [1]}),
        f"frame: document ids must be text or integers, but column 'doc' is float64; {IDS}",
    ),
    (
        pa.table({"qid": [1.0], "doc": ["d"], "score": [1]}),
        f"frame: topic ids must be text or integers, but column 'qid' is Float64; {IDS}",
    ),
    (
        pl.DataFrame({"qid": ["q"], "doc": [b"d"], "score": [1]}),
        f"frame: document ids must be text or integers, but column 'doc' is Binary; {IDS}",
    ),
    (
        pd.DataFrame({"qid": ["q", 301.0], "doc": ["d", "d"], "score": [1, 2]}, dtype=object),
        "frame, row 2: topic ids must be text or integers, got 301.0 (float); write 301, or read the ids as text",
    ),
    (
        pd.DataFrame({"qid": pd.Categorical([301.0]), "doc": ["d"], "score": [1]}),
        "frame, row 1: topic ids must be text or integers, got 301.0 (float); write 301, or read the ids as text",
    ),
    (
        pl.DataFrame({"qid": ["q"], "doc": ["d"], "score": ["1"]}),
        "frame: the score must be a number, but column 'score' is String; cast it to a float",
    ),
    (
        pl.DataFrame({"qid": ["q"], "doc": ["d"], "score": [True]}),
        "frame: the score must be a number, but column 'score' is Boolean; cast it to a float",
    ),
    (
        pd.DataFrame({"qid": ["q"], "doc": ["d"], "score": [True]}),
        "frame: the score must be a number, but column 'score' is bool; cast it to a float",
    ),
    (
        pd.DataFrame({"qid": ["q"] * 2, "doc": ["d", "e"], "score": [1, "2"]}, dtype=object),
        "frame, row 2: the score must be a number, found '2' (str)",
    ),
    (
        pd.DataFrame({"qid": ["q"], "doc": ["d"], "score": ["2"]}),
        "frame, row 1: the score must be a number, found '2' (str)",
    ),
    (pl.DataFrame(TWO_RUNS), "frame: holds 2 runs ('a', 'b'); pass one run at a time"),
    (pd.DataFrame(TWO_RUNS), "frame: holds 2 runs ('a', 'b'); pass one run at a time"),
    (
        pl.DataFrame({**DATA, "tag": ["a", None]}),
        "frame: holds 2 runs ('a', None); pass one run at a time",
    ),
    (pl.DataFrame(DATA).clear(), "run: contains no results"),
]


@pytest.mark.parametrize(("frame", "message"), BAD_TABLES)
def test_invalid_tables_are_rejected(frame: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        frames.read_run(frame)
    assert str(error.value) == message


def test_arrow_table_with_duplicate_columns_is_rejected() -> None:
    table = pa.table([["q"], ["q"], ["d"], [1.0]], names=["qid", "qid", "doc", "score"])
    with pytest.raises(InputError, match=r"^run 'a': cannot be converted to a table \(.*\)$"):
        frames.read_run(table, "a")


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame, pa.table])
def test_rows_with_missing_values(library: Any) -> None:
    data = {"qid": ["q", None, "q"], "doc": ["d", "e", "f"], "score": [1.0, 2.0, None]}
    with pytest.raises(InputError, match=r"^run 'a', row 2: the topic id is missing\n.*lenient=True"):
        frames.read_run(library(data), "a")
    with pytest.raises(InputError, match=r"^run 'a', row 3: the score must be a finite number, found (missing|nan)"):
        frames.read_run(library({**data, "qid": ["q"] * 3}), "a")
    table = frames.read_run(library(data), "a", lenient=True)
    assert table.frame.rows() == [("q", "d", 1.0)]
    assert [note.partition(" (")[0] for note in table.notes] == [
        "a: skipped rows without a topic: 1",
        "a: skipped rows whose score is not a finite number: 1",
    ]


def test_null_column_counts_as_missing() -> None:
    frame = pl.DataFrame({"qid": [None], "doc": ["d"], "grade": [None]})
    with pytest.raises(InputError, match=r"^qrels, row 1: the topic id is missing\n.*lenient=True"):
        frames.read_qrels(frame)


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame, pa.table])
def test_duplicates(library: Any) -> None:
    data = {"qid": ["q", "q"], "doc": ["d", "d"], "grade": [1, 2]}
    with pytest.raises(InputError) as error:
        frames.read_qrels(library(data))
    assert str(error.value) == "qrels, row 2: document d of topic q has grade 2 here and 1 before (first: row 1)"
    assert frames.read_qrels(library(data), lenient=True).frame.rows() == [("q", "d", 1.0)]


def test_pandas_columns_of_objects() -> None:
    frame = pd.DataFrame({"qid": ["q"] * 3, "doc": ["d", "e", "f"], "grade": [1, np.float32(0.5), 2**60]}, dtype=object)
    assert frames.read_qrels(frame).frame["value"].to_list() == [1.0, 0.5, 2.0**60]


def test_long_lists_of_columns_are_shortened() -> None:
    frame = pl.DataFrame({f"feature number {i} with a very long name": [1] for i in range(100)})
    with pytest.raises(InputError) as error:
        frames.read_run(frame)
    assert len(str(error.value)) < 600


def test_split_runs() -> None:
    from assay.io.problems import Problems

    rows = pl.DataFrame(
        {"topic": ["q"] * 4, "doc": ["d", "d", "e", "e"], "value": [1.0] * 4, "run": ["b", "a", None, "b"]}
    )
    with pytest.raises(InputError, match=r"^f, row 3: the name of the run is missing$"):
        frames.split_runs(rows, frames.locate_rows("f"), Problems("f"))
    tables = frames.split_runs(rows, frames.locate_rows("f"), Problems("f", lenient=True), "digest")
    assert [(table.tag, table.frame.columns, len(table.frame), table.digest) for table in tables] == [
        ("b", ["topic", "doc", "value"], 2, "digest"),
        ("a", ["topic", "doc", "value"], 1, "digest"),
    ]
    assert [tables[0].locate(1), tables[1].locate(0)] == ["f, row 4", "f, row 2"]
    assert all("skipped rows without a run: 1" in table.notes[0] for table in tables)
    with pytest.raises(InputError, match=r"^f: contains no results$"):
        frames.split_runs(rows.clear(), frames.locate_rows("f"), Problems("f"))


@pytest.mark.parametrize("package", ["pandas", "pyarrow"])
def test_other_libraries_are_not_imported(package: str) -> None:
    code = (
        "import sys, polars; from assay.io import frames;"
        "frames.read_run(polars.DataFrame({'qid': ['q'], 'doc': ['d'], 'score': [1.0]}));"
        f"sys.exit({package!r} in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
