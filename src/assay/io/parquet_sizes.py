"""Check the sizes that a Parquet file declares before polars allocates memory for them.

Polars allocates the memory that a file declares, and a failed allocation ends the process. The sizes are in the footer
and in the header of each page, encoded in Thrift's compact protocol:
https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.
"""

from __future__ import annotations

import mmap
import os
from typing import Any

from assay.errors import InputError
from assay.io.compression import MAX_EXPANSION, MIN_LIMIT
from assay.memory import format_size

MAGIC = b"PAR1"
MIN_ROW_LIMIT = 1_000_000
"""Rows that any file may declare; a file with more rows needs at least one byte per ``MAX_EXPANSION`` rows."""
_MAX_DEPTH = 16  # levels of nesting; Parquet metadata has 7
_TRUE, _FALSE, _BYTE, _I16, _I64, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT, _UUID = 1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13

# Field ids in the Thrift structures of the format.
_FILE_ROWS, _FILE_GROUPS = 3, 4
_GROUP_COLUMNS, _GROUP_ROWS = 1, 3
_CHUNK_META, _META_PATH, _META_VALUES, _META_SIZE, _META_DATA, _META_DICTIONARY = 3, 3, 5, 7, 9, 11
_PAGE_UNPACKED, _PAGE_PACKED, _PAGE_DATA, _PAGE_DICTIONARY, _PAGE_DATA_2 = 2, 3, 5, 7, 8

Data = bytes | mmap.mmap
Struct = dict[int, Any]


class _DamagedError(Exception):
    """A size that is impossible in a valid file."""


def check_file(path: str) -> None:
    """Check a file on disk; see :func:`check_sizes`."""
    with open(path, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            check_sizes(b"", path)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            check_sizes(data, path)


def check_sizes(data: Data, path: str) -> None:
    """Refuse a file whose declared sizes contradict each other, exceed the file, or expand beyond the limit."""
    if not data:
        raise InputError(f"{path}: the file is empty")
    if data[:4] != MAGIC:
        raise InputError(f"{path}: is not Parquet despite its name (it does not start with PAR1); rename it")
    if data[-4:] != MAGIC:
        raise InputError(f"{path}: the Parquet data is cut off (it does not end with PAR1)")
    try:
        rows, unpacked = _read_sizes(data)
    except (_DamagedError, IndexError, TypeError, KeyError, AttributeError) as error:
        reason = str(error) if isinstance(error, _DamagedError) else "its metadata cannot be read"
        raise InputError(f"{path}: the Parquet data is damaged ({reason}); write it again") from None
    if unpacked > max(MIN_LIMIT, MAX_EXPANSION * len(data)) or rows > max(MIN_ROW_LIMIT, MAX_EXPANSION * len(data)):
        raise InputError(
            f"{path}: expands from {format_size(len(data))} to {format_size(unpacked)} and {rows:,} rows, beyond the "
            f"limit of {MAX_EXPANSION} times its size (at least {format_size(MIN_LIMIT)}) or {MAX_EXPANSION} rows per "
            f"byte (at least {MIN_ROW_LIMIT:,}); write it as plain text if you trust it"
        )


def _read_sizes(data: Data) -> tuple[int, int]:
    """Return the number of rows and of decompressed bytes, after comparing totals with sums."""
    length = int.from_bytes(data[-8:-4], "little")
    start = len(data) - 8 - length
    _require(start >= len(MAGIC), f"the footer of {length:,} bytes is longer than the file")
    footer = _ThriftReader(data, start, len(data) - 8).read_struct()
    groups = footer.get(_FILE_GROUPS, [])
    rows = sum(group[_GROUP_ROWS] for group in groups)
    _require(
        footer[_FILE_ROWS] == rows and all(group[_GROUP_ROWS] >= 0 for group in groups),
        f"{footer[_FILE_ROWS]:,} rows are declared, but the row groups have {rows:,}",
    )
    chunks = [(chunk[_CHUNK_META], group[_GROUP_ROWS]) for group in groups for chunk in group[_GROUP_COLUMNS]]
    return rows, sum(_read_column_size(data, meta, rows, start) for meta, rows in chunks)


def _read_column_size(data: Data, meta: Struct, rows: int, footer: int) -> int:
    """Return the decompressed size of one column of a row group; *footer* is the offset of the footer."""
    begin = meta.get(_META_DICTIONARY) or meta[_META_DATA]
    end = begin + meta[_META_SIZE]
    _require(len(MAGIC) <= begin <= end <= footer, "a column is outside of the file")
    # A nested column may have several values in a row.
    nested = len(meta[_META_PATH]) > 1
    _require(nested or meta[_META_VALUES] == rows, f"a column of {rows:,} rows has {meta[_META_VALUES]:,} values")
    size = values = 0
    while begin < end:
        reader = _ThriftReader(data, begin, end)
        page = reader.read_struct()
        begin = reader.position + page[_PAGE_PACKED]
        _require(reader.position <= begin <= end and page[_PAGE_UNPACKED] >= 0, "a page is larger than its column")
        # In the headers of dictionary pages and of data pages, field 1 is the number of values.
        dictionary = page.get(_PAGE_DICTIONARY)
        _require(
            dictionary is None or 0 <= dictionary[1] <= page[_PAGE_UNPACKED], "a dictionary has more values than bytes"
        )
        body = page.get(_PAGE_DATA) or page.get(_PAGE_DATA_2)
        values += body[1] if body is not None else 0
        size += page[_PAGE_UNPACKED]
        _require(body is None or (body[1] >= 0 and values <= meta[_META_VALUES]), "a page has too many values")
    _require(values == meta[_META_VALUES], f"{meta[_META_VALUES]:,} values are declared, but the pages have {values:,}")
    return size


def _require(condition: bool, problem: str) -> None:
    if not condition:
        raise _DamagedError(problem)


class _ThriftReader:
    """Reader of Thrift's compact protocol between two offsets; *position* is the offset of the next byte."""

    def __init__(self, data: Data, position: int, end: int) -> None:
        self._data = data
        self._end = end
        self.position = position

    def read_struct(self, depth: int = 0) -> Struct:
        """Read a structure as a dict from field id to value."""
        _require(depth < _MAX_DEPTH, "its metadata is nested too deeply")
        fields: Struct = {}
        number = 0
        # The high four bits of a field header are the difference to the previous field id; 0 means that the id follows
        # as an integer. The low four bits are the type. A zero byte ends the structure.
        while header := self._read_byte():
            number = number + (header >> 4) if header >> 4 else self._read_integer()
            fields[number] = self._read_value(header & 15, depth)
        return fields

    def _read_byte(self) -> int:
        _require(self.position < self._end, "it ends too early")
        self.position += 1
        return self._data[self.position - 1]

    def _skip(self, size: int) -> None:
        _require(0 <= size <= self._end - self.position, "it ends too early")
        self.position += size

    def _read_varint(self) -> int:
        """Read an unsigned integer of variable length: seven bits in each byte, lowest bits first."""
        value = 0
        for shift in range(0, 70, 7):
            byte = self._read_byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise _DamagedError("a number is too long")

    def _read_integer(self) -> int:
        # Zigzag encoding: 0, 1, 2, 3 stand for 0, -1, 1, -2.
        value = self._read_varint()
        return (value >> 1) ^ -(value & 1)

    def _read_value(self, kind: int, depth: int) -> Any:
        """Read a value; bytes, doubles and texts are skipped, because no size depends on them."""
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if _I16 <= kind <= _I64:
            return self._read_integer()
        if kind == _STRUCT:
            return self.read_struct(depth + 1)
        if kind in (_LIST, _SET):
            return self._read_list(depth + 1)
        _require(kind in (_BYTE, _DOUBLE, _BINARY, _UUID), "its metadata has an unknown type")
        self._skip(self._read_varint() if kind == _BINARY else {_BYTE: 1, _DOUBLE: 8, _UUID: 16}[kind])
        return None

    def _read_list(self, depth: int) -> list[Any]:
        """Read a list; the head has its length (or 15 if a longer length follows) and the type of its elements."""
        head = self._read_byte()
        count = head >> 4 if head >> 4 < 15 else self._read_varint()
        kind = head & 15
        _require(depth < _MAX_DEPTH and count <= self._end - self.position, "it ends too early")
        if kind in (_TRUE, _FALSE):  # in a list each boolean takes one byte
            self._skip(count)
            return [None] * count
        return [self._read_value(kind, depth) for _ in range(count)]
