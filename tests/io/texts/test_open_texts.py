"""Formats of queries and documents, and the messages for other files."""

import gzip
import json
import sys
from types import ModuleType
from typing import NamedTuple

import pandas as pd
import polars as pl
import pytest

from assay.errors import InputError
from assay.io.texts.fields import Document
from assay.io.texts.open_texts import open_docs, open_queries

TREC_TOPICS = """
<top>
<num> Number: 051
<title> Topic: Airbus Subsidies

<desc> Description:
Document will discuss government assistance.
</top>

<top>
<num>302</num>
<title>Poliomyelitis &amp; Post-Polio
Syndrome</title>
</top>
"""
XML_TOPICS = """<?xml version="1.0"?>
<topics task="x">
  <topic number="1"><query>origin of the virus</query><question>where</question></topic>
  <topic type="y" number="2">
    <description>only a <b>description</b></description></topic>
</topics>"""


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("q1\tone\nq2\ttwo\twith a tab\n", {"q1": "one", "q2": "two\twith a tab"}),
        ("q1\ttitle\tdescription\n", {"q1": "title"}),
        ("query_id\tquery\n1\tone\n", {"1": "one"}),
        ("\n \nquery_id\tquery\n\n1\tone\n", {"1": "one"}),
        ('topic,text,category\n1,"one, two",x\n', {"1": "one, two"}),
        ('query,qid\n"a ""b""\nc",7\n', {"7": 'a "b"\nc'}),
        ('qid\tquery\n1\t"5"" screen"\n2\t6" screen\n', {"1": '5" screen', "2": '6" screen'}),
        ('{"_id": "1", "text": "one", "metadata": {}}\n', {"1": "one"}),
        ('{"qid": 1, "query": "one"}\n{"query": "two", "qid": 2}\n', {"1": "one", "2": "two"}),
        ('{"1": "one",\n"2": "two"}', {"1": "one", "2": "two"}),
        ('{"1": "one"}', {"1": "one"}),
        ('[{"id": "1", "title": "one"}, {"id": 2, "title": ["two", "lines"]}]', {"1": "one", "2": "two\nlines"}),
        (TREC_TOPICS, {"51": "Airbus Subsidies", "302": "Poliomyelitis & Post-Polio Syndrome"}),
        (XML_TOPICS, {"1": "origin of the virus", "2": "only a description"}),
        ("<top><num>1<title>a < b <i>c</i> &lt;d&gt;<desc>x</top>", {"1": "a < b c <d>"}),
        ("<top>\n<num> Number: MB01\n<title>\nx\n\n<narr> y\n</top>", {"MB01": "x"}),
        ("\ufeff<top><num>0001</num><title>x</title></top>", {"0001": "x"}),
    ],
)
def test_queries(tmp_path, content, expected):
    path = tmp_path / "queries"
    path.write_text(content)
    assert dict(open_queries(path)) == expected
    compressed = tmp_path / "queries.gz"
    compressed.write_bytes(gzip.compress(content.encode()))
    assert dict(open_queries(str(compressed))) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("d1\ttext\n", ("", "text")),
        ("d1\ttitle\ttext\twith tab\nd2\ttitle\ttext\n", ("title", "text\twith tab")),
        ("d1\thttps://x\ttitle\tbody\n", ("title", "body")),
        ("id\ttext\ttitle\nd1\tbody\thead\n", ("head", "body")),
        ('{"id": "d1", "contents": "text"}\n', ("", "text")),
        ('{"pid": "d1", "passage": "text", "docid": "other"}\n', ("", "text")),
        ('{"_id": "d1", "title": null, "text": {"a": 1}}\n', ("", '{"a": 1}')),
        ("<DOC>\n<DOCNO> d1 </DOCNO>\n<HL>A &lt; B</HL>\n<TEXT>\n<P>one</P>\n</TEXT>\n</DOC>\n", ("A < B", "one")),
        ("<doc><docno>d1</docno><p>one</p></doc>", ("", "one")),
    ],
)
def test_docs(tmp_path, content, expected):
    path = tmp_path / "docs"
    path.write_text(content)
    assert open_docs(path)["d1"] == Document(*expected)


def test_lines_with_different_keys(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_text(
        '{"id": "a", "title": "A"}\n{"id": "b", "body": "x", "title": "B"}\n{"id": "c", "text": "y"}\n{"id": "d"}\n'
    )
    assert open_docs(path).fetch("abcd") == {"a": ("A", ""), "b": ("B", "x"), "c": ("", "y"), "d": ("", "")}


def test_beir_directories(tmp_path):
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "title": "T", "text": "x"}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "y"}\n')
    assert open_docs(tmp_path)["d1"] == ("T", "x")
    assert open_queries(str(tmp_path))["q1"] == "y"


def test_directories_and_globs_of_documents(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.trec").write_text(f"<DOC><DOCNO>{name}</DOCNO><TEXT>{name}</TEXT></DOC>\n")
    assert list(open_docs(tmp_path)) == list(open_docs(f"{tmp_path}/*.trec")) == ["a", "b"]


@pytest.mark.parametrize(
    "convert", [pl.DataFrame, pl.LazyFrame, pd.DataFrame, lambda data: pl.DataFrame(data).to_arrow()]
)
def test_frames(convert):
    docs = open_docs(convert({"docno": ["d1", "d2", "d1"], "title": ["T", None, "U"], "text": ["x", "y", "z"]}))
    assert docs.fetch(["d1", "d2", "d3"]) == {"d1": ("T", "x"), "d2": ("", "y"), "d3": None}
    assert open_queries(convert({"qid": [1, 2], "query": ["one", "two"]}))["2"] == "two"


def test_parquet(tmp_path):
    pl.DataFrame({"id": ["d1"], "contents": ["x"]}).write_parquet(tmp_path / "docs.parquet")
    assert open_docs(tmp_path / "docs.parquet")["d1"] == ("", "x")


def test_dicts():
    docs = open_docs({"d1": "x", "d2": {"title": "T", "body": "y"}, 3: "z"})
    assert docs.fetch(["d1", "d2", "3", "03"]) == {"d1": ("", "x"), "d2": ("T", "y"), "3": ("", "z"), "03": None}
    with pytest.raises(InputError, match=r"queries, id 'q': expected a text or a dict with title and text, found 5"):
        open_queries({"q": 5})["q"]


def test_lists_of_records():
    records = [{"_id": "d1", "text": "x", "title": "T"}, {"_id": 2, "text": "y"}]
    assert dict(open_docs(records)) == {"d1": ("T", "x"), "2": ("", "y")}


def test_progress(tmp_path):
    path, packed = tmp_path / "docs.tsv", tmp_path / "docs.tsv.gz"
    path.write_text("d1\tx\n")
    packed.write_bytes(gzip.compress(b"d2\tx\n"))
    calls = []
    docs = open_docs([path, packed], progress=lambda done, total: calls.append((done, total)))
    assert calls == []
    assert len(docs) == 2
    assert calls == [(5, 5), (packed.stat().st_size,) * 2]


def test_several_sources(tmp_path):
    (tmp_path / "a.tsv").write_text("d1\tone\n")
    docs = open_docs([tmp_path / "a.tsv", {"d1": "other", "d2": "two"}])
    assert {name: document.text for name, document in docs.fetch(["d2", "d1"]).items()} == {"d2": "two", "d1": "one"}
    assert list(docs) == ["d1", "d1", "d2"]


class GenericQuery(NamedTuple):
    query_id: str
    text: str


class Paper(NamedTuple):
    doc_id: str
    title: str
    abstract: str


class Page(NamedTuple):
    doc_id: str
    body: bytes

    def default_text(self) -> str:
        return "visible text"


class DocumentStore:
    def __init__(self):
        self.records = {"d1": Paper("d1", "T", "x"), "d2": Page("d2", b"<p>")}

    def get_many(self, ids):
        return {name: self.records[name] for name in ids if name in self.records}


class Dataset:
    def queries_iter(self):
        yield GenericQuery("q1", "one")

    def docs_iter(self):
        yield from self.docs_store().records.values()

    def docs_count(self):
        return 2

    def docs_store(self):
        return DocumentStore()


class OfflineDataset(Dataset):
    def docs_store(self):
        raise ConnectionError("no route\nto host")


def test_ir_datasets(monkeypatch):
    datasets = {"lab": Dataset(), "lab/offline": OfflineDataset(), "lab/empty": object()}
    module = ModuleType("ir_datasets")
    module.load = datasets.__getitem__
    module.registry = list(datasets)
    monkeypatch.setitem(sys.modules, "ir_datasets", module)
    docs = open_docs("irds:lab")
    assert docs.fetch(["d2", "d1", "d3"]) == {"d2": ("", "visible text"), "d1": ("T", "x"), "d3": None}
    assert (len(docs), list(docs)) == (2, ["d1", "d2"])
    assert dict(open_queries("irds:lab")) == {"q1": "one"}
    with pytest.raises(InputError, match=r"irds:lab/empty: the dataset has no docs"):
        open_docs("irds:lab/empty")
    with pytest.raises(InputError, match=r"irds:lab/offline: the docs cannot be loaded \(no route to host\)"):
        open_docs("irds:lab/offline")["d1"]


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("queries", "", r"texts: the file is empty"),
        ("queries", "301 organized crime\n", r"texts:1: not a known format of queries.*'301 organized crime'.*TAB"),
        ("docs", TREC_TOPICS, r"texts: contains TREC topics; .*queries"),
        ("queries", "<DOC><DOCNO>1</DOCNO></DOC>", r"texts: contains TREC documents; .*docs"),
        (
            "docs",
            '{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n',
            r"texts:1: no field for the id of documents among 'a', 'b'",
        ),
        (
            "docs",
            '{"id": "1", "b": "x"}\n{"id": "2"}\n',
            r"texts:1: no field for the text of documents.*text, contents",
        ),
        (
            "docs",
            '{"id": "1", "text": "x"}\n{"id": 2.5, "text": "y"}\n',
            r"texts:2: the id 'id' is 2.5; write it as text",
        ),
        ("docs", '{"id": "1", "text": "x"}\n[1]\n', r"texts:2: expected a JSON object, found list"),
        ("docs", 'id,text\n1,x\n2,"y",z\n', r"texts:3: expected 2 columns \(id, text\), found 3"),
        ("docs", "d1\tx\n\ty\n", r"texts:2: the id 'id' is missing"),
        ("queries", "[1]", r"texts, record 1: expected an object with id and text, found 1"),
        ("queries", '{"1": "x",\n2}', r"texts:2: not JSON"),
        ("queries", '[{"id": "1", "text": ""}, {"id": "1", "text": ""}]', r"texts, record 2: id 1 occurs twice"),
        ("queries", "<top><title>x</title></top>", r"texts:1: a topic without number; add <num>"),
        ("queries", "<top><num>1</top>\n<top><num>1</top>", r"texts:2: topic 1 occurs twice; keep one"),
        ("docs", "<DOC><DOCNO>1</DOCNO></DOC>\n\n<DOC>x</DOC>", r"texts:3: a document without <DOCNO>; add its id"),
        ("docs", "\ufeff\ufffe\0\0\0\0", r"texts: is a binary file, not text"),
    ],
)
def test_messages(tmp_path, kind, content, message):
    path = tmp_path / "texts"
    path.write_text(content)
    with pytest.raises(InputError, match=message) as error:
        {"queries": open_queries, "docs": open_docs}[kind](path).fetch(["1", "2", "d1"])
    assert "\n" not in str(error.value)


def test_lenient_reading_counts_skipped_records(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_text('{"id": "1", "text": "x"}\n{"id": 2.5}\n[]\n')
    docs = open_docs(path, lenient=True)
    assert docs["1"].text == "x"
    assert len(docs.notes) == 1
    assert "skipped records without a readable id: 2 (first:" in docs.notes[0]
    assert "docs.jsonl:2: the id 'id' is 2.5" in docs.notes[0]


def test_missing_files(tmp_path):
    (tmp_path / "queries.tsv").write_text("q\tx\n")
    with pytest.raises(InputError, match=r"querys.tsv: no such file; did you mean queries.tsv"):
        open_queries(tmp_path / "querys.tsv")
    with pytest.raises(InputError, match=r"docs: expected a path, a dict or a table, got 5"):
        open_docs(5)


def test_notes_on_missing_texts():
    queries = open_queries({f"query-{number}": "x" for number in range(5)})
    assert queries.fetch(["1", "2"]) == {"1": None, "2": None}
    assert queries.notes == (
        "queries: contains none of the 2 queries (1, 2), but query-0, query-1, query-2, …; check the ids",
    )
    assert queries["query-1"] == "x"
    assert queries.notes == ("queries: contains no text for 2 of 3 queries (1, 2)",)


def test_an_absent_mapping_is_empty():
    docs = open_docs(None)
    assert (bool(docs), len(docs), docs.fetch(["d"]), docs.get("d"), docs.notes) == (False, 0, {"d": None}, None, ())


def test_deeply_nested_json(tmp_path):
    (tmp_path / "docs.jsonl").write_text(json.dumps({"id": "1", "text": "x"}) + "\n" + "[" * 100_000 + "\n")
    with pytest.raises(InputError, match=r"docs.jsonl:2: nested too deeply"):
        open_docs(tmp_path / "docs.jsonl")["1"]
