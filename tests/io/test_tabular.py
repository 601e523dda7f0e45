"""Tables with named columns: CSV, TSV, JSON records, Parquet, frames."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.io import delimited
from assay.io.problems import Problems
from assay.io.source import Source
from assay.io.tabular import Tabular, read_table


def read(text: str | bytes, name: str = "t.csv", lenient: bool = False) -> Tabular:
    return read_table(Source(name, text.encode() if isinstance(text, str) else text, "digest"), lenient=lenient)


@pytest.mark.parametrize(
    "text",
    [
        "topic,text\n001,a b\n2,c\n",
        "topic,text\n001,a b\n2,c",
        "topic,text\r\n001,a b\r\n2,c\r\n",
        "\ufefftopic,text\n001,a b\n2,c\n",
        '"topic","text"\n"001","a b"\n2,"c"\n',
        "topic\ttext\n001\ta b\n2\tc\n",
        'topic\ttext\n"001"\ta b\n2\t"c"\n',
        "topic;text\n001;a b\n2;c\n",
        "\ntopic,text\n\n001,a b\n  \n2,c\n,\n",
        " topic , text\n001,a b\n2,c\n",
    ],
)
def test_equivalent_layouts(text: str) -> None:
    table = read(text)
    assert table.frame.columns == ["topic", "text"]
    assert table.frame.rows() == [("001", "a b"), ("2", "c")]
    assert table.frame.schema == {"topic": pl.String, "text": pl.String}
    assert (table.source, table.digest) == ("t.csv", "digest")


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('a,b\n"x, y","z ""q"""\n', [("x, y", 'z "q"')]),
        ('a,b\n"x\ny",1\nz,2\n', [("x\ny", "1"), ("z", "2")]),
        ("a,b\n,1\n2,\n", [(None, "1"), ("2", None)]),
        ('a,b\n"",1\n2,""\n', [(None, "1"), ("2", None)]),
        ('a\tb\n"x\t1\ny\t"z ""q"""\n', [('"x', "1"), ("y", 'z "q"')]),
        ("a,b,c\n1,x;y;z,2\n", [("1", "x;y;z", "2")]),
        ("a\tb\n1\tx, y\n2\tu, v\n", [("1", "x, y"), ("2", "u, v")]),
        ("a\n1\n\n2\n", [("1",), ("2",)]),
        ("a,b\n", []),
        (",a\n0,x\n", [("0", "x")]),
        ("a,b\nx#1,#y\n", [("x#1", "#y")]),
    ],
)
def test_cells(text: str, rows: list[tuple[str | None, ...]]) -> None:
    assert read(text).frame.rows() == rows


def test_a_column_without_a_name_gets_its_number() -> None:
    assert read(",a\n0,x\n").frame.columns == ["column 1", "a"]


def test_a_row_is_located_by_its_line() -> None:
    assert read("a,b\n1,2\n3,4\n").locate(1) == "t.csv:3"
    assert read('a,b\n"1\n\n",2\n\n3,4\n').locate(1) == "t.csv:6"
    assert read("a\tb\n\n1\t2\n").locate(0) == "t.csv:3"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a,b\n1,2\n3\n", "t.csv:3: expected 2 comma-separated columns (a, b), found 1"),
        (b"a,b\n1,2\n3,4,5\n", "t.csv:3: expected 2 comma-separated columns (a, b), found 3; quote"),
        (b"a\tb\n1\t2\n3\t4\t5\n", "t.csv:3: expected 2 tab-separated columns (a, b), found 3"),
        (b"a,b\n1,2\n\xff,2\n", "t.csv:3: invalid UTF-8"),
        (b"a,b\n1,2\n11111111111111,\x00\n", "t.csv:3: a NUL byte"),
        (b'a,b\n1,2\n"1"x,2\n', "t.csv:3: not valid CSV"),
    ],
)
def test_bad_lines_are_rejected_or_skipped(data: bytes, message: str) -> None:
    with pytest.raises(InputError) as error:
        read(data)
    assert str(error.value).startswith(message)
    table = read(data + (b"5,6\n" if b"," in data else b"5\t6\n"), lenient=True)
    assert table.frame.rows() == [("1", "2"), ("5", "6")]
    assert table.locate(1) == "t.csv:4"
    assert message in table.notes[0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "t.csv: the file is empty"),
        (b" \n", "t.csv: the file is empty"),
        (b"a,a\n1,2\n", "t.csv:1: two columns are named 'a'; rename one"),
        (b'a,b\n"1,2\n3,4\n', "t.csv:2: a quoted cell is not closed"),
        (b"\xff\xfea,b\n1,2\n", "t.csv: is UTF-16"),
    ],
)
def test_bad_files_are_rejected_even_if_lenient(data: bytes, message: str) -> None:
    for lenient in (False, True):
        with pytest.raises(InputError) as error:
            read(data, lenient=lenient)
        assert str(error.value).startswith(message)


CELLS = st.text(st.sampled_from('ab1 ,;\t"\n\r\u2028é'), max_size=4)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=5),
    st.sampled_from([",", ";"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_what_the_csv_module_writes_is_read(rows: list[list[str]], delimiter: str, quoting: Any) -> None:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, quoting=quoting)
    writer.writerows([["x", "y", "z"], *rows])
    frame = read(stream.getvalue()).frame
    assert frame.rows() == [tuple(cell or None for cell in row) for row in rows if any(row)]


@settings(max_examples=500, deadline=None)
@given(st.text(st.sampled_from('ab,\t"\n\r'), max_size=30), st.sampled_from([",", "\t"]))
def test_the_fast_parser_agrees_with_the_careful_parser(body: str, delimiter: str) -> None:
    header = delimited.Header(("x", "y"), delimiter)
    data = f"x{delimiter}y\n{body}".encode()
    fast = delimited._parse_fast(data, header)
    try:
        careful, _ = delimited._parse_carefully(data, header, Problems("f"))
    except InputError:
        assert fast is None
    else:
        assert fast is None or fast.equals(careful)


def test_json_records_are_typed_and_keys_are_united() -> None:
    text = '{"id": 1, "x": 2, "on": true}\n\n{"id": "q2", "x": 0.5, "tags": ["a", "b"]}\n{"id": "q3", "y": null}\n'
    table = read(text, "t.jsonl")
    assert table.frame.to_dicts() == [
        {"id": "1", "x": 2.0, "on": True, "tags": None, "y": None},
        {"id": "q2", "x": 0.5, "on": None, "tags": ["a", "b"], "y": None},
        {"id": "q3", "x": None, "on": None, "tags": None, "y": None},
    ]
    assert table.locate(1) == "t.jsonl:3"
    assert read('[{"a": 1}, {"a": 2}]', "t.json").frame.to_dict(as_series=False) == {"a": [1, 2]}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"a": {"b": 1}}', "t.jsonl:2: 'a' is an object"),
        ('{"a": 1, "a": 2}', "t.jsonl:2: the key 'a' occurs twice"),
        ('{"a": true}', "t.jsonl:2: 'a' has values of different types"),
        ('{"a": 0.5, "b": [1, "x"]}', "t.jsonl:2: 'b' has values"),
        ("[1]", "t.jsonl:2: expected an object"),
        ('{"a": ', "t.jsonl:2: not JSON"),
        ('{"a": 99999999999999999999}', "t.jsonl:1: 'a' cannot be stored"),
    ],
)
def test_bad_json_is_rejected(line: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read(f'{{"a": 1}}\n{line}\n', "t.jsonl")
    assert str(error.value).startswith(message)


def test_parquet_and_compressed_files(tmp_path: Path) -> None:
    frame = pl.DataFrame({"topic": ["1", "2"], "n": [3, None]})
    frame.write_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert table.frame.equals(frame)
    assert table.locate(1).endswith("t.parquet, row 2")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert read_table(str(tmp_path / "t.csv.gz")).frame.rows() == [("1", "2")]
    with pytest.raises(InputError, match="no such file"):
        read_table(tmp_path / "absent.csv")


COLUMNS: dict[str, list[Any]] = {"topic": ["a", "b"], "n": [1, 2], "x": [0.5, None]}


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame(COLUMNS),
        pl.LazyFrame(COLUMNS),
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS, dtype=object),
        pd.DataFrame(COLUMNS).convert_dtypes(),
        pd.DataFrame(COLUMNS).astype({"topic": "category"}),
        pa.table(COLUMNS),
    ],
    ids=lambda table: type(table).__module__,
)
def test_frames(table: Any) -> None:
    tabular = read_table(table, label="topics")
    assert tabular.frame.to_dict(as_series=False) == COLUMNS
    assert (tabular.locate(0), tabular.digest) == ("topics, row 1", None)


def test_other_objects_are_rejected() -> None:
    for table in (3, [1], pd.Series([1])):
        with pytest.raises(InputError, match=r"^topics: expected a table"):
            read_table(table, label="topics")
