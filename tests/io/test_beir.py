from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.io import beir, files
from assay.io.problems import Problems
from assay.io.source import Source
from assay.io.table import RowTable

HEADER = "query-id\tcorpus-id\tscore\n"


def make_source(text: str | bytes, name: str = "f.tsv") -> Source:
    return Source(name, text.encode() if isinstance(text, str) else text, "digest")


def read_qrels(text: str | bytes, lenient: bool = False) -> RowTable:
    return files.read_source_qrels(make_source(text), lenient)


@pytest.mark.parametrize(
    ("text", "is_beir"),
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
        ("query-id\tcorpus-id\n", False),
        ("", False),
    ],
)
def test_format_is_recognised_by_its_header(text: str, is_beir: bool) -> None:
    assert beir.matches(make_source(text)) is is_beir
    assert beir.matches(make_source(text, "f")) is is_beir


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


FIELDS = st.sampled_from(["q", "d 1", "", " ", '"', "#", "1", "-2.5", "inf", "x", "\r", "\ufeff", "é", "1 "])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(FIELDS, min_size=2, max_size=5), min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]))
def test_fast_parser_agrees_with_careful_parser(lines: list[list[str]], ending: str) -> None:
    body = ending.join("\t".join(line) for line in lines).encode()
    header = beir._BeirHeader(["topic", "doc", "grade", "note"], {"topic": 0, "doc": 1, "value": 2}, "qrels")
    fast = beir._parse_fast(body.replace(b"\r\n", b"\n"), header)
    try:
        frame, _ = beir._parse_carefully(body, header, Problems("f"))
    except InputError:
        assert fast is None
    else:
        assert fast is None or fast.equals(frame)
