from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.io import trec
from assay.io.source import Source, read
from assay.io.table import RowTable

ROWS = [("q1", "d1", 1.0), ("q1", "d2", 0.0)]


def read_qrels(text: str | bytes, lenient: bool = False) -> RowTable:
    data = text.encode() if isinstance(text, str) else text
    return trec.read_qrels(Source("f.qrels", data, "digest"), lenient)


def read_run(text: str | bytes, rank: bool = True) -> RowTable:
    data = text.encode() if isinstance(text, str) else text
    (table,) = trec.read_runs(Source("f.run", data, "digest"), rank=rank)
    return table


@pytest.mark.parametrize(
    "text",
    [
        "q1 0 d1 1\nq1 0 d2 0\n",
        "q1\t0\td1\t1\nq1\t0\td2\t0\n",
        "q1  0   d1    1\nq1 0 d2 0\n",
        "q1 \t 0 \t d1\t\t1\nq1 0\td2 0\n",
        "  q1 0 d1 1\n\tq1 0 d2 0\n",
        "q1 0 d1 1  \nq1 0 d2 0\t\n",
        "q1 0 d1 1\r\nq1 0 d2 0\r\n",
        "q1 0 d1 1\nq1 0 d2 0",
        "\ufeffq1 0 d1 1\nq1 0 d2 0\n",
        "\n\nq1 0 d1 1\n  \n\t\nq1 0 d2 0\n\n",
        "# a comment\nq1 0 d1 1\n#another one here\n  # and this\nq1 0 d2 0\n#",
        "\ufeff# a comment\nq1 0 d1 1\nq1 0 d2 0\n",
        "q1\v0\fd1 1\nq1 0 d2 0\n",
        "q1 ignored d1 1\nq1 # d2 0\n",
    ],
)
def test_equivalent_layouts(text: str) -> None:
    assert read_qrels(text).frame.rows() == ROWS


@pytest.mark.parametrize(
    "name",
    [
        "001",
        "d#1",
        "a\u00a0b",
        "a\u3000b",
        "x\x85y",
        "文書",
        "é",
        "'d'",
        '"d"',
        "a,b",
        "a;b",
        "\\n",
        "null",
        "nan",
        "TRUE",
        "-",
        "_",
    ],
)
def test_ids_are_read_verbatim(name: str) -> None:
    for separator in (" ", "\t", " \t"):
        assert read_qrels(separator.join([name, "0", name, "1\n"])).frame.rows() == [(name, name, 1.0)]
        table = read_run(separator.join([name, "Q0", name, "1", "2.5", f"{name}\n"]), rank=False)
        assert (table.frame.rows(), table.tag) == ([(name, name, 2.5)], name)


def test_hash_starts_a_comment_only_at_the_start_of_a_line() -> None:
    assert read_qrels("q#1 0 #d 1\n").frame.rows() == [("q#1", "#d", 1.0)]
    assert read_qrels("#q1 0 d 1\nq1 0 d 1\n").frame.rows() == [("q1", "d", 1.0)]


def test_topics_may_be_in_any_order() -> None:
    table = read_run("q2 Q0 a 1 3 t\nq1 Q0 a 1 3 t\nq2 Q0 b 2 2 t\n")
    assert table.frame["topic"].to_list() == ["q2", "q1", "q2"]
    assert table.locate(2) == "f.run:3"


def test_read_run_columns() -> None:
    table = read_run("q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 x -1e-3 bm25\n")
    assert table.frame.columns == ["topic", "doc", "rank", "value"]
    assert table.frame.rows() == [("q1", "d1", "1", 2.5), ("q1", "d2", "x", -0.001)]
    assert (table.tag, table.source, table.digest, table.notes) == ("bm25", "f.run", "digest", ())
    assert table.key.dtype == np.uint64
    assert read_run("q1 Q0 d1 1 2.5 bm25\n", rank=False).frame.columns == ["topic", "doc", "value"]


def test_last_of_several_tags_is_the_name() -> None:
    table = read_run("q1 Q0 d1 1 2 a\nq1 Q0 d2 2 1 b\n")
    assert table.tag == "b"
    assert table.notes == ("f.run: contains 2 different tags; the run is named after the last one, b",)


@pytest.mark.parametrize("grade", ["0.5", "-2", "1e300", "-1e-300", "9007199254740993", "0.1", "3", "1e-400"])
def test_grades_are_read_exactly(grade: str) -> None:
    assert read_qrels(f"q 0 d {grade}\n").frame["value"][0] == float(grade)


# Control characters are excluded: a tiny file that is full of them counts as binary.
IDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5).filter(
    lambda text: " " not in text and text[0] not in "#\ufeff"
)
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(st.tuples(IDS, IDS), st.one_of(FINITE, st.integers(-3, 3).map(float)), min_size=1, max_size=8), IDS
)
def test_written_files_read_back_unchanged(
    tmp_path_factory: pytest.TempPathFactory, values: dict[tuple[str, str], float], tag: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip"
    topic, doc = (pl.Series([pair[position] for pair in values], dtype=pl.String) for position in (0, 1))
    value = np.array(list(values.values()))
    trec.write_qrels(path, topic, doc, value)
    assert trec.read_qrels(read(str(path))).frame.rows() == [(*pair, value) for pair, value in values.items()]
    trec.write_run(path, topic, doc, rank=np.arange(len(value)), score=value, tag=tag)
    (table,) = trec.read_runs(read(str(path)))
    assert table.frame.drop("rank").rows() == [(*pair, value) for pair, value in values.items()]
    assert table.tag == tag


def test_integer_grades_are_written_without_a_decimal_point(tmp_path: Path) -> None:
    path = tmp_path / "f.qrels"
    trec.write_qrels(path, pl.Series(["q"] * 2), pl.Series(["a", "b"]), np.array([1.0, -2.0]))
    assert path.read_text() == "q 0 a 1\nq 0 b -2\n"
    trec.write_qrels(path, pl.Series(["q"] * 2), pl.Series(["a", "b"]), np.array([1.0, 0.5]))
    assert path.read_text() == "q 0 a 1.0\nq 0 b 0.5\n"
    trec.write_qrels(path, pl.Series(["q"]), pl.Series(["a"]), np.array([1e300]))
    assert math.isclose(float(path.read_text().split()[3]), 1e300, rel_tol=0)


@pytest.mark.parametrize(
    ("topic", "doc", "tag", "message"),
    [
        ("q 1", "d", "t", "the topic id 'q 1' cannot be written as TREC text; rename it"),
        ("#q", "d", "t", "the topic id '#q' cannot be written as TREC text; rename it"),
        ("\ufeffq", "d", "t", "the topic id '\\ufeffq' cannot be written as TREC text; rename it"),
        ("q", "d\t1", "t", "the document id 'd\\t1' cannot be written as TREC text; rename it"),
        ("q", "d\n", "t", "the document id 'd\\n' cannot be written as TREC text; rename it"),
        ("q", "d", "my run", "the name 'my run' cannot be a tag in TREC text; name the run without blanks"),
        ("q", "d", "", "the name '' cannot be a tag in TREC text; name the run without blanks"),
    ],
)
def test_ids_that_would_not_read_back_are_rejected(
    topic: str, doc: str, tag: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "f.run"
    with pytest.raises(InputError) as error:
        trec.write_run(path, pl.Series([topic]), pl.Series([doc]), rank=np.ones(1), score=np.ones(1), tag=tag)
    assert str(error.value) == f"{path}: {message}"
    assert not path.exists()


def test_swapped_qrels_and_run_are_reported() -> None:
    with pytest.raises(InputError, match=r"found 6; this looks like a run, not like judgments \(tag"):
        read_qrels("1 Q0 a 1 0.5 t\n")
    with pytest.raises(InputError, match=r"found 4; these look like judgments, not like a run"):
        read_run("1 0 a 1\n")
    # A single truncated line does not mean that the files are swapped.
    with pytest.raises(InputError, match=r":2: expected 6 columns .*, found 4\n"):
        read_run("1 Q0 a 1 0.5 t\n1 0 a 1\n")
