"""Chunks of a run: consecutive rows of a file that end where a topic ends, so each chunk can be joined separately.

There are two parsers. ``parse_fast`` returns the rows of a chunk, or None if anything is unusual. ``parse_carefully``
then finds the problems and the line number of each row.
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
from assay.io import parquet, parquet_dataset, text
from assay.io.columns import ColumnNames
from assay.io.paths import file_errors
from assay.io.problems import Place, Problems
from assay.io.source import Source
from assay.io.stream import ByteCallback, ByteStream
from assay.io.trec import RUN, RUN_WITH_RANK

_HEAD = 1 << 16  # bytes


class ParsedRows(NamedTuple):
    """Rows ``topic, doc, value`` (and ``rank``, ``tag``, ``run`` if the source has them), and their line numbers."""

    frame: pl.DataFrame
    numbers: np.ndarray


@dataclass(frozen=True, eq=False)
class TextChunk:
    """Lines of TREC text; *source* is the name that messages use."""

    data: bytes
    source: str
    rank: bool = False

    def parse_fast(self) -> pl.DataFrame | None:
        """Return the rows; None if there are none or if they must be parsed carefully."""
        frame = text.parse_fast(self.data, RUN_WITH_RANK if self.rank else RUN)
        return None if frame is None or frame.is_empty() else frame

    def parse_carefully(self, preceding_lines: int, problems: Problems) -> ParsedRows:
        """Return the rows with their line numbers; *preceding_lines* lines of the file precede the chunk."""
        if not preceding_lines:
            text.refuse_empty(self.data, self.source)
        frame = self.parse_fast()
        if frame is not None:
            return ParsedRows(frame, preceding_lines + self.line_numbers(frame))
        layout = RUN_WITH_RANK if self.rank else RUN
        return ParsedRows(*text.parse_carefully(self.data, layout, self.source, problems, preceding_lines))

    def line_numbers(self, frame: pl.DataFrame) -> np.ndarray:
        """Return the line number of each row within the chunk, from 1."""
        return text.line_numbers(self.data, len(frame))

    def count_lines(self) -> int:
        """Return the number of lines."""
        return text.count_lines(self.data)

    def place(self, line: int) -> str:
        """Return the place of a line for messages."""
        return f"{self.source}:{line}"


@dataclass(frozen=True, eq=False)
class TableChunk:
    """Rows of a table.

    *numbers* are their row or line numbers; by default rows are counted from the start of the source. *place* returns
    the place of a row for messages, given its number.
    """

    frame: pl.DataFrame
    source: str
    place: Callable[[int], str]
    numbers: np.ndarray | None = None

    def parse_fast(self) -> pl.DataFrame | None:
        """Return the rows; None if there are none or if they must be parsed carefully."""
        frame = self.frame
        missing = sum(frame.select(pl.exclude("rank").null_count()).row(0))
        if missing or not len(frame) or not np.isfinite(frame["value"].to_numpy()).all():
            return None
        return None if (frame["topic"] == "").any() or (frame["doc"] == "").any() else frame

    def parse_carefully(self, preceding_rows: int, problems: Problems) -> ParsedRows:
        """Return the rows with their numbers; *preceding_rows* rows of the source precede the chunk."""
        first = preceding_rows + 1
        numbers = np.arange(first, first + len(self.frame)) if self.numbers is None else self.numbers
        if "run" not in self.frame.columns or not self.frame["run"].null_count():
            return ParsedRows(self.frame, numbers)
        has_name = self.frame["run"].is_not_null().to_numpy()
        line = int(numbers[~has_name][0])
        place = Place.at(self.place(line), line)
        problems.report(place, "the name of the run is missing", "skipped rows without a run", int((~has_name).sum()))
        return ParsedRows(self.frame.filter(has_name), numbers[has_name])

    def line_numbers(self, frame: pl.DataFrame) -> np.ndarray:
        """Return the number of each row within the chunk, from 1."""
        return np.arange(1, len(frame) + 1)

    def count_lines(self) -> int:
        """Return the number of rows."""
        return len(self.frame)


Chunk = TextChunk | TableChunk


@dataclass(frozen=True, eq=False)
class ChunkSize:
    """Size of chunks: at least *bytes* of text or *rows* of a table, extended to the end of a topic.

    *limit* is the maximum number of bytes of one topic. If a topic is larger, the error message ends with the advice
    that *remedy* returns for its size.
    """

    bytes: int
    rows: int = 1
    limit: float = float("inf")
    remedy: Callable[[int], str] = "{} bytes".format

    def check(self, size: int, source: str, topic: str) -> None:
        """Refuse a topic that alone exceeds the limit."""
        if size > self.limit:
            raise InputError(f"{source}: topic {topic} alone is too large for this memory; {self.remedy(size)}")


class TextReader:
    """TREC text in chunks, plain or compressed; *stream* may be a small file that was read completely.

    *name* is the name of the file in messages, and *notes* are notes on the file. *digest* is the SHA-256 of the file;
    None until it has been read.
    """

    def __init__(self, stream: ByteStream | Source, rank: bool = False) -> None:
        self.name, self.notes = stream.path, stream.notes
        self.digest: str | None = None
        self._stream = stream
        self._rank = rank

    def chunks(self, size: ChunkSize, report: ByteCallback | None = None) -> Iterator[TextChunk]:
        """Yield the chunks in order; *report* is called with the number of bytes read."""
        for data in split_text(self._read_text(report), size, self.name):
            yield TextChunk(data, self.name, self._rank)
        self.digest = self._stream.digest

    def _read_text(self, report: ByteCallback | None) -> Iterator[bytes]:
        """Yield blocks without a byte order mark; refuse data that is not text."""
        blocks = self._stream.blocks(report)
        head = b""
        for block in blocks:
            head += block
            if len(head) >= _HEAD:
                break
        head = text.strip_bom(head, self.name)
        text.refuse_cr(head, self.name)
        yield head
        yield from blocks


def split_text(blocks: Iterable[bytes], size: ChunkSize, source: str) -> Iterator[bytes]:
    """Yield the text of *blocks* in chunks of at least ``size.bytes`` bytes that end where a topic ends."""
    buffer: list[bytes] = []
    length, threshold = 0, size.bytes
    search_from = size.bytes
    count = 0
    for block in blocks:
        buffer.append(block)
        length += len(block)
        while length > threshold:
            data = b"".join(buffer)
            cut = find_next_topic(data, search_from)
            if cut < 0:
                # The buffer doubles before the search continues. The bytes of a long topic are thus copied a bounded
                # number of times on average, instead of once for every block.
                size.check(length, source, _last_topic(data))
                buffer, search_from, threshold = [data], length, 2 * length
                break
            yield data[:cut]
            count += 1
            buffer = [data[cut:]]
            length, threshold, search_from = len(data) - cut, size.bytes, size.bytes
            del data
    if length or not count:
        yield b"".join(buffer)


def split_file(path: str, size: int) -> Iterator[tuple[int, int]]:
    """Yield byte ranges of plain text that end where a topic ends; all but the last have at least *size* bytes."""
    with file_errors(path), open(path, "rb") as file:
        total = file.seek(0, os.SEEK_END)
        begin = 0
        while begin < total:
            end = begin + size
            # Read a window at the nominal end of the range, then larger windows until another topic begins in one.
            cut, window = -1, _HEAD
            while cut < 0 and end < total:
                file.seek(end)
                data = file.read(window)
                cut = find_next_topic(data, 0)
                end = end + cut if cut >= 0 else end if end + len(data) < total else total
                window *= 4
            end = min(end, total)
            yield begin, end
            begin = end


def _last_topic(data: bytes) -> str:
    line = data[data.rfind(b"\n", 0, -1) + 1 :].split(None, 1)
    return line[0].decode(errors="replace") if line else ""


def find_next_topic(data: bytes, position: int) -> int:
    r"""Return the offset of the first line after *position* where the topic changes; -1 if there is none.

    Blank lines and comments belong to the topic before them. An incomplete last line is ignored.

    >>> find_next_topic(b"a 1\na 2\n\nb 3\nb 4\n", 2)
    9
    """
    line = data.find(b"\n", position) + 1
    topic, other_topic = None, None
    while line and (end := data.find(b"\n", line)) >= 0:
        words = data[line:end].split(None, 1)
        if words and not words[0].startswith(b"#"):
            if topic is None:
                topic = words[0]
                other_topic = re.compile(rb"\n(?!" + re.escape(topic) + rb"[ \t])")
            elif words[0] != topic:
                return line
        # The regular expression skips all following lines that begin with the same topic in a single search.
        following = None if other_topic is None else other_topic.search(data, end)
        line = end + 1 if other_topic is None else following.start() + 1 if following is not None else 0
    return -1


@dataclass(eq=False)
class ParquetReader:
    """A Parquet file or dataset in chunks; an optional column ``run`` names the runs."""

    name: str
    columns: ColumnNames
    notes: tuple[str, ...] = ()
    digest: str | None = None

    def chunks(self, size: ChunkSize, report: ByteCallback | None = None) -> Iterator[TableChunk]:
        """Yield the chunks in order; *report* is called with the number of bytes read."""
        place = parquet.locate_rows(self.name)
        for frame in _split_rows(parquet.read_frames(self.name, self.columns, size.rows), size.rows):
            yield TableChunk(frame, self.name, place)
        self.digest = parquet_dataset.compute_digest(self.name, report or (lambda _: None))


def _split_rows(frames: Iterable[pl.DataFrame], min_rows: int) -> Iterator[pl.DataFrame]:
    """Concatenate frames to at least *min_rows* rows and cut them where a topic of a run ends."""
    buffer: list[pl.DataFrame] = []
    length = count = 0
    for frame in frames:
        buffer.append(frame)
        length += len(frame)
        if length < min_rows:
            continue
        rows = pl.concat(buffer)
        cut = _find_last_segment(rows)
        if cut:
            yield rows[:cut]
            count += 1
        buffer = [rows[cut:]]
        length = len(rows) - cut
    if length or not count:
        yield pl.concat(buffer)


def _find_last_segment(rows: pl.DataFrame) -> int:
    """Return the index at which the last group of consecutive rows with the same topic and run begins."""
    if rows.is_empty():
        return 0
    columns = [name for name in ("topic", "run") if name in rows.columns]
    differs = rows.select(
        pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).last()) for name in columns)
    ).to_series()
    indices = np.flatnonzero(differs.to_numpy())
    return int(indices[-1]) + 1 if len(indices) else 0
