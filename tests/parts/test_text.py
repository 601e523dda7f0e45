"""Pieces of a stream end where a topic ends."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.parts.budget import Budget
from assay.parts.stream import Stream
from assay.parts.text import TextPiece, lines, pieces, reader, stretch_start

BUDGET = Budget(memory=1 << 30, left=1 << 30, piece=64, threads=2)
LINES = st.lists(
    st.sampled_from(["a 1 2", "a\t3", "b 4", "bb 5 6", "  b 7", "# c", "#", "", " ", "b", "a"]), min_size=1, max_size=40
)


def topic(line: str) -> str | None:
    fields = line.split()
    return fields[0] if fields and not fields[0].startswith("#") else None


@settings(deadline=None, max_examples=300)
@given(LINES, st.integers(1, 40), st.sampled_from(["", "a", "\n"]))
def test_a_stretch_starts_behind_the_last_line_of_another_topic(texts: list[str], window: int, rest: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.parts.text._WINDOW", window)
        found = stretch_start(("\n".join(texts) + "\n" + rest).encode())
    topics = [topic(line) for line in texts]
    last = next((name for name in reversed(topics) if name is not None), None)
    others = [place for place, name in enumerate(topics) if name not in (None, last)]
    expected = sum(len(line) + 1 for line in texts[: others[-1] + 1]) if others else 0
    assert found == expected


PACKED = {
    "": lambda data: data,
    ".gz": lambda data: gzip.compress(data[:99]) + gzip.compress(data[99:]) + b"\0" * 20,
    ".bz2": lambda data: bz2.compress(data[:99]) + bz2.compress(data[99:]),
    ".xz": lzma.compress,
    ".zst": lambda data: zstandard.compress(data[:99]) + zstandard.compress(data[99:]),
}


@pytest.mark.parametrize("packed", PACKED)
def test_pieces_make_up_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: str) -> None:
    monkeypatch.setattr("assay.parts.stream._BLOCK", 50)
    monkeypatch.setattr("assay.io.compression._INPUT", 7)
    monkeypatch.setattr("assay.io.compression._ZSTD_INPUT", 7)
    data = b"".join(b"t%d Q0 d%d 1 2.5 s\n" % (number // 7, number) for number in range(100))
    path = tmp_path / f"a{packed}"
    path.write_bytes(PACKED[packed](data))
    stream = Stream(str(path), str(path), packed or None)
    found = list(pieces(stream, BUDGET))
    assert b"".join(piece.data for piece in found) == data
    assert [piece.before for piece in found] == [data[: data.index(piece.data)].count(b"\n") for piece in found]
    topics = [{line.split()[0] for line in piece.data.splitlines()} for piece in found]
    assert len(found) > 5
    assert sum(map(len, topics)) == 15, "no topic stands in two pieces"
    assert len(stream.digest or "") == 64


@pytest.mark.parametrize("packed", [".gz", ".bz2", ".xz", ".zst"])
def test_data_that_is_cut_off(tmp_path: Path, packed: str) -> None:
    path = tmp_path / f"a{packed}"
    path.write_bytes(PACKED[packed](b"t1 Q0 d 1 2.5 s\n" * 50)[:-30])
    with pytest.raises(InputError, match=rf"the {packed[1:]} data is damaged or cut off"):
        list(pieces(Stream(str(path), str(path), packed), BUDGET))


def test_rows_know_their_lines() -> None:
    read = reader("a.run", lenient=True, rank=False)
    chunk = read(TextPiece(b"# c\nt1 Q0 d 1 2 s\n\nt1 Q0 e 1 2 s\nbad\n", before=10))
    assert chunk.numbers().tolist() == [12, 14]
    assert [str(chunk.where(row)) for row in (0, 1)] == ["a.run:12", "a.run:14"]
    (note,) = chunk.problems.notes()
    assert note.startswith("a.run: lines with the wrong number of columns skipped: 1 (first: a.run:15: expected 6")
    assert read(TextPiece(b" \n\n", before=3)).blank
    assert lines(b"a\nb\nc") == 2
