from __future__ import annotations

import json
from typing import Any

import pytest

from assay.errors import InputError
from assay.io import files
from assay.io import json as reader
from assay.io.source import Source
from assay.io.table import RowTable

NESTED = {"q1": {"d1": 2.5, "d2": 1}, "001": {"é d": -1e-3}, "empty": {}}
EXPECTED_ROWS = [("q1", "d1", 2.5), ("q1", "d2", 1.0), ("001", "é d", -0.001)]
SHAPE = "{topic: {document: score}} or a record with topic, document and score"
RECORDS = [
    {"qid": "q1", "docno": "d1", "score": 2.5, "text": "…"},
    {"docno": "d2", "Score": 1, "qid": "q1"},
    {"query_id": "001", "doc_id": "é d", "sim": -0.001, "extra": {"a": 1}},
]


def read_runs(text: str | bytes, name: str = "f.json", **options: Any) -> list[RowTable]:
    data = text.encode() if isinstance(text, str) else text
    return files.read_source_runs(Source(name, data, "digest"), **options)


def read_run(text: str | bytes, name: str = "f.json", **options: Any) -> RowTable:
    (table,) = read_runs(text, name, **options)
    return table


LAYOUTS = {
    "compact": ("f.json", json.dumps(NESTED, separators=(",", ":"))),
    "indented": ("f.json", json.dumps(NESTED, indent=2)),
    "not escaped": ("f", json.dumps(NESTED, ensure_ascii=False)),
    "byte order mark": ("f.json", "\ufeff" + json.dumps(NESTED)),
    "surrounding blanks": ("f", "\n  " + json.dumps(NESTED) + "\n\n"),
    "one topic per line": ("f.jsonl", "\n".join(json.dumps({topic: docs}) for topic, docs in NESTED.items())),
    "CRLF and blank lines": ("f.ndjson", "\r\n\r\n".join(json.dumps({t: d}) for t, d in NESTED.items()) + "\r\n"),
    "lines without a suffix": ("f", "\n".join(json.dumps({topic: docs}) for topic, docs in NESTED.items())),
    "lines named json": ("f.json", "\n".join(json.dumps({topic: docs}) for topic, docs in NESTED.items())),
    "all topics in one line": ("f.jsonl", json.dumps(NESTED)),
    "records in lines": ("f.jsonl", "\n".join(map(json.dumps, RECORDS))),
    "records in a list": ("f.json", json.dumps(RECORDS)),
    "records in an indented list": ("f.json", json.dumps(RECORDS, indent=1)),
    "topics and records in lines": ("f.jsonl", json.dumps({"q1": NESTED["q1"]}) + "\n" + json.dumps(RECORDS[2])),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str) -> None:
    name, text = LAYOUTS[layout]
    assert reader.matches(Source(name, text.encode(), ""))
    table = read_run(text, name)
    assert table.frame.rows() == EXPECTED_ROWS
    assert (table.source, table.tag, table.digest, table.notes) == (name, None, "digest", ())


@pytest.mark.parametrize(
    ("name", "data", "is_json"),
    [
        ("f.json", b"anything", True),
        ("f.jsonl.gz", b"", True),
        ("f.NDJSON", b"", True),
        ("f", b' \n\t{"q1": {}}', True),
        ("f", b"[]", True),
        ("-", b"\xef\xbb\xbf{", True),
        ("f.run", b"q1 Q0 d1 1 2 t", False),
        ("f", b"", False),
    ],
)
def test_format_is_recognised_by_name_or_content(name: str, data: bytes, is_json: bool) -> None:
    assert reader.matches(Source(name, data, "")) is is_json


def test_qrels() -> None:
    table = files.read_source_qrels(Source("f.json", b'{"q1": {"d1": 2, "d2": -1.5}}', "digest"))
    assert table.frame.rows() == [("q1", "d1", 2.0), ("q1", "d2", -1.5)]
    assert (table.digest, table.locate(1)) == ("digest", "f.json, topic 'q1', document 'd2'")
    lines = b'{"qid": "q1", "docno": "d1", "label": 2, "score": 0.3}\n{"query-id": "q1", "corpus-id": "d2", "score": 1}'
    assert files.read_source_qrels(Source("f.jsonl", lines, "")).frame.rows() == [("q1", "d1", 2.0), ("q1", "d2", 1.0)]


@pytest.mark.parametrize("value", ["1", "-0.5", "1e3", "123456789012345678901234567890", "1e-400", str(10**300)])
def test_numbers_are_read_exactly(value: str) -> None:
    assert read_run(f'{{"q": {{"d": {value}}}}}').frame["value"][0] == float(value)


def test_locations_of_rows() -> None:
    lines = '{"q1": {"d1": 1}, "q2": {}}\n{}\n\n{"qid": "q3", "doc": "d1", "score": 1}\n{"q4": {"d1": 1, "d2": 1}}'
    table = read_run(lines, "f.jsonl")
    assert [table.locate(row) for row in range(4)] == [
        "f.jsonl:1, topic 'q1', document 'd1'",
        "f.jsonl:4",
        "f.jsonl:5, topic 'q4', document 'd1'",
        "f.jsonl:5, topic 'q4', document 'd2'",
    ]
    assert read_run(json.dumps(RECORDS)).locate(1) == "f.json, record 2"


def test_several_runs() -> None:
    text = "\n".join(
        json.dumps({"qid": "q", "doc": doc, "score": 1, "run": run, "rank": rank})
        for doc, run, rank in [("d", "b", 1), ("d", "a", 1), ("e", "b", 2)]
    )
    tables = read_runs(text, "f.jsonl")
    assert [(table.tag, table.frame["doc"].to_list(), table.frame["rank"].to_list()) for table in tables] == [
        ("b", ["d", "e"], ["1", "2"]),
        ("a", ["d"], ["1"]),
    ]
    assert tables[0].locate(1) == "f.jsonl:3"
    assert all("rank" not in table.frame.columns for table in read_runs(text, "f.jsonl", rank=False))


def test_every_run_of_a_file_gets_its_notes() -> None:
    text = '{"qid": "q", "doc": "d", "score": 1, "tag": "a"}\n[]\n{"qid": "q", "doc": "d", "score": 1, "tag": "b"}'
    assert [len(table.notes) for table in read_runs(text, "f.jsonl", lenient=True)] == [1, 1]


def test_rank_may_be_missing_in_some_records() -> None:
    text = '{"q": {"c": 3}}\n{"qid": "q", "doc": "d", "score": 2, "rank": 2}\n{"qid": "q", "doc": "e", "score": 1}'
    assert read_run(text, "f.jsonl").frame["rank"].to_list() == [None, "2", None]


def test_repeated_keys_are_not_lost() -> None:
    for text in ('{"q": {"d": 1, "d": 1}}', '{"q": {"d": 1}, "q": {"d": 1}}', '{"q": {"d": 1}}\n{"q": {"d": 1}}'):
        with pytest.raises(InputError, match="document d was already retrieved for topic q"):
            read_runs(text)
    assert read_run('{"q": {"d": 1}, "q": {"e": 1}}').frame["doc"].to_list() == ["d", "e"]
    with pytest.raises(InputError, match=r"^f.jsonl:1: columns 'qid' and 'qid' both name the topic; keep one"):
        read_runs('{"qid": "a", "qid": "b", "doc": "d", "score": 1}', "f.jsonl")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"q": {"d\\ud800": 1}}',
            "f.json, topic 'q', document 'd\\ud800': the document id 'd\\ud800' is not valid Unicode",
        ),
        ("{}", "f.json: contains no results"),
        ("[]", "f.json: contains no results"),
        ('{"q": {}}', "f.json: contains no results"),
        (
            '"text"',
            f"f.json: expected {SHAPE}, found 'text' (str)",
        ),
        ("q1 Q0 d1 1 2.5 t", "f.json:1: not JSON (Expecting value, column 1)"),
        ('{"q": {"d": 1}}}', "f.json:1: not JSON (Extra data, column 16)"),
        ('{"q": {"d": 1}', "f.json:1: not JSON (Expecting ',' delimiter, column 15)"),
        (
            '[{"qid": "q", "doc": 5.0, "score": 1}]',
            (
                "f.json, record 1: document ids must be text or integers, got 5.0 (float); write 5, or read the ids as "
                "text"
            ),
        ),
        ('{"q": {"d": 1}, "r": 2}', "f.json, topic 'r': expected {document: score}, found 2 (int)"),
        (
            '[{"qid": "q", "doc": "d", "score": 1, "run": {"a": 1}}]',
            "f.json, record 1: the name of the run must be text or a number, found {'a': 1} (Object)",
        ),
        (
            '[{"qid": "q", "doc": "d", "score": 1, "run": true}]',
            "f.json, record 1: the name of the run must be text or a number, found True (bool)",
        ),
        (
            '[{"qid": "q", "doc": "d", "score": 1, "rank": [1]}]',
            "f.json, record 1: the rank must be text or a number, found [1] (list)",
        ),
        ('{"q": {"": 1}}', "f.json, topic 'q', document '': the document id is missing"),
    ],
)
def test_invalid_input_is_rejected(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_runs(text)
    assert str(error.value) == message
