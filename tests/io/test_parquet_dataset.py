"""Parquet datasets: a directory of files that form one table."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import assay
from assay.errors import InputError
from assay.io import files, parquet_dataset, source

QRELS = {"t1": {"a": 1, "b": 0}, "t2": {"b": 2}}
ROWS = [
    ("bm25", "t1", "a", 2.0),
    ("bm25", "t1", "b", 1.0),
    ("bm25", "t2", "b", 1.0),
    ("x/y=1 é%", "t1", "b", 3.0),
    ("x/y=1 é%", "t2", "c", 2.0),
    ("x/y=1 é%", "t2", "b", 1.0),
]


def make_rows() -> pl.DataFrame:
    return pl.DataFrame(ROWS, schema=["run", "topic", "doc", "score"], orient="row")


def write_dataset(directory: Path, column: str = "run") -> Path:
    """Write the rows as Spark does: one directory per value, beside marker files."""
    for (value,), frame in make_rows().partition_by(column, as_dict=True, include_key=False).items():
        partition = directory / parquet_dataset.directory_name(column, value)
        partition.mkdir(parents=True)
        for number in range(len(frame)):
            frame[number : number + 1].write_parquet(partition / f"part-{number:05}.parquet")
    (directory / "_SUCCESS").touch()
    (directory / ".part.crc").touch()
    return directory


@pytest.mark.parametrize("column", ["run", "topic"])
@pytest.mark.parametrize("memory", ["all", "1G"])
def test_partitions_are_one_table(tmp_path: Path, column: str, memory: str) -> None:
    path = write_dataset(tmp_path / "runs", column)
    results = assay.evaluate(QRELS, path, ["AP", "nDCG"], memory=memory)
    expected = assay.evaluate(QRELS, make_rows(), ["AP", "nDCG"])
    assert sorted(results.runs) == sorted(expected.runs)
    assert results.frame().sort(pl.all()).equals(expected.frame().sort(pl.all()))


def test_a_run_may_span_several_files(tmp_path: Path) -> None:
    dataset = tmp_path / "both.parquet"
    dataset.mkdir()
    make_rows()[:4].write_parquet(dataset / "a.parquet")
    make_rows()[4:].write_parquet(dataset / "b.parquet")
    tables = files.read_runs(str(dataset))
    assert [(table.tag, len(table.frame)) for table in tables] == [("bm25", 3), ("x/y=1 é%", 3)]
    assert tables[1].locate(0) == f"{dataset}/a.parquet, row 4"
    assert tables[1].locate(1) == f"{dataset}/b.parquet, row 1"
    assert source.expand([dataset]) == [str(dataset)]
    assert source.note_ignored_entries([dataset]) == []


def test_run_without_a_name_is_named_after_its_directory(tmp_path: Path) -> None:
    dataset = tmp_path / "dense.parquet"
    dataset.mkdir()
    make_rows()[:3].drop("run").write_parquet(dataset / "part-0.parquet")
    assert assay.evaluate(QRELS, dataset, ["AP"]).runs == ("dense",)


def test_partitioned_judgments(tmp_path: Path) -> None:
    for topic, grades in QRELS.items():
        partition = tmp_path / "qrels" / f"topic={topic}"
        partition.mkdir(parents=True)
        pl.DataFrame({"doc": list(grades), "grade": list(grades.values())}).write_parquet(partition / "p.parquet")
    table = files.read_qrels(str(tmp_path / "qrels"))
    assert table.frame.rows() == [("t1", "a", 1.0), ("t1", "b", 0.0), ("t2", "b", 2.0)]


def test_plain_directory_is_not_a_dataset(tmp_path: Path) -> None:
    make_rows()[:3].drop("run").write_parquet(tmp_path / "a.parquet")
    make_rows()[3:].drop("run").write_parquet(tmp_path / "b.parquet")
    assert not parquet_dataset.is_dataset(tmp_path)
    assert not parquet_dataset.is_dataset(tmp_path / "a.parquet")
    assert assay.evaluate(QRELS, tmp_path, ["AP"]).runs == ("a", "b")


def test_digest_covers_names_and_contents(tmp_path: Path) -> None:
    first, second = write_dataset(tmp_path / "one"), write_dataset(tmp_path / "two")
    assert parquet_dataset.compute_digest(first) == parquet_dataset.compute_digest(second)
    (second / "run=bm25").rename(second / "run=bm26")
    assert parquet_dataset.compute_digest(first) != parquet_dataset.compute_digest(second)
    assert parquet_dataset.dataset_size(first) == parquet_dataset.dataset_size(second) > 0


@pytest.mark.parametrize("memory", ["all", "1G"])
def test_invalid_files_are_rejected(tmp_path: Path, memory: str) -> None:
    path = write_dataset(tmp_path / "runs")
    extra = path / "run=bm25" / "part-00009.parquet"
    make_rows()[:1].drop("run").write_parquet(extra)
    with pytest.raises(
        InputError, match=r"part-00009.parquet, row 1: document a .* topic t1 \(first: run=bm25/part-00000"
    ):
        assay.evaluate(QRELS, path, ["AP"], memory=memory)
    make_rows()[:1].drop("run", "score").write_parquet(extra)
    with pytest.raises(InputError, match=r"part-00009.parquet: no column for the score"):
        assay.evaluate(QRELS, path, ["AP"], memory=memory)
    make_rows()[:1].drop("run").with_columns(rank=1).write_parquet(extra)
    with pytest.raises(InputError, match=r"part-00009.parquet: columns differ from those of the first file"):
        assay.evaluate(QRELS, path, ["AP"], memory=memory, ties="rank")
    extra.write_bytes(b"PAR1 and nothing else PAR1")
    with pytest.raises(InputError, match=r"part-00009.parquet: the Parquet data is damaged"):
        assay.evaluate(QRELS, path, ["AP"], memory=memory)
    extra.rename(extra.with_suffix(".txt"))
    with pytest.raises(InputError, match=r"part-00009.txt: not a .parquet file"):
        assay.evaluate(QRELS, path, ["AP"], memory=memory)


def test_empty_dataset_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "none.parquet").mkdir()
    with pytest.raises(InputError, match=r"none.parquet: the dataset holds no Parquet files"):
        assay.evaluate(QRELS, tmp_path / "none.parquet", ["AP"])


def test_missing_partition_value_is_rejected(tmp_path: Path) -> None:
    partition = tmp_path / "runs" / parquet_dataset.directory_name("run", None)
    partition.mkdir(parents=True)
    make_rows()[:1].drop("run").write_parquet(partition / "p.parquet")
    with pytest.raises(InputError, match=r"p.parquet, row 1: the name of the run is missing"):
        assay.evaluate(QRELS, tmp_path / "runs", ["AP"])
