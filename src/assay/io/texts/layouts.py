"""Layouts of text files with one record after the other: JSON Lines, tab- and comma-separated text, TREC documents.

A layout finds the records of a block and their ids with array operations. Records of an unusual form are parsed one by
one. A layout also parses the text of a single record when it is requested.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any, ClassVar, NamedTuple

import numpy as np

from assay.io.texts.fields import Document, Fields, RecordError, TextKind, find_fields, read_document

_NEWLINE, _QUOTE, _CARRIAGE_RETURN, _BRACE = 10, 34, 13, 125
_CELL = re.compile(r',("[^"]*(?:""[^"]*)*"(?=,|$)|[^,]*)', re.DOTALL)
_ID_WIDTHS = (16, 64)  # bytes in which the end of an id is searched; records with longer ids are parsed one by one
_MAX_PREFIX = 48  # bytes


class Records(NamedTuple):
    """Complete records at the beginning of a buffer: their starts and ends, and the number of bytes they take."""

    start: np.ndarray
    end: np.ndarray
    size: int

    def before(self, limit: int) -> Records:
        """Return the records that start before a limit."""
        count = int(np.searchsorted(self.start, limit))
        if count == len(self.start):
            return self
        return Records(self.start[:count], self.end[:count], int(self.start[count]))

    def drop_header(self, data: np.ndarray) -> Records:
        """Return the records after the first that is not blank."""
        spans = zip(self.start.tolist(), self.end.tolist(), strict=True)
        rows = (row for row, (start, end) in enumerate(spans) if data[start:end].tobytes().strip())
        first = next(rows, len(self.start)) + 1
        return Records(self.start[first:], self.end[first:], self.size)


class RecordLayout:
    """A layout of records.

    Attributes
    ----------
    prefix
        The bytes before the id of an ordinary record.
    stops
        The bytes that end an id; only the first is ordinary.
    noun
        The name of a record in messages.
    has_header
        Whether the first record contains the names of the columns.
    """

    prefix: bytes = b""
    has_header: bool = False
    stops: ClassVar[bytes]
    noun: ClassVar[str] = "line"

    def split(self, data: np.ndarray, *, final: bool) -> Records:
        """Return the complete records; the end of the file completes the last one."""
        return _split_lines(np.flatnonzero(data == _NEWLINE), len(data), final=final)

    def find_end(self, data: bytes) -> int:
        """Return the end of the record at the beginning of *data*; -1 if it is incomplete."""
        return data.find(b"\n")

    def is_ordinary(self, data: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Return a mask of the records whose id can be found by its position."""
        mask: np.ndarray = has_prefix(data, start, self.prefix) & (end - start > len(self.prefix))
        return mask

    def read_id(self, record: str) -> str | None:
        """Return the id of a record; None for a blank record."""
        return self.read(record)[0] if record.strip() else None

    def read(self, record: str) -> tuple[str, Document]:
        """Return the id of a record, its title and its text."""
        raise NotImplementedError


def _split_lines(ends: np.ndarray, size: int, *, final: bool) -> Records:
    """Return the lines of *size* bytes, given the positions of line breaks."""
    following = int(ends[-1]) + 1 if len(ends) else 0
    if final and following < size:
        ends, following = np.append(ends, size), size
    return Records(np.concatenate([[0], ends[:-1] + 1])[: len(ends)], ends, following)


def has_prefix(data: np.ndarray, start: np.ndarray, prefix: bytes) -> np.ndarray:
    """Return a mask of the starts at which the data begin with a prefix; 64 bytes must follow the last start."""
    mask = np.ones(len(start), dtype=bool)
    for position, byte in enumerate(prefix):
        mask &= data[start + position] == byte
    return mask


def find_stops(data: np.ndarray, start: np.ndarray, stops: bytes) -> np.ndarray:
    """Return the first position from each start that holds one of *stops*; -1 if the first is not ``stops[0]``."""
    positions = np.full(len(start), -1)
    rows = np.arange(len(start))
    for width in _ID_WIDTHS:
        heads = data[start[rows, None] + np.arange(width)]
        is_stop = np.isin(heads, np.frombuffer(stops, dtype=np.uint8)) if len(stops) > 1 else heads == stops[0]
        column = is_stop.argmax(axis=1)
        first = np.arange(len(rows))
        has_stop = is_stop[first, column]
        ordinary = has_stop & (heads[first, column] == stops[0])
        positions[rows[ordinary]] = start[rows[ordinary]] + column[ordinary]
        rows = rows[~has_stop]
    return positions


@dataclass(frozen=True)
class JsonLines(RecordLayout):
    """A JSON object in each line; *prefix* is the text before the id in the first line.

    The key of the id is the same in all lines. Lines may have different keys for title and text, or lack them.
    """

    fields: Fields
    kind: TextKind
    prefix: bytes
    stops: ClassVar[bytes] = b'"\\\n'

    @classmethod
    def of(cls, first: str, kind: TextKind) -> JsonLines:
        """Return the layout of a file with this first line."""
        fields = find_fields(list(parse_object(first)), kind)
        match = re.match(rf'\s*{{\s*"{re.escape(fields.id)}"\s*:\s*"', first)
        return cls(fields, kind, match[0].encode() if match and len(match[0]) <= _MAX_PREFIX else b"")

    def is_ordinary(self, data: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Return a mask of the lines that begin as the first line does and end in a brace."""
        if not self.prefix:
            return np.zeros(len(start), dtype=bool)
        last = np.maximum(end - 1, start)
        last = np.where(data[last] == _CARRIAGE_RETURN, np.maximum(last - 1, start), last)
        mask: np.ndarray = super().is_ordinary(data, start, end) & (data[last] == _BRACE)
        return mask

    def read_id(self, record: str) -> str | None:
        """Return the id of a line; None for a blank line."""
        return self.fields.read_id(parse_object(record)) if record.strip() else None

    def read(self, record: str) -> tuple[str, Document]:
        """Return the id, the title and the text of a line."""
        item = parse_object(record)
        return self.fields.read_id(item), read_document(item, self.kind) or Document("", "")


def parse_object(line: str) -> dict[str, Any]:
    """Return a JSON object; control characters in texts are accepted."""
    try:
        item = json.loads(line, strict=False)
    except json.JSONDecodeError as error:
        raise RecordError(f"not JSON ({error.msg}, column {error.colno}); write one object per line") from None
    except (RecursionError, ValueError):
        raise RecordError("nested too deeply, or a number with too many digits") from None
    if not isinstance(item, dict):
        raise RecordError(f"expected a JSON object, found {type(item).__name__}")
    return item


@dataclass(frozen=True)
class Separated(RecordLayout):
    """Columns separated by tabs or commas; *columns* are their names, and *fields* those with the id and the text.

    Tabs are never part of a cell. A cell in quotation marks is unquoted if the file has a header; in comma-separated
    text, such a cell may contain commas and line breaks.
    """

    columns: Sequence[str]
    fields: Fields
    separator: str = "\t"
    has_header: bool = False

    @property
    def stops(self) -> bytes:  # type: ignore[override]
        """The separator, or a quotation mark at the beginning of a quoted id."""
        return f"{self.separator}{chr(_QUOTE) * self.has_header}\n".encode()

    def split(self, data: np.ndarray, *, final: bool) -> Records:
        """Return the lines; a line break in quotation marks does not end a line."""
        if self.separator == "\t":
            return super().split(data, final=final)
        ends = np.flatnonzero(data == _NEWLINE)
        quotes = np.flatnonzero(data == _QUOTE)
        return _split_lines(ends[np.searchsorted(quotes, ends) % 2 == 0], len(data), final=final)

    def find_end(self, data: bytes) -> int:
        """Return the end of the first line."""
        if self.separator == "\t":
            return super().find_end(data)
        end = data.find(b"\n")
        quotes = data.count(b'"', 0, max(end, 0))
        while end >= 0 and quotes % 2:
            previous, end = end, data.find(b"\n", end + 1)
            quotes += data.count(b'"', previous, max(end, previous))
        return end

    def is_ordinary(self, data: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Return a mask of the lines that begin with the id."""
        if self.fields.id != self.columns[0]:
            return np.zeros(len(start), dtype=bool)
        mask: np.ndarray = (end > start) & (data[start] != ord(self.separator))
        return mask

    def read(self, record: str) -> tuple[str, Document]:
        """Return the id, the title and the text of a line."""
        cells = self._split_cells(record.removesuffix("\r"))
        if len(cells) != len(self.columns):
            raise RecordError(f"expected {len(self.columns)} columns ({', '.join(self.columns)}), found {len(cells)}")
        return self.fields.read(dict(zip(self.columns, cells, strict=True)))

    def _split_cells(self, line: str) -> list[str]:
        if self.separator == ",":
            return [_unquote(match[1]) for match in _CELL.finditer(f",{line}")]
        # Without a header, the text is the last column and may contain tabs.
        cells = line.split("\t", -1 if self.has_header else len(self.columns) - 1)
        return [_unquote(cell) for cell in cells] if self.has_header else cells


def _unquote(cell: str) -> str:
    """Remove quotation marks around a cell if those in it are doubled."""
    inner = cell[1:-1]
    is_quoted = len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', "")
    return inner.replace('""', '"') if is_quoted else cell


class TrecDocuments(RecordLayout):
    """Documents of TREC collections: ``<DOC>`` with ``<DOCNO>``, and other elements with the title and the text."""

    stops: ClassVar[bytes] = b"<"
    noun: ClassVar[str] = "document"

    _START = re.compile(rb"<DOC>", re.IGNORECASE)
    _ID = re.compile(r"<DOCNO>\s*(.*?)\s*</DOCNO>", re.IGNORECASE | re.DOTALL)
    _TITLE = re.compile(r"<(HEADLINE|TITLE|HEAD|HL|TI)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
    _TEXT = re.compile(r"<(TEXT)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
    _HIDDEN = re.compile(r"<(DOCNO|DOCID|DOCHDR|FILEID)>.*?</\1>", re.IGNORECASE | re.DOTALL)
    _TAG = re.compile(r"</?[A-Za-z!?][^<>]*>")

    def split(self, data: np.ndarray, *, final: bool) -> Records:
        """Return the documents; a document ends where the next one begins."""
        starts = np.array([match.start() for match in self._START.finditer(data.data)], dtype=np.int64)
        if final:
            return Records(starts, np.append(starts[1:], len(data))[: len(starts)], len(data))
        return Records(starts[:-1], starts[1:], int(starts[-1]) if len(starts) > 1 else 0)

    def find_end(self, data: bytes) -> int:
        """Return the end of the document at the beginning of *data*."""
        following = self._START.search(data, 1)
        return following.start() if following else -1

    def is_ordinary(self, data: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Return False for each document: ids have no fixed position."""
        return np.zeros(len(start), dtype=bool)

    def read_id(self, record: str) -> str | None:
        """Return the id of a document."""
        match = self._ID.search(record)
        if match is None or not match[1]:
            raise RecordError("a document without <DOCNO>; add its id")
        return match[1]

    def read(self, record: str) -> tuple[str, Document]:
        """Return the id, the title and the text of a document; without a TEXT element, all elements are the text."""
        title = self._TITLE.search(record)
        texts = [text for _, text in self._TEXT.findall(record)] or [self._HIDDEN.sub(" ", record)]
        title_text = self._strip_tags(title[2]) if title else ""
        return str(self.read_id(record)), Document(title_text, "\n".join(map(self._strip_tags, texts)))

    def _strip_tags(self, text: str) -> str:
        return unescape(self._TAG.sub(" ", text)).strip()
