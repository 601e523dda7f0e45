"""Names of columns that the user chooses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import assay
from assay.cli import main
from assay.errors import InputError

ROWS: dict[str, list[Any]] = {"query_id": ["q1", "q1"], "product_id": ["a", "b"], "Rating": [2, 0], "doc": ["x", "y"]}
COLUMNS = {"doc": "product_id", "grade": "rating", "score": ["points", "Rating"]}


def write_json(frame: pl.DataFrame, path: Path) -> None:
    frame.write_ndjson(path)


WRITE: dict[str, Any] = {"csv": pl.DataFrame.write_csv, "jsonl": write_json, "parquet": pl.DataFrame.write_parquet}


@pytest.mark.parametrize("ending", WRITE)
def test_files(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"f.{ending}"
    WRITE[ending](pl.DataFrame(ROWS), path)
    assert assay.model.read_qrels(path, columns=COLUMNS).frame().rows() == [("q1", "a", 2.0), ("q1", "b", 0.0)]
    assert assay.model.read_run(path, columns=COLUMNS).frame().rows() == [("q1", "a", 2.0), ("q1", "b", 0.0)]
    results = assay.evaluate(path, [path], "P@1", columns=COLUMNS)
    assert results.values.item() == 1
    assert results.provenance.derivations == ("columns doc=product_id, grade=rating, score=points, score=Rating",)
    pairs = "doc=product_id,grade=rating,score=points,score=Rating"
    assert main(["eval", str(path), str(path), "-m", "P@1", "--columns", pairs]) == 0
    if ending == "parquet":
        results = assay.evaluate(path, [path], "P@1", columns=COLUMNS, memory="1G")
        assert results.values.item() == 1


@pytest.mark.parametrize("table", [pl.DataFrame(ROWS), pl.LazyFrame(ROWS), pd.DataFrame(ROWS)])
def test_frames(table: Any) -> None:
    assert assay.evaluate(table, table, "P@1", columns=COLUMNS).values.item() == 1


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"docs": "product_id"}, r"columns: unknown role 'docs'; choose one of topic, doc, .*did you mean doc\?"),
        ({"doc": ""}, "columns: expected the name of a column for doc, got ''"),
        ({"doc": []}, r"columns: expected the name of a column for doc, got \[\]"),
        (
            {"doc": "products"},
            "no column 'products' for the document among .*; did you mean product_id",
        ),
        ({"doc": "product_id"}, "no column for the grade among"),
    ],
)
def test_invalid_columns_are_rejected(columns: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        assay.read(pl.DataFrame(ROWS), columns=columns)


def test_invalid_columns_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.csv"
    pl.DataFrame(ROWS).write_csv(path)
    for option, message in [
        ("doc", "--columns 'doc': write ROLE=NAME, such as doc=product_id"),
        ("docs=a", "--columns: unknown role 'docs'"),
        ("doc=a", "f.csv:1: no column 'a' for the document"),
        ("doc=a", "'doc'; name one of them"),
    ]:
        assert main(["eval", str(path), str(path), "--columns", option]) == 2
        assert message in capsys.readouterr().err
