"""Records of large files by id, compared with parsing the whole file."""

import bz2
import csv
import gzip
import io
import json
from html import escape
from unittest.mock import Mock

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.io.texts import text_file
from assay.io.texts.open_texts import open_docs, open_queries

CHARACTERS = st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zl", "Zp"])
IDS = st.text(CHARACTERS.filter(lambda character: not character.isspace()), min_size=1)
TEXTS = st.text(CHARACTERS | st.sampled_from("\n\t\r\"',\\"))
RECORDS = st.lists(st.tuples(IDS, TEXTS, TEXTS), max_size=12)


def json_lines(records, draw):
    lines = []
    for name, title, text in records:
        items = draw(st.permutations([("_id", name), ("title", title), ("text", text)]))
        separators = draw(st.sampled_from([(", ", ": "), (",", ":")]))
        lines.append(json.dumps(dict(items), ensure_ascii=draw(st.booleans()), separators=separators))
    return draw(st.sampled_from(["\n", "\r\n", "\n\n"])).join(lines) + draw(st.sampled_from(["", "\n"]))


def tab_separated(records, draw):
    return "".join("\t".join(" ".join(cell.split()) for cell in record) + "\n" for record in records)


def comma_separated(records, draw):
    output = io.StringIO()
    csv.writer(output, lineterminator=draw(st.sampled_from(["\n", "\r\n"]))).writerows(
        [("id", "title", "text"), *records]
    )
    return output.getvalue()


def trec_documents(records, draw):
    return "".join(
        f"<DOC>\n<DOCNO> {name} </DOCNO>\n<TITLE>{escape(title)}</TITLE><TEXT>\n{escape(text)}</TEXT>\n</DOC>\n"
        for name, title, text in records
        if not {"<", ">", "&"} & set(name)
    )


def expected_texts(records, write):
    """Return the first title and text of each id, as the format preserves them."""
    documents = {}
    for name, *texts in records:
        if write is not trec_documents or not {"<", ">", "&"} & set(name):
            documents.setdefault(name, tuple(map(KEPT.get(write, str), texts)))
    return documents


KEPT = {tab_separated: lambda text: " ".join(text.split()), trec_documents: str.strip}
"""The part of a text that a format preserves; the others preserve all."""


@pytest.mark.parametrize("write", [json_lines, tab_separated, comma_separated, trec_documents])
@pytest.mark.parametrize("size", [16, 1 << 22])
@settings(max_examples=40)
@given(data=st.data())
def test_texts_equal_those_of_the_whole_file(tmp_path_factory, write, size, data):
    records = [("d0", "title", "text"), *data.draw(RECORDS)]
    expected = expected_texts(records, write)
    content = write(records, data.draw).encode()
    path = tmp_path_factory.getbasetemp() / "corpus.txt"
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_file, "MAX_OFFSET", size)
        docs = open_docs(path)
        found = docs.fetch([*expected, "a missing id"])
        assert found.pop("a missing id") is None
        assert found == expected
        assert list(docs) == [name for name, _, _ in records if name in expected]
        assert len(docs) == len(list(docs))


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [("gz", gzip.compress), ("bz2", bz2.compress), ("zst", zstandard.ZstdCompressor().compress)],
)
def test_compressed_files(tmp_path, suffix, compress):
    path = tmp_path / f"corpus.jsonl.{suffix}"
    path.write_bytes(compress(b'{"_id": "a", "text": "one"}\n{"_id": "b", "text": "two"}\n'))
    second = tmp_path / f"more.tsv.{suffix}"
    second.write_bytes(compress(b"c\tthree\nb\tother\n"))
    docs = open_docs([path, second])
    assert {name: document.text for name, document in docs.fetch("abc").items()} == {
        "a": "one",
        "b": "two",
        "c": "three",
    }
    assert list(docs) == ["a", "b", "c", "b"]


def test_a_compressed_file_must_leave_free_space(tmp_path, monkeypatch):
    monkeypatch.setattr(text_file.shutil, "disk_usage", lambda _: Mock(free=300))
    monkeypatch.setattr(text_file, "SPILL_LIMIT", 100)
    (tmp_path / "corpus.tsv.gz").write_bytes(gzip.compress(b"a\tone\n" * 50))
    with pytest.raises(InputError, match=r"corpus.tsv.gz: its text takes more than half of the free space.*TMPDIR"):
        open_docs(tmp_path / "corpus.tsv.gz")["a"]


def test_a_file_is_read_when_a_text_is_requested(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"_id": "a", "text": "one"}\n')
    docs = open_docs(path)
    assert docs
    path.write_text('{"_id": "b", "text": "two"}\n')
    assert docs["b"].text == "two"
    path.write_text('{"_id": "b", "text": "three"}\n')
    with pytest.raises(InputError, match=r"corpus.jsonl: changed since it was read; read the campaign again"):
        docs["b"]


@pytest.mark.parametrize("content", [b'{"_id": "a", "text": "1"}\n\n{"_id": "b", "text": "2"', b"a\tone\n\nb\n"])
def test_bad_lines(tmp_path, content):
    path = tmp_path / "corpus"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"corpus:3: (not JSON|expected 2 columns)"):
        open_docs(path).fetch("ab")
    docs = open_docs(path, lenient=True)
    assert docs.fetch("ab")["b"] is None
    assert any("corpus:3" in note and ": 1 (first" in note for note in docs.notes)


def test_bad_text_in_a_line_with_an_id(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"_id": "a", "text": "1"}\n{"_id": "b", text: 2}\n')
    with pytest.raises(InputError, match=r"corpus.jsonl:2: not JSON \(.*column 14\)"):
        open_docs(path)["b"]


def test_repeated_ids_and_invalid_utf8_are_noted(tmp_path):
    path = tmp_path / "corpus.tsv"
    path.write_bytes(b"a\tone\nb\tcaf\xe9\na\ttwo\nb\tx\nc\ty\nc\tz\n")
    docs = open_docs(path)
    assert (docs["a"].text, docs["b"].text) == ("one", "caf\N{REPLACEMENT CHARACTER}")
    assert docs.notes == (
        f"{path}: ids that occur repeatedly: 2 (such as a); the first text counts",
        f"{path}: texts that are not UTF-8: 1; \N{REPLACEMENT CHARACTER} replaces invalid bytes",
    )


def test_a_record_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text_file, "_MAX_RECORD", 1000)
    monkeypatch.setattr(text_file, "MAX_OFFSET", 200)
    (tmp_path / "corpus.csv").write_text('id,text\na,"' + "x" * 3000)
    with pytest.raises(InputError, match=r"corpus.csv: a line takes more than 1000; check quotation marks"):
        open_docs(tmp_path / "corpus.csv")["a"]


def test_long_ids_and_long_texts(tmp_path):
    ids = ["x" * length for length in (1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 300)]
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(f"{json.dumps({'_id': name, 'text': name * 1000})}\n" for name in ids))
    docs = open_docs(path)
    assert [docs[name].text for name in ids] == [name * 1000 for name in ids]


def test_byte_order_mark(tmp_path):
    path = tmp_path / "queries.tsv"
    path.write_bytes(b"\xef\xbb\xbfq1\tone\nq2\ttwo\n")
    assert dict(open_queries(path)) == {"q1": "one", "q2": "two"}


@pytest.mark.parametrize("name", ["queries.tsv", "queries.tsv.gz"])
def test_ids_that_are_not_utf_8_are_found(name, tmp_path):
    data = b"1\tcats\n\x972\tdogs\n\xc3\xa93\tbirds\n"
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    texts = open_queries(tmp_path / name)
    assert dict(texts.items()) == {"1": "cats", "\ufffd2": "dogs", "\u00e93": "birds"}
