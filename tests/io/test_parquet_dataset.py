"""Parquet datasets: directories that are one table."""

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


def rows() -> pl.DataFrame:
    return pl.DataFrame(ROWS, schema=["run", "topic", "doc", "score"], orient="row")


def written(directory: Path, column: str = "run") -> Path:
    """As Spark writes it: a directory for each value, marks beside them."""
    for (value,), part in rows().partition_by(column, as_dict=True, include_key=False).items():
        inside = directory / parquet_dataset.directory_name(column, value)
        inside.mkdir(parents=True)
        for number in range(len(part)):
            part[number : number + 1].write_parquet(inside / f"part-{number:05}.parquet")
    (directory / "_SUCCESS").touch()
    (directory / ".part.crc").touch()
    return directory


@pytest.mark.parametrize("column", ["run", "topic"])
@pytest.mark.parametrize("memory", ["all", "1G"])
def test_partitions_are_one_table(tmp_path: Path, column: str, memory: str) -> None:
    path = written(tmp_path / "runs", column)
    found = assay.evaluate(QRELS, path, ["AP", "nDCG"], memory=memory)
    whole = assay.evaluate(QRELS, rows(), ["AP", "nDCG"])
    assert sorted(found.runs) == sorted(whole.runs)
    assert found.frame().sort(pl.all()).equals(whole.frame().sort(pl.all()))


def test_a_run_may_be_cut_into_files(tmp_path: Path) -> None:
    inside = tmp_path / "both.parquet"
    inside.mkdir()
    rows()[:4].write_parquet(inside / "a.parquet")
    rows()[4:].write_parquet(inside / "b.parquet")
    tables = files.read_runs(str(inside))
    assert [(table.tag, len(table.frame)) for table in tables] == [("bm25", 3), ("x/y=1 é%", 3)]
    assert tables[1].locate(0) == f"{inside}/a.parquet, row 4"
    assert tables[1].locate(1) == f"{inside}/b.parquet, row 1"
    assert source.expand([inside]) == [str(inside)]
    assert source.note_ignored_entries([inside]) == []


def test_one_run_without_names_is_named_by_its_directory(tmp_path: Path) -> None:
    inside = tmp_path / "dense.parquet"
    inside.mkdir()
    rows()[:3].drop("run").write_parquet(inside / "part-0.parquet")
    assert assay.evaluate(QRELS, inside, ["AP"]).runs == ("dense.parquet",)


def test_judgments(tmp_path: Path) -> None:
    for topic, judged in QRELS.items():
        inside = tmp_path / "qrels" / f"topic={topic}"
        inside.mkdir(parents=True)
        pl.DataFrame({"doc": list(judged), "grade": list(judged.values())}).write_parquet(inside / "p.parquet")
    table = files.read_qrels(str(tmp_path / "qrels"))
    assert table.frame.rows() == [("t1", "a", 1.0), ("t1", "b", 0.0), ("t2", "b", 2.0)]


def test_a_plain_directory_of_files_is_none(tmp_path: Path) -> None:
    rows()[:3].drop("run").write_parquet(tmp_path / "a.parquet")
    rows()[3:].drop("run").write_parquet(tmp_path / "b.parquet")
    assert not parquet_dataset.is_dataset(tmp_path)
    assert not parquet_dataset.is_dataset(tmp_path / "a.parquet")
    assert assay.evaluate(QRELS, tmp_path, ["AP"]).runs == ("a.parquet", "b.parquet")


def test_the_hash_is_of_names_and_contents(tmp_path: Path) -> None:
    first, second = written(tmp_path / "one"), written(tmp_path / "two")
    assert parquet_dataset.compute_digest(first) == parquet_dataset.compute_digest(second)
    (second / "run=bm25").rename(second / "run=bm26")
    assert parquet_dataset.compute_digest(first) != parquet_dataset.compute_digest(second)
    assert parquet_dataset.dataset_size(first) == parquet_dataset.dataset_size(second) > 0


@pytest.mark.parametrize("memory", ["all", "1G"])
def test_what_cannot_be_read(tmp_path: Path, memory: str) -> None:
    path = written(tmp_path / "runs")
    again = path / "run=bm25" / "part-00009.parquet"
    rows()[:1].drop("run").write_parquet(again)
    with pytest.raises(
        InputError, match=r"part-00009.parquet, row 1: document a .* topic t1 \(first: run=bm25/part-00000"
    ):
        assay.evaluate(QRELS, path, ["AP"], memory=memory)
    rows()[:1].drop("run", "score").write_parquet(again)
    with pytest.raises(InputError, match=r"part-00009.parquet: no column for the score"):
        assay.evaluate(QRELS, path, ["AP"], memory=memory)
    rows()[:1].drop("run").with_columns(rank=1).write_parquet(again)
    with pytest.raises(InputError, match=r"part-00009.parquet: columns differ from those of the first file"):
        assay.evaluate(QRELS, path, ["AP"], memory=memory, ties="rank")
    again.write_bytes(b"PAR1 and nothing else PAR1")
    with pytest.raises(InputError, match=r"part-00009.parquet: the Parquet data is damaged"):
        assay.evaluate(QRELS, path, ["AP"], memory=memory)
    again.rename(again.with_suffix(".txt"))
    with pytest.raises(InputError, match=r"part-00009.txt: not a .parquet file"):
        assay.evaluate(QRELS, path, ["AP"], memory=memory)


def test_an_empty_dataset(tmp_path: Path) -> None:
    (tmp_path / "none.parquet").mkdir()
    with pytest.raises(InputError, match=r"none.parquet: the dataset holds no Parquet files"):
        assay.evaluate(QRELS, tmp_path / "none.parquet", ["AP"])


def test_a_value_that_is_missing(tmp_path: Path) -> None:
    inside = tmp_path / "runs" / parquet_dataset.directory_name("run", None)
    inside.mkdir(parents=True)
    rows()[:1].drop("run").write_parquet(inside / "p.parquet")
    with pytest.raises(InputError, match=r"p.parquet, row 1: the name of the run is missing"):
        assay.evaluate(QRELS, tmp_path / "runs", ["AP"])
