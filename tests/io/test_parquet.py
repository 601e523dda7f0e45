from __future__ import annotations

import io
from typing import Any

import polars as pl
import pytest

from assay.errors import InputError
from assay.io import files, parquet
from assay.io.source import Source

DATA: dict[str, list[Any]] = {"qid": ["q1", "q1", "q2"], "docno": ["001", "d2", "é"], "score": [2.5, 1.5, -1e300]}


def make_source(name: str = "f.parquet", frame: pl.DataFrame | None = None, **columns: list[Any]) -> Source:
    stream = io.BytesIO()
    (pl.DataFrame({**DATA, **columns}) if frame is None else frame).write_parquet(stream)
    return Source(name, stream.getvalue(), "digest")


@pytest.mark.parametrize(
    ("name", "data", "is_parquet"),
    [
        ("f.parquet", b"", True),
        ("f.PQ", b"", True),
        ("f.parquet.gz", b"", True),
        ("f", b"PAR1", True),
        ("f.run", b"q1 Q0", False),
    ],
)
def test_format_is_recognised_by_name_or_content(name: str, data: bytes, is_parquet: bool) -> None:
    assert parquet.matches(Source(name, data, "")) is is_parquet


def test_one_run() -> None:
    (table,) = files.read_source_runs(make_source(text=["…"] * 3))
    assert table.frame.rows() == [("q1", "001", 2.5), ("q1", "d2", 1.5), ("q2", "é", -1e300)]
    assert (table.source, table.tag, table.digest, table.notes) == ("f.parquet", None, "digest", ())
    assert table.locate(2) == "f.parquet, row 3"


def test_several_runs() -> None:
    tables = files.read_source_runs(make_source(tag=["b", "a", "b"], rank=[1, 1, 2]))
    assert [(table.tag, table.frame["doc"].to_list(), table.frame["rank"].to_list()) for table in tables] == [
        ("b", ["001", "é"], [1, 2]),
        ("a", ["d2"], [1]),
    ]
    assert tables[0].locate(1) == "f.parquet, row 3"
    (table,) = files.read_source_runs(make_source(run_id=[7, 7, 7]), rank=False)
    assert table.tag == "7"


def test_ranks_are_read_on_request() -> None:
    for rank in (False, True):
        (table,) = files.read_source_runs(make_source(rank=[1, 2, 1]), rank=rank)
        assert ("rank" in table.frame.columns) is rank


def test_qrels() -> None:
    table = files.read_source_qrels(make_source(grade=[1, 0, 2], iteration=[0, 0, 0]))
    assert table.frame.rows() == [("q1", "001", 1.0), ("q1", "d2", 0.0), ("q2", "é", 2.0)]
    assert table.digest == "digest"
    assert files.read_source_qrels(make_source()).frame["value"].to_list() == DATA["score"]


def test_categorical_and_float32_columns() -> None:
    frame = pl.DataFrame(DATA, schema_overrides={"qid": pl.Categorical, "score": pl.Float32}).head(2)
    (table,) = files.read_source_runs(make_source(frame=frame))
    assert table.frame.rows() == [("q1", "001", 2.5), ("q1", "d2", 1.5)]
    assert table.frame.dtypes == [pl.String, pl.String, pl.Float64]


def test_lenient_reader_skips_bad_rows() -> None:
    (table,) = files.read_source_runs(make_source(qid=["q1", None, "q1"], docno=["d", "e", "d"]), lenient=True)
    assert table.frame.rows() == [("q1", "d", 2.5)]
    assert [note.partition(" (")[0] for note in table.notes] == [
        "f.parquet: skipped rows without a topic: 1",
        "f.parquet: skipped duplicate documents, keeping the first: 1",
    ]


def test_file_without_rows_is_rejected() -> None:
    with pytest.raises(InputError, match=r"^f.parquet: contains no results$"):
        files.read_source_runs(make_source(frame=pl.DataFrame(DATA).clear()))
    with pytest.raises(InputError, match=r"^f.parquet: contains no results$"):
        files.read_source_runs(make_source(frame=pl.DataFrame({**DATA, "run": ["a"] * 3}).clear()))
    with pytest.raises(InputError, match=r"^f.parquet: contains no judgments$"):
        files.read_source_qrels(make_source(frame=pl.DataFrame(DATA).clear()))
