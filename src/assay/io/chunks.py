"""Chunks of a run: rows of a file that end where a topic ends, so that each chunk can be joined by itself.

A chunk is parsed in one of two ways. ``parse_fast`` returns its rows, or None if anything is unusual.
``parse_carefully`` then finds the problems, and knows the line of each row.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io import dataset, parquet, text
from assay.io.paths import file_errors
from assay.io.problems import Place, Problems
from assay.io.source import Source
from assay.io.stream import ByteStream, Report
from assay.io.trec import RUN, RUN_WITH_RANK

_HEAD = 1 << 16
_NO_RUN = "rows without a run skipped"


class ParsedRows(NamedTuple):
    """Rows ``topic, doc, value`` (and ``rank``, ``tag``, ``run`` where the source has them), and their line numbers."""

    frame: pl.DataFrame
    numbers: np.ndarray


@dataclass(frozen=True, eq=False)
class TextChunk:
    """Lines of TREC text; *source* is the name that messages use."""

    data: bytes
    source: str
    rank: bool = False

    @property
    def _layout(self) -> text.Layout:
        return RUN_WITH_RANK if self.rank else RUN

    def parse_fast(self) -> pl.DataFrame | None:
        """Return the rows, or None if there are none or they need a careful look."""
        frame = text.parse_fast(self.data, self._layout)
        return None if frame is None or frame.is_empty() else frame

    def parse_carefully(self, before: int, problems: Problems) -> ParsedRows:
        """Return the rows with their line numbers; *before* lines of the file precede the chunk."""
        if not before:
            text.refuse_empty(self.data, self.source)
        frame = self.parse_fast()
        if frame is not None:
            return ParsedRows(frame, before + self.line_numbers(frame))
        return ParsedRows(*text.parse_carefully(self.data, self._layout, self.source, problems, before))

    def line_numbers(self, frame: pl.DataFrame) -> np.ndarray:
        """Return the number of the line of each row within the chunk."""
        return text.line_numbers(self.data, len(frame))

    def count_lines(self) -> int:
        """Count the lines."""
        return text.count_lines(self.data)

    def place(self, line: int) -> str:
        """Return the place of a line as messages show it."""
        return f"{self.source}:{line}"


@dataclass(frozen=True, eq=False)
class TableChunk:
    """Rows of a table; *numbers* are their row or line numbers, by default counted through the source."""

    frame: pl.DataFrame
    source: str
    place: Callable[[int], str]
    numbers: np.ndarray | None = None

    def parse_fast(self) -> pl.DataFrame | None:
        """Return the rows, or None if there are none or they need a careful look."""
        frame = self.frame
        missing = sum(frame.select(pl.exclude("rank").null_count()).row(0))
        if missing or not len(frame) or not np.isfinite(frame["value"].to_numpy()).all():
            return None
        return None if (frame["topic"] == "").any() or (frame["doc"] == "").any() else frame

    def parse_carefully(self, before: int, problems: Problems) -> ParsedRows:
        """Return the rows with their numbers; *before* rows of the source precede the chunk."""
        numbers = np.arange(before + 1, before + len(self.frame) + 1) if self.numbers is None else self.numbers
        if "run" not in self.frame.columns or not self.frame["run"].null_count():
            return ParsedRows(self.frame, numbers)
        named = self.frame["run"].is_not_null().to_numpy()
        line = int(numbers[~named][0])
        where = Place.at(self.place(line), line)
        problems.meet(where, "the name of the run is missing", _NO_RUN, int((~named).sum()))
        return ParsedRows(self.frame.filter(named), numbers[named])

    def line_numbers(self, frame: pl.DataFrame) -> np.ndarray:
        """Return the number of each row within the chunk."""
        return np.arange(1, len(frame) + 1)

    def count_lines(self) -> int:
        """Count the rows."""
        return len(self.frame)


Chunk = TextChunk | TableChunk


@dataclass(frozen=True, eq=False)
class ChunkSize:
    """The size of chunks: *bytes* of text or *rows* of a table, up to the end of a topic; *limit* bytes at most."""

    bytes: int
    rows: int = 1
    limit: float = float("inf")
    remedy: Callable[[int], str] = "{} bytes".format

    def check(self, size: int, source: str, topic: str) -> None:
        """Refuse a topic that alone exceeds the limit."""
        if size > self.limit:
            raise InputError(f"{source}: topic {topic} alone is too large for this memory; {self.remedy(size)}")


@dataclass(eq=False)
class TextReader:
    """TREC text, plain or compressed, in chunks; of a small file all bytes may be known already."""

    stream: ByteStream | Source
    rank: bool = False

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return self.stream.name

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the file."""
        return self.stream.notes

    @property
    def digest(self) -> str | None:
        """The SHA-256 of the file, once it was read."""
        return self.stream.digest

    def chunks(self, size: ChunkSize, report: Report | None = None) -> Iterator[TextChunk]:
        """Yield the chunks in order; *report* is called with the number of bytes read."""
        for data in split_text(self._text(report), size, self.name):
            yield TextChunk(data, self.name, self.rank)

    def _text(self, report: Report | None) -> Iterator[bytes]:
        """Yield blocks without a byte order mark; refuse what is not text."""
        blocks = self.stream.blocks(report)
        head = b""
        for block in blocks:
            head += block
            if len(head) >= _HEAD:
                break
        head = text.without_bom(head, self.name)
        text.refuse_cr(head, self.name)
        yield head
        yield from blocks


def split_text(blocks: Iterable[bytes], size: ChunkSize, source: str) -> Iterator[bytes]:
    """Join blocks of text and cut them where a topic ends, at least *size* bytes apart."""
    held: list[bytes] = []
    length, enough = 0, size.bytes
    searched = size.bytes
    count = 0
    for block in blocks:
        held.append(block)
        length += len(block)
        while length > enough:
            data = b"".join(held)
            cut = next_topic(data, searched)
            if cut < 0:
                # Twice as much is read before the search goes on, so that a long topic is not copied too often.
                size.check(length, source, _last_topic(data))
                held, searched, enough = [data], length, 2 * length
                break
            yield data[:cut]
            count += 1
            held = [data[cut:]]
            length, enough, searched = len(data) - cut, size.bytes, size.bytes
            del data
    if length or not count:
        yield b"".join(held)


def split_file(path: str, size: int) -> Iterator[tuple[int, int]]:
    """Yield byte ranges of plain text that end where a topic ends, at least *size* bytes long except for the last."""
    with file_errors(path), open(path, "rb") as file:
        total = file.seek(0, os.SEEK_END)
        begin = 0
        while begin < total:
            end = begin + size
            cut, window = -1, _HEAD
            while cut < 0 and end < total:
                file.seek(end)
                data = file.read(window)
                cut = next_topic(data, 0)
                end = end + cut if cut >= 0 else end if end + len(data) < total else total
                window *= 4
            end = min(end, total)
            yield begin, end
            begin = end


def _last_topic(data: bytes) -> str:
    line = data[data.rfind(b"\n", 0, -1) + 1 :].split(None, 1)
    return line[0].decode(errors="replace") if line else ""


def next_topic(data: bytes, position: int) -> int:
    r"""Return the start of a line behind *position* that begins another topic; -1 if there is none.

    Blank lines and comments belong to the topic before them. A last line without its end is not considered.

    >>> next_topic(b"a 1\na 2\n\nb 3\nb 4\n", 2)
    9
    """
    line = data.find(b"\n", position) + 1
    topic, other = None, None
    while line and (end := data.find(b"\n", line)) >= 0:
        words = data[line:end].split(None, 1)
        if words and not words[0].startswith(b"#"):
            if topic is None:
                topic = words[0]
                other = re.compile(rb"\n(?!" + re.escape(topic) + rb"[ \t])")
            elif words[0] != topic:
                return line
        # Lines that plainly begin with the topic are skipped by the regular expression, whatever their number.
        following = None if other is None else other.search(data, end)
        line = end + 1 if other is None else following.start() + 1 if following is not None else 0
    return -1


@dataclass(eq=False)
class ParquetReader:
    """A Parquet file or dataset in chunks; the column ``run``, if there is one, names the runs."""

    name: str
    rank: bool = False
    notes: tuple[str, ...] = ()
    digest: str | None = None

    def chunks(self, size: ChunkSize, report: Report | None = None) -> Iterator[TableChunk]:
        """Yield the chunks in order; *report* is called with the number of bytes read."""
        place = parquet.placing(self.name)
        for frame in _split_rows(parquet.slices(self.name, "run", self.rank, size.rows), size.rows):
            yield TableChunk(frame, self.name, place)
        self.digest = dataset.digest(self.name, report or (lambda _: None))


def _split_rows(frames: Iterable[pl.DataFrame], most: int) -> Iterator[pl.DataFrame]:
    """Join frames and cut them where a topic (of a run) ends, once they have *most* rows."""
    held: list[pl.DataFrame] = []
    length = count = 0
    for frame in frames:
        held.append(frame)
        length += len(frame)
        if length < most:
            continue
        rows = pl.concat(held)
        cut = _last_segment(rows)
        if cut:
            yield rows[:cut]
            count += 1
        held = [rows[cut:]]
        length = len(rows) - cut
    if length or not count:
        yield pl.concat(held)


def _last_segment(rows: pl.DataFrame) -> int:
    """Return where the rows with the topic and the run of the last row begin."""
    if rows.is_empty():
        return 0
    by = [name for name in ("topic", "run") if name in rows.columns]
    other = rows.select(pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).last()) for name in by)).to_series()
    places = np.flatnonzero(other.to_numpy())
    return int(places[-1]) + 1 if len(places) else 0
