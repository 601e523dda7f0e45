from __future__ import annotations

import pytest

from assay.errors import InputError
from assay.io import csv, files
from assay.io.source import Source
from assay.io.table import RowTable

HEADER = "query-id\tcorpus-id\tscore\n"


def make_source(text: str | bytes, name: str = "f.tsv") -> Source:
    return Source(name, text.encode() if isinstance(text, str) else text, "digest")


def read_qrels(text: str | bytes, lenient: bool = False) -> RowTable:
    return files.read_source_qrels(make_source(text), lenient)


@pytest.mark.parametrize(
    ("text", "is_recognized"),
    [
        (HEADER, True),
        (HEADER + "q1\td1\t1\n", True),
        ("\ufeff" + HEADER, True),
        ("query-id\tcorpus-id\tscore\r\n", True),
        ("Query_ID\tCorpus ID\tRelevance", True),
        ("rel\tqid\tdocno\titeration\n", True),
        ("qid\tdocno\tsim\ttag\n", True),
        ("query-id corpus-id score\n", False),
        ("q1\t0\td1\t1\n", False),
        ("# query, document, score\nq1 0 d1 1\n", False),
        ("q1 0 d1,d2,d3 1\n", False),
        ("q1\tQ0\td1\t1\t2.5\tt\n", False),
        ('{"a": 1, "b": 2, "c": 3}\n', False),
        ("qid;product;score\n", True),
        ("a,b,c\n", True),
        ("", False),
    ],
)
def test_the_format_is_recognized_by_its_header(text: str, is_recognized: bool) -> None:
    assert csv.matches(make_source(text)) is is_recognized
    assert csv.matches(make_source(text, "f")) is is_recognized


@pytest.mark.parametrize(
    "text",
    [
        HEADER + "q 1\td1\t2\n001\t #é\t-0.5\n",
        HEADER + "q 1\td1\t2\n001\t #é\t-0.5",
        HEADER.replace("\n", "\r\n") + "q 1\td1\t2\r\n001\t #é\t-0.5\r\n",
        "\ufeff" + HEADER + "\nq 1\td1\t2\n  \n001\t #é\t-0.5\n\n",
        HEADER + "q 1\td1\t 2 \n001\t #é\t-0.5\n",
        "score\titeration\tcorpus-id\tquery-id\n2\t\td1\tq 1\n-0.5\tx\t #é\t001\n",
        "query-id\tcorpus-id\tscore\tnote\nq 1\td1\t2\t\n001\t #é\t-0.5\tx y\n",
    ],
)
def test_equivalent_layouts(text: str) -> None:
    assert read_qrels(text).frame.rows() == [("q 1", "d1", 2.0), ("001", " #é", -0.5)]


def test_a_suffix_suffices_for_a_header_of_two_columns() -> None:
    for name, is_recognized in (("f.csv", True), ("f.tsv", True), ("f", False), ("f.run", False)):
        assert csv.matches(make_source("topic,doc\n", name)) is is_recognized
    assert not csv.matches(make_source("q1 Q0 d1 1 2.5 t\n", "f.csv"))


def test_quotation_marks_are_ordinary_characters() -> None:
    assert read_qrels(HEADER + 'q\t"d\t1\nq\te"\t1\n').frame["doc"].to_list() == ['"d', 'e"']


def test_rows_are_located_by_line() -> None:
    assert read_qrels(HEADER + "q\td\t1\nq\te\t1\n").locate(1) == "f.tsv:3"
    assert read_qrels(HEADER + "\nq\td\t1\n\nq\te\t1\n").locate(1) == "f.tsv:5"


def test_read_runs() -> None:
    (table,) = files.read_source_runs(make_source("query-id\tcorpus-id\tscore\nq\td\t2.5\n"))
    assert table.frame.rows() == [("q", "d", 2.5)]
    assert (table.tag, table.digest) == (None, "digest")
    tables = files.read_source_runs(
        make_source("qid\trank\tdocno\tscore\trun\nq\t1\td\t2\tb\nq\t1\td\t2\ta\nq\t2\te\t1\tb\n")
    )
    assert [(table.tag, table.frame.sort("rank").rows()) for table in tables] == [
        ("b", [("q", "d", 2.0, "1"), ("q", "e", 1.0, "2")]),
        ("a", [("q", "d", 2.0, "1")]),
    ]
    (table,) = files.read_source_runs(make_source("qid\trank\tdocno\tscore\nq\t1\td\t2\n"), rank=False)
    assert "rank" not in table.frame.columns


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q\te", "expected 3 tab-separated columns (query-id, corpus-id, score), found 2"),
        ("q e 1", "expected 3 tab-separated columns (query-id, corpus-id, score), found 1"),
        ("q\te\t1\t1", "expected 3 tab-separated columns (query-id, corpus-id, score), found 4"),
        ("q\te\t", "the grade must be a finite number, found ''"),
        ("q\te\tinf", "the grade must be a finite number, found 'inf'"),
        ("q\te\t0x1", "the grade must be a finite number, found '0x1'"),
        ("\te\t1", "the topic id is missing"),
        ("q\td\t2", "document d of topic q has grade 2 here and 1 before (first: line 2)"),
    ],
)
def test_invalid_lines_are_rejected_or_skipped(line: str, message: str) -> None:
    for ending in ("\n", "\r\n"):
        text = (HEADER + f"q\td\t1\n{line}\nq\tf\t1\n").replace("\n", ending)
        with pytest.raises(InputError) as error:
            read_qrels(text)
        assert str(error.value) == f"f.tsv:3: {message}"
        table = read_qrels(text, lenient=True)
        assert table.frame["doc"].to_list() == ["d", "f"]
        assert [table.locate(0), table.locate(1)] == ["f.tsv:2", "f.tsv:4"]
        assert len(table.notes) == 1


def test_invalid_bytes_are_rejected() -> None:
    for bad, message in [(b"q\td\xff\t1\n", "invalid UTF-8"), (b"q\td\0\t1\n", "a NUL byte")]:
        with pytest.raises(InputError, match=f"^f.tsv:3: {message}"):
            read_qrels(HEADER.encode() + b"q\td\t1\n" + bad)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_csv_with_quoted_cells(delimiter: str, ending: str) -> None:
    lines = ['"qid",title,"docno","score"', '"001","a ""b"" c",d1,2.5', 'q 2,x,"d 2",-1e-3', "q 2,,d3,3"]
    text = ending.join(line.replace(",", delimiter) for line in lines) + ending
    (table,) = files.read_source_runs(make_source(text, "f.csv"))
    assert table.frame.rows() == [("001", "d1", 2.5), ("q 2", "d 2", -0.001), ("q 2", "d3", 3.0)]
    assert [table.locate(row) for row in range(3)] == ["f.csv:2", "f.csv:3", "f.csv:4"]


def test_blanks_around_the_ids_of_a_csv_file_are_ignored() -> None:
    (table,) = files.read_source_runs(make_source("qid, docno, score\nq1, d1, 2\n"))
    assert table.frame.rows() == [("q1", "d1", 2.0)]


def test_chosen_columns() -> None:
    text = "query,product,clicks,doc\nq,p1,3,ignored\nq,p2,0,ignored\n"
    columns = {"doc": ("product",), "grade": ("clicks",), "score": ("clicks",)}
    assert files.read_source_qrels(make_source(text), columns=columns).frame["doc"].to_list() == ["p1", "p2"]
    (table,) = files.read_source_runs(make_source(text), columns=columns)
    assert table.frame.rows() == [("q", "p1", 3.0), ("q", "p2", 0.0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic,doc\n1,a\n", "f.csv:1: no column for the score among 'topic', 'doc'; name it one of score"),
        ("1,a,3\n2,b,1\n", "f.csv:1: no column for the topic among '1', 'a', '3'"),
        ("topic,doc,score\n1,a,2\n1,b,x\n", "f.csv:3: the score must be a finite number, found 'x'"),
        ("topic,doc,score\n1,a,2\n1,b,\n", "f.csv:3: the score must be a finite number, found ''"),
        ("topic,doc,score\n1,a,2\n1,b,1_0\n", "f.csv:3: the score must be a finite number, found '1_0'"),
        ("topic,doc,score\n1,a,2\n1,b,nan\n", "f.csv:3: the score must be a finite number, found 'nan'"),
        ("topic,doc,score\n1,a,2\n1,a,3\n", "f.csv:3: document a was already retrieved for topic 1 (first: line 2)"),
        ("topic,doc,score\n1,a,2\n,b,3\n", "f.csv:3: the topic id is missing"),
        ("topic,doc,score\n1,a,2\n1,b,2,3\n", "f.csv:3: expected 3 comma-separated columns (topic, doc, score), found"),
    ],
)
def test_problems_of_csv_have_a_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        files.read_source_runs(make_source(text, "f.csv"))
    assert str(error.value).startswith(message)
    if ":3" in message:
        (table,) = files.read_source_runs(make_source(text, "f.csv"), lenient=True)
        assert table.frame["doc"].to_list() == ["a"]
        assert "skipped" in table.notes[0]
        assert message in table.notes[0]
