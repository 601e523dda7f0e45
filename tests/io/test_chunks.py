"""Chunks of a text end at the end of a topic."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import itertools
import lzma
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.io.chunks import ChunkSize, TextChunk, TextReader, find_next_topic, split_text
from assay.io.problems import Problems
from assay.io.stream import ByteStream

LINES = st.lists(
    st.sampled_from(["a 1 2", "a\t3", "b 4", "bb 5 6", "  b 7", "# c", "#", "", " ", "b", "a"]), min_size=1, max_size=40
)


def parse_topic(line: str) -> str | None:
    fields = line.split()
    return fields[0] if fields and not fields[0].startswith("#") else None


@settings(deadline=None, max_examples=300)
@given(LINES, st.integers(0, 100), st.sampled_from(["", "a", "\n"]))
def test_next_topic_starts_at_a_line_with_another_topic(texts: list[str], position: int, rest: str) -> None:
    data = ("\n".join(texts) + "\n" + rest).encode()
    starts = [sum(len(line) + 1 for line in texts[:number]) for number in range(len(texts))]
    rows = [
        (start, parse_topic(line))
        for start, line in zip(starts, texts, strict=True)
        if start > position and parse_topic(line)
    ]
    other_starts = [start for start, name in rows if name != rows[0][1]]
    assert find_next_topic(data, position) == (other_starts[0] if other_starts else -1)


@settings(deadline=None, max_examples=300)
@given(LINES, st.integers(1, 60), st.integers(1, 30))
def test_chunks_are_the_whole_text_and_end_with_topics(texts: list[str], size: int, block: int) -> None:
    data = "\n".join(texts).encode()
    blocks = [data[begin : begin + block] for begin in range(0, len(data), block)]
    chunks = list(split_text(blocks, ChunkSize(size), "a.run"))
    assert b"".join(chunks) == data
    names = [[name for line in chunk.decode().split("\n") if (name := parse_topic(line))] for chunk in chunks]
    for before, after in itertools.pairwise(names):
        assert before[-1] != after[0]


COMPRESS = {
    "": lambda data: data,
    ".gz": lambda data: gzip.compress(data[:99]) + gzip.compress(data[99:]) + b"\0" * 20,
    ".bz2": lambda data: bz2.compress(data[:99]) + bz2.compress(data[99:]),
    ".xz": lzma.compress,
    ".zst": lambda data: zstandard.compress(data[:99]) + zstandard.compress(data[99:]),
}


@pytest.mark.parametrize("suffix", COMPRESS)
def test_chunks_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    monkeypatch.setattr("assay.io.stream._BLOCK", 50)
    monkeypatch.setattr("assay.io.compression._INPUT", 7)
    monkeypatch.setattr("assay.io.compression._ZSTD_INPUT", 7)
    monkeypatch.setattr("assay.io.chunks._HEAD", 20)
    data = b"".join(b"t%d Q0 d%d 1 2.5 s\n" % (number // 7, number) for number in range(100))
    path = tmp_path / f"a{suffix}"
    path.write_bytes(COMPRESS[suffix](data))
    reader = TextReader(ByteStream(str(path)))
    sizes: list[int] = []
    for _ in range(2):  # a stream can be read again
        chunks = list(reader.chunks(ChunkSize(64), sizes.append))
        assert b"".join(chunk.data for chunk in chunks) == data
    topics = [{line.split()[0] for line in chunk.data.splitlines()} for chunk in chunks]
    assert len(chunks) > 5
    assert sum(map(len, topics)) == 15, "no topic is in two chunks"
    assert reader.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert sum(sizes) == 2 * path.stat().st_size


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_truncated_compressed_data_is_rejected(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(COMPRESS[suffix](b"t1 Q0 d 1 2.5 s\n" * 50)[:-30])
    with pytest.raises(InputError, match=rf"the {suffix[1:]} data is damaged or cut off"):
        list(TextReader(ByteStream(str(path))).chunks(ChunkSize(64)))


def test_rows_are_located_by_line() -> None:
    chunk = TextChunk(b"# c\nt1 Q0 d 1 2 s\n\nt1 Q0 e 1 2 s\nbad\n", "a.run")
    assert chunk.parse_fast() is None
    problems = Problems("a.run", lenient=True)
    rows = chunk.parse_carefully(10, problems)
    assert rows.numbers.tolist() == [12, 14]
    (note,) = problems.notes()
    assert note.startswith("a.run: skipped lines with the wrong number of columns: 1 (first: a.run:15: expected 6")
    untidy = TextChunk(b"# c\nt1 Q0 d 1 2 s\n\n  t1 Q0 e\t1 2 s", "a.run")
    frame = untidy.parse_fast()
    assert frame is not None
    assert untidy.line_numbers(frame).tolist() == [2, 4]
    assert untidy.count_lines() == 4
    with pytest.raises(InputError, match=r"a\.run: the file is empty"):
        TextChunk(b" \n\n", "a.run").parse_carefully(0, problems)


def test_topic_above_the_size_limit_is_rejected() -> None:
    size = ChunkSize(50, 1, 400, lambda size: f"give more than {size}")
    with pytest.raises(InputError, match=r"^a\.run: topic t1 alone is too large for this memory; give more than \d+$"):
        list(split_text([b"t1 Q0 d 1 2 s\n" * 10] * 20, size, "a.run"))
